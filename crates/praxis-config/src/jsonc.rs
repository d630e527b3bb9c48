//! JSON with comments and trailing commas, read into a tree of places.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde_json::Number;

use crate::node::{Node, Value};
use crate::problem::{Findings, Problem, Warning};
use crate::substitute::Substituted;
use crate::text::Text;

/// Nothing beyond comments and trailing commas: what an editor's JSONC mode underlines is an error here too.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads an object; empty text is an empty object.
pub(crate) fn parse(
    source: &Text,
    substituted: &Substituted,
    findings: &mut Findings,
) -> Result<Node, Problem> {
    let parsed = jsonc_parser::parse_to_ast(&substituted.text, &CollectOptions::default(), &STRICT)
        .map_err(|error| source.syntax(substituted.original(error.range().start), complaint(error.kind())))?;
    let mut reader = Reader { source, substituted, findings };
    match parsed.value {
        None => Ok(Node::object(source.origin(0))),
        Some(value @ ast::Value::Object(_)) => reader.node(value),
        Some(other) => {
            let found = reader.node(other)?;
            let at = substituted.original(substituted.text.len() - substituted.text.trim_start().len());
            Err(source.syntax(at, format!("expected an object in braces, found {}", found.kind())))
        }
    }
}

struct Reader<'a> {
    source: &'a Text,
    substituted: &'a Substituted,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value<'_>) -> Result<Node, Problem> {
        let range = value.range();
        let start = self.substituted.original(range.start);
        let origin = self.source.origin(start);
        let is_plain = !matches!(value, ast::Value::Array(_) | ast::Value::Object(_));
        let filled = is_plain && self.substituted.is_filled(range.start, range.end);
        let value = match value {
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
            ast::Value::StringLit(literal) => {
                self.no_control_characters(literal.range)?;
                Value::String(literal.value.into_owned())
            }
            ast::Value::NumberLit(literal) => Value::Number(
                literal
                    .value
                    .parse::<Number>()
                    .map_err(|_| self.source.syntax(start, "this is not a number JSON can write"))?,
            ),
            ast::Value::Array(array) => Value::Array(
                array.elements.into_iter().map(|item| self.node(item)).collect::<Result<_, _>>()?,
            ),
            ast::Value::Object(object) => return self.object(object, Node::object(origin)),
        };
        Ok(Node { filled, ..Node::new(value, origin) })
    }

    /// The parser lets a string run over line breaks, which JSON does not; and the substitution, which ends a
    /// string at the line's end, would then put in unescaped text.
    fn no_control_characters(&self, range: jsonc_parser::common::Range) -> Result<(), Problem> {
        let raw = &self.substituted.text[range.start..range.end];
        let Some(at) = raw.find(|c: char| c < ' ') else { return Ok(()) };
        let problem = if raw[at..].starts_with(['\n', '\r']) {
            "this string has no closing quote on its line"
        } else {
            "this string holds a control character; write it as an escape such as `\\t`"
        };
        Err(self.source.syntax(self.substituted.original(range.start), problem))
    }

    fn object(&mut self, object: ast::Object<'_>, mut node: Node) -> Result<Node, Problem> {
        let Value::Object(members) = &mut node.value else { return Ok(node) };
        for property in object.properties {
            let key = self.source.origin(self.substituted.original(property.range.start));
            self.no_control_characters(property.name.range())?;
            let name = property.name.into_string();
            let mut value = self.node(property.value)?;
            // Where the order of keys has a meaning, the place of the one that counts has to count too.
            if let Some(first) = members.shift_remove(&name) {
                let first = first.key.unwrap_or(first.origin);
                let line = first.place().map_or(1, |place| place.line);
                let message = format!("`{name}` is there twice; this one counts, not that of line {line}");
                self.findings.warnings.push(Warning::new(&key, message));
            }
            value.key = Some(key);
            members.insert(name, value);
        }
        Ok(node)
    }
}

