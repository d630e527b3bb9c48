use praxis_llm::script::Seen;
use serde_json::Value;

use super::{content, items, model, text};

pub(in crate::model) fn chat(body: &Value) -> Seen {
    let mut seen = Seen {
        tools: items(&body["tools"]).iter().map(|tool| text(&tool["function"], "name").to_owned()).collect(),
        model: model(body),
        ..Seen::default()
    };
    let mut system: Vec<String> = Vec::new();
    for message in items(&body["messages"]) {
        let said = content(&message["content"]);
        match text(message, "role") {
            // Behind the first messages it is a note, as other formats put it into a user message.
            "system" | "developer" if seen.messages.is_empty() => system.push(said),
            "assistant" => {
                seen.assistant(&said);
                for call in items(&message["tool_calls"]) {
                    seen.call(text(call, "id"), text(&call["function"], "name"));
                }
            }
            // The format has no word for results that are errors.
            "tool" => seen.result(text(message, "tool_call_id"), None, &said, None),
            _ => seen.user(&said),
        }
    }
    seen.system = system.join("\n");
    seen
}
