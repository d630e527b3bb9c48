//! From the bodies of the wire formats to what a script sees.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::Value;

pub(super) use anthropic::anthropic;
pub(super) use chat::chat;
pub(super) use gemini::gemini;
pub(super) use responses::responses;

/// The text of a field.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// The items of a list; nothing if it is none.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The text of content that is either text or a list of parts with text in them.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        _ => {
            let texts = items(value).iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

fn model(body: &Value) -> Option<String> {
    body["model"].as_str().map(str::to_owned)
}
