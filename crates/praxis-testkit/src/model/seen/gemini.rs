use praxis_llm::script::Seen;
use serde_json::Value;

use super::{content, items, text};

pub(in crate::model) fn gemini(path: &str, body: &Value) -> Seen {
    let declared = items(&body["tools"]).iter().flat_map(|tool| items(&tool["functionDeclarations"]));
    let model = path.split("/models/").nth(1).and_then(|rest| rest.split(':').next());
    let mut seen = Seen {
        system: content(&body["systemInstruction"]["parts"]),
        tools: declared.map(|tool| text(tool, "name").to_owned()).collect(),
        model: model.map(str::to_owned),
        ..Seen::default()
    };
    for message in items(&body["contents"]) {
        for part in items(&message["parts"]) {
            part_of(&mut seen, message["role"] == "model", part);
        }
    }
    seen
}

fn part_of(seen: &mut Seen, is_model: bool, part: &Value) {
    let (call, response) = (&part["functionCall"], &part["functionResponse"]);
    if call.is_object() {
        return seen.call(text(call, "id"), text(call, "name"));
    }
    if response.is_object() {
        let (result, is_error) = output(&response["response"]);
        return seen.result(text(response, "id"), Some(text(response, "name")), &result, is_error);
    }
    match (is_model, part["thought"] == true) {
        (true, true) => seen.assistant(""),
        (true, false) => seen.assistant(text(part, "text")),
        (false, _) => seen.user(text(part, "text")),
    }
}

/// The text of a result, and whether it says that it is an error.
fn output(response: &Value) -> (String, Option<bool>) {
    for (field, is_error) in
        [("error", Some(true)), ("output", Some(false)), ("content", None), ("result", None)]
    {
        if let Some(text) = response[field].as_str() {
            return (text.to_owned(), is_error);
        }
    }
    (response.to_string(), None)
}
