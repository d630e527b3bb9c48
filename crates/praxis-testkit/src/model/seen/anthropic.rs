use praxis_llm::script::Seen;
use serde_json::Value;

use super::{content, items, model, text};

pub(in crate::model) fn anthropic(body: &Value) -> Seen {
    let mut seen = Seen {
        system: content(&body["system"]),
        tools: items(&body["tools"]).iter().map(|tool| text(tool, "name").to_owned()).collect(),
        model: model(body),
        ..Seen::default()
    };
    for message in items(&body["messages"]) {
        let is_user = message["role"] == "user";
        if let Value::String(text) = &message["content"] {
            say(&mut seen, is_user, text);
        }
        for block in items(&message["content"]) {
            match text(block, "type") {
                "tool_use" => seen.call(text(block, "id"), text(block, "name")),
                "tool_result" => {
                    let is_error = block["is_error"] == true;
                    let text_of = content(&block["content"]);
                    seen.result(text(block, "tool_use_id"), None, &text_of, Some(is_error));
                }
                "thinking" | "redacted_thinking" => seen.assistant(""),
                // Pictures have no text, and are a message all the same.
                _ => say(&mut seen, is_user, text(block, "text")),
            }
        }
    }
    seen
}

fn say(seen: &mut Seen, is_user: bool, text: &str) {
    if is_user {
        seen.user(text);
    } else {
        seen.assistant(text);
    }
}
