//! Mending JSON that is almost right, and looking into JSON that is not all there yet.

use serde_json::Value;

use super::rewrite::{End, rewrite};

/// What may be missing at the end of a text that is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: the last bracket must be there.
    Whole,
    /// Closing brackets behind a whole value, for a text that its author called complete.
    ///
    /// An open string, a comma or a colon at the end is not mended: something was still to come, and a command or a
    /// file cut in the middle must not be mistaken for one that is whole.
    Forgotten,
}

/// Reads JSON that may have a trailing comma, a fence around it, single quotes, bare keys, raw line breaks or bad escapes
/// in strings, Python's `True`, `False` and `None`, or comments. Valid JSON is read as it is.
///
/// `None` if that does not help. Nothing is guessed: where a text could mean two things, it is not mended.
pub fn repair(text: &str, ending: Ending) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let end = match ending {
        Ending::Whole => End::Whole,
        Ending::Forgotten => End::Close,
    };
    serde_json::from_str(&rewrite(unfenced(text), end)?).ok()
}

/// The part of an incomplete text that can be read already, to show progress; null if there is none.
///
/// An open string is shown as far as it goes, a key without a value is left out. It takes time in proportion to the whole
/// text, so call it a few times a second rather than for each delta, and never run a tool with what it gives.
pub fn partial(text: &str) -> Value {
    rewrite(unfenced(text), End::Preview)
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// The text inside a Markdown fence, or the text itself.
fn unfenced(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let Some(inside) = text.strip_prefix("```") else { return text };
    let inside = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    inside.strip_suffix("```").unwrap_or(inside).trim()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn mistakes_of_models_are_mended() {
        let cases = [
            (r#"{"a": 1,}"#, json!({"a": 1})),
            (r#"{"a": [1, 2, ], }"#, json!({"a": [1, 2]})),
            ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
            ("```\n{\"a\": 1}", json!({"a": 1})),
            (r#"{'a': 'say "hi"', 'b': 'it\'s'}"#, json!({"a": "say \"hi\"", "b": "it's"})),
            ("{\"a\": \"one\ntwo\tthree\"}", json!({"a": "one\ntwo\tthree"})),
            (r#"{"a": True, "b": False, "c": None}"#, json!({"a": true, "b": false, "c": null})),
            ("{ // why\n \"a\": 1 /* what */ }", json!({"a": 1})),
            (r#"{path: "x", max-depth: 2}"#, json!({"path": "x", "max-depth": 2})),
            (r#"{"a": "C:\dir\users"}"#, json!({"a": r"C:\dir\users"})),
            (r#"{"a": "\ud83d\ude00 \ud83d"}"#, json!({"a": "😀 \u{fffd}"})),
            ("\u{feff}{\"a\": 1}", json!({"a": 1})),
        ];
        for (text, meant) in cases {
            assert_eq!(repair(text, Ending::Whole), Some(meant), "{text}");
        }
    }

    #[test]
    fn brackets_are_closed_only_behind_a_whole_value_of_a_complete_text() {
        let text = r#"{"a": {"b": [1, "x"]"#;
        assert_eq!(repair(text, Ending::Whole), None);
        assert_eq!(repair(text, Ending::Forgotten), Some(json!({"a": {"b": [1, "x"]}})));
        for open in [r#"{"a": "x"#, r#"{"a": 1,"#, r#"{"a":"#, r#"{"a"#, "{", r#"{"a": tru"#] {
            assert_eq!(repair(open, Ending::Forgotten), None, "{open}");
        }
    }

    #[test]
    fn a_text_that_could_mean_two_things_is_left_alone() {
        for text in [
            "",
            "   ",
            "{'a': 'it's'}",
            r#"{"a": "say "hi""}"#,
            r#"{"a": 1}{"b": 2}"#,
            r#"{"a": 1]"#,
            r#"{"a" 1}"#,
            r#"{"a": 1 "b": 2}"#,
            r#"{"a": 1,, "b": 2}"#,
            "Sure! Here it is",
        ] {
            assert_eq!(repair(text, Ending::Forgotten), None, "{text}");
        }
    }

    #[test]
    fn what_is_there_of_an_incomplete_text_can_be_shown() {
        let cases = [
            ("", json!(null)),
            ("{", json!({})),
            (r#"{"pa"#, json!({})),
            (r#"{"path":"#, json!({})),
            (r#"{"path": "src/ma"#, json!({"path": "src/ma"})),
            (r#"{"path": "a\"#, json!({"path": "a"})),
            (r#"{"path": "a\u00e"#, json!({"path": "a"})),
            (r#"{"path": "a", "#, json!({"path": "a"})),
            (r#"{"list": [1, 2"#, json!({"list": [1, 2]})),
            (r#"{"list": [1, -"#, json!({"list": [1]})),
            (r#"{"on": tr"#, json!({})),
            (r#"{"a": {"b": {"c": "d"}, "e"#, json!({"a": {"b": {"c": "d"}}})),
        ];
        for (text, shown) in cases {
            assert_eq!(partial(text), shown, "{text}");
        }
    }

    proptest! {
        #[test]
        fn valid_json_is_never_changed(value in json_value()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(repair(&text, Ending::Forgotten), Some(value.clone()));
                prop_assert_eq!(rewrite(&text, End::Whole).map(|t| serde_json::from_str(&t).unwrap()), Some(value.clone()));
                prop_assert_eq!(partial(&text), value.clone());
            }
        }

        #[test]
        fn a_cut_object_is_never_taken_for_a_whole_one(value in json_value(), at in any::<prop::sample::Index>()) {
            let text = json!({"a": value, "z": 1}).to_string();
            let mut at = at.index(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            prop_assert_eq!(repair(&text[..at], Ending::Whole), None);
            partial(&text[..at]);
        }

        #[test]
        fn nothing_makes_it_panic(text in "[ -~\\n\"'{}\\[\\],:\\\\/*`é😀]{0,80}") {
            super::super::fuzz(text.as_bytes());
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9f64).prop_map(|number| Value::from(number.trunc() / 4.0)),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }
}
