//! Markdown files with YAML fields on top.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::Spanned;

use crate::node::{Node, Value};
use crate::problem::Warning;
use crate::text::{SourceName, Text};

/// How deep fields may be nested; a file of brackets must not use up the stack, of which the decoder takes much.
const MOST_DEPTH: usize = 16;
/// How many values there may be, counting those repeated through aliases.
const MOST_NODES: usize = 10_000;

/// A markdown file taken apart.
#[derive(Debug)]
pub(crate) struct Document {
    /// The fields on top, an object.
    pub(crate) fields: Node,
    /// The rest, trimmed.
    pub(crate) body: Node,
}

/// Takes a markdown file apart; without a first line of three dashes all of it is body.
pub(crate) fn parse(source: &Text) -> Result<Document, Warning> {
    let name = &source.name;
    let Some(split) = Split::of(&source.text) else {
        return Ok(Document { fields: Node::object(name.origin(1, 1)), body: body(name, &source.text, 1) });
    };
    let Some(rest) = split.rest else {
        let message = "the front matter has no closing `---` line; the file is skipped";
        return Err(Warning::new(&name.origin(1, 1), message));
    };
    let front = split.front.replace("\r\n", "\n");
    let straight = Lines { name, numbers: (0..=front.lines().count() as u32).map(|n| n + 2).collect() };
    let fields = match decode(&front, &straight) {
        Ok(fields) => fields,
        Err(warning) => {
            let (mended, lines) = block_scalars(&front, name);
            decode(&mended, &lines).map_err(|_| warning)?
        }
    };
    let first = source.text[..source.text.len() - rest.len()].matches('\n').count() as u32 + 1;
    Ok(Document { fields, body: body(name, rest, first) })
}

fn body(name: &SourceName, text: &str, first: u32) -> Node {
    let leading = &text[..text.len() - text.trim_start().len()];
    let line = first + leading.matches('\n').count() as u32;
    Node::string(text.trim(), name.origin(line, 1))
}

struct Split<'a> {
    front: &'a str,
    /// What follows the closing line; none without one.
    rest: Option<&'a str>,
}

impl<'a> Split<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let (first, after) = text.split_once('\n')?;
        if first.trim_end() != "---" {
            return None;
        }
        let mut at = 0;
        for line in after.split_inclusive('\n') {
            if line.trim_end() == "---" {
                return Some(Self { front: &after[..at], rest: Some(&after[at + line.len()..]) });
            }
            at += line.len();
        }
        Some(Self { front: after, rest: None })
    }
}

/// Lines of the front matter, as line numbers of the file.
struct Lines<'a> {
    name: &'a SourceName,
    numbers: Vec<u32>,
}

impl Lines<'_> {
    fn origin(&self, location: serde_saphyr::Location) -> praxis_proto::Origin {
        let index = (location.line() as usize).saturating_sub(1);
        let line = self.numbers.get(index).or(self.numbers.last()).copied().unwrap_or(1);
        self.name.origin(line, location.column().max(1) as u32)
    }

    fn node(&self, yaml: Spanned<Yaml>) -> Node {
        let origin = self.origin(yaml.referenced);
        let value = match yaml.value {
            Yaml::Null => Value::Null,
            Yaml::Bool(value) => Value::Bool(value),
            Yaml::Number(value) => Value::Number(value),
            Yaml::String(value) => Value::String(value),
            Yaml::Array(items) => Value::Array(items.into_iter().map(|item| self.node(item)).collect()),
            Yaml::Object(entries) => Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| {
                        let place = self.origin(key.referenced);
                        (key.value, Node { key: Some(place), ..self.node(value) })
                    })
                    .collect(),
            ),
        };
        Node::new(value, origin)
    }
}

fn decode(front: &str, lines: &Lines<'_>) -> Result<Node, Warning> {
    // YAML's older words for truth, such as `on`, are plain text for the files we read.
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: MOST_DEPTH, max_nodes: MOST_NODES },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MOST_NODES },
    };
    let yaml: Spanned<Yaml> = serde_saphyr::from_str_with_options(front, options).map_err(|error| {
        let origin = error.location().map_or_else(|| lines.name.origin(1, 1), |place| lines.origin(place));
        Warning::new(&origin, "the front matter is not valid YAML; the file is skipped")
    })?;
    let node = lines.node(yaml);
    match node.value {
        Value::Object(_) => Ok(node),
        Value::Null => Ok(Node::object(lines.name.origin(1, 1))),
        _ => {
            let message = "the front matter is not a list of `key: value` lines; the file is skipped";
            Err(Warning::new(&node.origin, message))
        }
    }
}

