use praxis_llm::script::Seen;
use serde_json::Value;

use super::{content, items, model, text};

pub(in crate::model) fn responses(body: &Value) -> Seen {
    let mut seen = Seen {
        tools: items(&body["tools"]).iter().map(|tool| text(tool, "name").to_owned()).collect(),
        model: model(body),
        ..Seen::default()
    };
    let mut system: Vec<String> = body["instructions"].as_str().map(str::to_owned).into_iter().collect();
    if let Value::String(text) = &body["input"] {
        seen.user(text);
    }
    for item in items(&body["input"]) {
        let said = content(&item["content"]);
        match (text(item, "type"), text(item, "role")) {
            ("function_call", _) => seen.call(text(item, "call_id"), text(item, "name")),
            ("function_call_output", _) => {
                seen.result(text(item, "call_id"), None, &content(&item["output"]), None);
            }
            ("reasoning" | "item_reference", _) => seen.assistant(""),
            (_, "system" | "developer") if seen.messages.is_empty() => system.push(said),
            (_, "assistant") => seen.assistant(&said),
            _ => seen.user(&said),
        }
    }
    seen.system = system.join("\n");
    seen
}