/// The parser's complaint in our words.
fn complaint(kind: &ParseErrorKind) -> &'static str {
    match kind {
        ParseErrorKind::ExpectedColonAfterObjectKey => "expected a colon after the key",
        ParseErrorKind::ExpectedObjectValue => "expected a value after the colon",
        ParseErrorKind::ExpectedStringObjectProperty => "expected a key in double quotes",
        ParseErrorKind::ExpectedComma => "expected a comma before the next entry",
        ParseErrorKind::MultipleRootJsonValues => "expected nothing more after the object; remove the rest",
        ParseErrorKind::SingleQuotedStringsNotAllowed => "strings need double quotes",
        ParseErrorKind::HexadecimalNumbersNotAllowed => "write this number in decimal",
        ParseErrorKind::UnaryPlusNumbersNotAllowed => "write this number without the plus sign",
        ParseErrorKind::NonFiniteNumbersNotAllowed => "only finite numbers can be written here",
        ParseErrorKind::BareDecimalPointNumbersNotAllowed
        | ParseErrorKind::ExpectedDigit
        | ParseErrorKind::ExpectedDigitFollowingNegativeSign
        | ParseErrorKind::ExpectedPlusMinusOrDigitInNumberLiteral => "expected a digit in this number",
        ParseErrorKind::UnexpectedCloseBrace => {
            "this closing brace has no opening one, or a value is missing"
        }
        ParseErrorKind::UnexpectedCloseBracket => {
            "this closing bracket has no opening one, or a value is missing"
        }
        ParseErrorKind::UnexpectedColon => "expected a value, found a colon",
        ParseErrorKind::UnexpectedComma => "expected a value, found a comma",
        ParseErrorKind::UnexpectedWord => "expected a value; strings need double quotes",
        ParseErrorKind::UnexpectedTokenInObject => "expected a key in double quotes or a closing brace",
        ParseErrorKind::UnterminatedArray => "this list is never closed; add a closing bracket",
        ParseErrorKind::UnterminatedObject => "this object is never closed; add a closing brace",
        ParseErrorKind::UnterminatedCommentBlock => "this comment is never closed; add `*/`",
        ParseErrorKind::NestingDepthExceeded => "objects and lists are nested too deep here",
        ParseErrorKind::String(jsonc_parser::ParseStringErrorKind::UnterminatedStringLiteral) => {
            "this string has no closing quote on its line"
        }
        ParseErrorKind::String(_) => "this string has an escape JSON does not know",
        // Comments and trailing commas are allowed, so what is left is a character out of place.
        ParseErrorKind::CommentsNotAllowed
        | ParseErrorKind::TrailingCommasNotAllowed
        | ParseErrorKind::UnexpectedToken => "this does not belong here; strings need double quotes",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::substitute::substitute;
    use crate::surroundings::Surroundings;
    use crate::text::SourceName;

    fn read(text: &str) -> (Result<Node, Problem>, Findings) {
        let source = Text::new(SourceName::file("praxis.json"), text);
        let surroundings = Surroundings::from_env([("NAME".to_owned(), "Ada".to_owned())]);
        let mut findings = Findings::default();
        let node = substitute(&source, &surroundings, Path::new("/nowhere"))
            .and_then(|substituted| parse(&source, &substituted, &mut findings));
        (node, findings)
    }

    fn failure(text: &str) -> String {
        read(text).0.unwrap_err().to_string()
    }

    #[test]
    fn comments_trailing_commas_and_emptiness_are_fine() {
        let text = "// head\n{\"a\": [1, 2.5, null,], /* b */ \"c\": {\"d\": true,},}\n";
        assert_eq!(read(text).0.unwrap().to_json(), json!({"a": [1, 2.5, null], "c": {"d": true}}));
        assert_eq!(read("  // nothing\n").0.unwrap().to_json(), json!({}));
    }

    #[test]
    fn a_missing_comma_is_shown() {
        insta::assert_snapshot!(failure("{\n  \"a\": 1\n  \"b\": 2\n}"), @r#"
        praxis.json:2:9: expected a comma before the next entry
         2 |   "a": 1
           |         ^
        "#);
    }

    #[test]
    fn an_error_behind_a_variable_is_placed_in_the_original() {
        insta::assert_snapshot!(failure("{\"a\": \"{env:NAME}\", b: 2}"), @r#"
        praxis.json:1:21: expected a key in double quotes
         1 | {"a": "{env:NAME}", b: 2}
           |                     ^
        "#);
    }

    #[test]
    fn laxer_dialects_are_refused() {
        for text in [
            "{'a': 1}",
            "{\"a\": 0x10}",
            "{\"a\": +1}",
            "{\"a\": .5}",
            "{\"a\": NaN}",
            "{\"a\": '1'}",
            "{\"a\": 01}",
            "[1]",
            "{} {}",
            "{\"a\": \"b\n\"}",
        ] {
            assert!(read(text).0.is_err(), "{text}");
        }
        insta::assert_snapshot!(failure("\n [1]"), @r"
        praxis.json:2:2: expected an object in braces, found a list
         2 |  [1]
           |  ^
        ");
    }

    #[test]
    fn of_a_repeated_key_the_last_counts_in_its_place() {
        let (node, findings) = read("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3}");
        assert_eq!(serde_json::to_string(&node.unwrap().to_json()).unwrap(), r#"{"b":2,"a":3}"#);
        let warnings: Vec<_> = findings.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["praxis.json:4: `a` is there twice; this one counts, not that of line 2"]);
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        for open in ["[", "{\"a\":"] {
            let text = format!("{{\"a\": {}", open.repeat(100_000));
            assert!(failure(&text).contains("nested too deep"));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = Text::decode(SourceName::file("f"), bytes) {
                let _ = read(&text.text);
            }
        }

        #[test]
        fn no_tokens_break_it(text in r#"([{}\[\],:"\\/*\n é1-]|true|null|"a"|\{env:NAME\})*"#) {
            if let Ok(node) = read(&text).0 {
                prop_assert!(node.as_object().is_some());
            }
        }
    }
}