/// Rewrites `key: text with: a colon` so that the text is taken as it stands.
///
/// YAML sees a nested key there; people who write a description never mean one.
fn block_scalars<'a>(front: &str, name: &'a SourceName) -> (String, Lines<'a>) {
    let mut mended = String::with_capacity(front.len() + 64);
    let mut numbers = Vec::new();
    for (number, line) in (2..).zip(front.lines()) {
        numbers.push(number);
        match colon_value(line) {
            Some((key, value)) => {
                mended.push_str(&format!("{key}: |-\n  {value}\n"));
                numbers.push(number);
            }
            None => {
                mended.push_str(line);
                mended.push('\n');
            }
        }
    }
    (mended, Lines { name, numbers })
}

/// The key and the unquoted value with a colon, of a line that has both and is not indented.
fn colon_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let (key, value) = (key.trim_end(), value.trim());
    let mut letters = key.chars();
    let is_key = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    // Lists and maps in brackets mean what they say, even beside a line that has to be mended.
    let is_plain = value.contains(':') && !value.starts_with(['"', '\'', '|', '>', '{', '[']);
    (is_key && is_plain).then_some((key, value))
}

/// Any YAML value.
enum Yaml {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Spanned<Yaml>>),
    Object(Vec<(Spanned<String>, Spanned<Yaml>)>),
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyYaml;

        impl<'de> Visitor<'de> for AnyYaml {
            type Value = Yaml;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E: Error>(self) -> Result<Yaml, E> {
                Ok(Yaml::Null)
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Yaml, E> {
                Ok(Yaml::Bool(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Yaml, E> {
                Ok(Yaml::Number(value.into()))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Yaml, E> {
                Ok(Yaml::Number(value.into()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Yaml, E> {
                Number::from_f64(value)
                    .map(Yaml::Number)
                    .ok_or_else(|| E::custom("a finite number is needed"))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Yaml, E> {
                Ok(Yaml::String(value.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
                let mut all = Vec::new();
                while let Some(item) = items.next_element()? {
                    all.push(item);
                }
                Ok(Yaml::Array(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    all.push(entry);
                }
                Ok(Yaml::Object(all))
            }
        }

        deserializer.deserialize_any(AnyYaml)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Document, Warning> {
        parse(&Text::new(SourceName::file("a.md"), text))
    }

    #[test]
    fn fields_and_body_are_taken_apart_with_their_lines() {
        let document =
            read("---\nmodel: a/b\npermission:\n  bash:\n    \"git *\": allow\n---\n\nHello\n").unwrap();
        assert_eq!(
            document.fields.to_json(),
            json!({"model": "a/b", "permission": {"bash": {"git *": "allow"}}})
        );
        assert_eq!(document.fields.at("permission.bash.git *").unwrap().origin.to_string(), "a.md:5");
        assert_eq!(document.fields.get("permission").unwrap().key.as_ref().unwrap().to_string(), "a.md:3");
        assert_eq!(
            (document.body.as_str(), document.body.origin.to_string()),
            (Some("Hello"), "a.md:8".into())
        );
    }

    #[test]
    fn windows_line_ends_work() {
        let document = read("---\r\ndescription: Review\r\nhidden: true\r\n---\r\nDo it.\r\n").unwrap();
        assert_eq!(document.fields.to_json(), json!({"description": "Review", "hidden": true}));
        assert_eq!(document.body.as_str(), Some("Do it."));
    }

    #[test]
    fn unquoted_values_with_colons_are_taken_whole() {
        let document =
            read("---\ndescription: Use when: it rains\ntools: {bash: false}\nsteps: 3\n---\nx").unwrap();
        assert_eq!(
            document.fields.to_json(),
            json!({"description": "Use when: it rains", "tools": {"bash": false}, "steps": 3})
        );
        assert_eq!(document.fields.get("steps").unwrap().origin.to_string(), "a.md:4");
    }

    #[test]
    fn without_front_matter_all_is_body() {
        for text in ["Just text", "--- not a line\nx", "", "-----\na"] {
            let document = read(text).unwrap();
            assert_eq!((document.fields.to_json(), document.body.as_str()), (json!({}), Some(text.trim())));
        }
        assert_eq!(read("---\n---\nx").unwrap().fields.to_json(), json!({}));
    }

    #[test]
    fn what_is_not_yaml_is_a_warning_with_its_line() {
        let warning = read("---\nmodel: a\nbad: [1, 2\n---\nx").unwrap_err();
        assert!(warning.to_string().starts_with("a.md:"), "{warning}");
        assert!(read("---\nmodel: a\n").unwrap_err().to_string().contains("no closing"));
        assert!(read("---\n- a\n---\n").unwrap_err().to_string().contains("key: value"));
    }

    #[test]
    fn deep_nesting_and_repeated_aliases_are_a_warning_and_not_a_crash() {
        let deep = format!("a: {}", "[".repeat(100_000));
        let maps = format!("a: {}", "{b: ".repeat(100_000));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        for front in [deep, maps, bomb] {
            assert!(read(&format!("---\n{front}\n---\nx")).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "(---\n|[a-z\"'{}\\[\\]:&*!|> \r\n#-])*") {
            let _ = read(&format!("---\n{text}\n---\nbody"));
        }
    }
}
