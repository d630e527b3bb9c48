//! From the argument text of a call to the arguments.

use serde_json::{Map, Value};

use super::{Ending, repair};

/// What is known about the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The provider said that the call is complete.
    Complete,
    /// Nothing yet: it may have been cut by a limit.
    Unknown,
}

/// What an argument text is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Arguments {
    /// An object, or the text itself if it is complete and cannot be read as one; the tool then answers that it is invalid.
    Whole(Value),
    /// It may have been cut: not to be run.
    Doubtful,
}

/// Reads an argument text. Nothing at all and `null` are the empty object.
pub(crate) fn arguments(text: &str, trust: Trust) -> Arguments {
    if text.trim().is_empty() {
        return Arguments::Whole(Value::Object(Map::new()));
    }
    let ending = match trust {
        Trust::Complete => Ending::Forgotten,
        Trust::Unknown => Ending::Whole,
    };
    match (repair(text, ending).and_then(object), trust) {
        (Some(object), _) => Arguments::Whole(object),
        (None, Trust::Complete) => Arguments::Whole(Value::String(text.to_owned())),
        (None, Trust::Unknown) => Arguments::Doubtful,
    }
}

/// The object that a value is, or that its text spells: some models encode their arguments twice.
fn object(value: Value) -> Option<Value> {
    match value {
        Value::Object(_) => Some(value),
        Value::Null => Some(Value::Object(Map::new())),
        Value::String(text) => serde_json::from_str(&text).ok().filter(Value::is_object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_the_empty_object() {
        for text in ["", " \n", "null", "{}"] {
            assert_eq!(arguments(text, Trust::Unknown), Arguments::Whole(json!({})), "{text}");
        }
    }

    #[test]
    fn arguments_encoded_twice_are_decoded() {
        let twice = Value::String(json!({"a": 1}).to_string()).to_string();
        assert_eq!(arguments(&twice, Trust::Unknown), Arguments::Whole(json!({"a": 1})));
    }

    #[test]
    fn what_is_not_an_object_waits_for_the_providers_word_and_then_stays_text() {
        for text in ["12", "[1]", "\"x\"", "rm -rf /", r#"{"a": "x"#] {
            assert_eq!(arguments(text, Trust::Unknown), Arguments::Doubtful, "{text}");
            assert_eq!(arguments(text, Trust::Complete), Arguments::Whole(json!(text)), "{text}");
        }
    }
}
