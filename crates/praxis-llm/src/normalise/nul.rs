//! U+0000, which several servers refuse with an error that names no place.

use std::sync::Arc;

use serde_json::Value;

use crate::{AssistantPart, Message, Output, UserPart};

const REPLACEMENT: &str = "\u{fffd}";

/// Replaces it in one text. A text without it is not copied.
pub(super) fn scrub(text: &mut Arc<str>) {
    if has(text) {
        *text = clean(text).into();
    }
}

/// Replaces it in all that a message says.
pub(super) fn scrub_message(message: &mut Message) {
    match message {
        Message::User(parts) => {
            for part in parts {
                match part {
                    UserPart::Text(text) => scrub(text),
                    UserPart::Media(_) => {}
                }
            }
        }
        Message::Assistant(parts) => {
            for part in parts {
                match part {
                    AssistantPart::Text { text, .. } | AssistantPart::Reasoning { text, .. } => scrub(text),
                    AssistantPart::Call { input, .. } => {
                        if has_value(input) {
                            scrub_value(Arc::make_mut(input));
                        }
                    }
                }
            }
        }
        Message::Tool(results) => {
            for result in results {
                match &mut result.output {
                    Output::Text(text) | Output::Error(text) | Output::Content { text, .. } => scrub(text),
                }
            }
        }
        Message::Note(text) => {
            if has(text) {
                *text = clean(text);
            }
        }
    }
}

fn has(text: &str) -> bool {
    memchr::memchr(0, text.as_bytes()).is_some()
}

fn clean(text: &str) -> String {
    text.replace('\0', REPLACEMENT)
}

/// Values are as deep as the parser of JSON lets them be, so recursion is bounded.
fn has_value(value: &Value) -> bool {
    match value {
        Value::String(text) => has(text),
        Value::Array(items) => items.iter().any(has_value),
        Value::Object(fields) => fields.iter().any(|(name, value)| has(name) || has_value(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn scrub_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(items) => items.iter_mut().for_each(scrub_value),
        Value::Object(fields) => {
            if fields.keys().any(|name| has(name)) {
                *fields =
                    std::mem::take(fields).into_iter().map(|(name, value)| (clean(&name), value)).collect();
            }
            fields.values_mut().for_each(scrub_value);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Metadata, ToolResult};

    #[test]
    fn it_is_replaced_wherever_a_message_has_it() {
        let call = |input| AssistantPart::Call {
            id: "1".into(),
            name: "write".into(),
            input: Arc::new(input),
            metadata: Metadata::default(),
        };
        let result = |text: &str| ToolResult {
            id: "1".into(),
            name: "write".into(),
            output: Output::Text(text.into()),
        };
        let mut messages = [
            Message::User(vec![UserPart::Text("a\0b".into())]),
            Message::Assistant(vec![call(json!({"k\0": ["x\0", {"deep": "\0"}], "n": 1}))]),
            Message::Tool(vec![result("\0\0")]),
            Message::Note("\0".into()),
        ];
        messages.iter_mut().for_each(scrub_message);
        let meant = [
            Message::User(vec![UserPart::Text("a\u{fffd}b".into())]),
            Message::Assistant(vec![call(json!({"k\u{fffd}": ["x\u{fffd}", {"deep": "\u{fffd}"}], "n": 1}))]),
            Message::Tool(vec![result("\u{fffd}\u{fffd}")]),
            Message::Note("\u{fffd}".into()),
        ];
        assert_eq!(messages, meant);
    }

    #[test]
    fn a_text_without_it_is_not_copied() {
        let mut text: Arc<str> = "plain".into();
        let before = Arc::clone(&text);
        scrub(&mut text);
        assert!(Arc::ptr_eq(&text, &before));
    }
}
