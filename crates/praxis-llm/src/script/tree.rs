//! A YAML or JSON text as a tree whose every value knows where it was written.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number};
use serde_saphyr::{Location, Spanned};

/// How deep values may be nested; the decoder takes much stack for each.
const MOST_DEPTH: usize = 64;
/// How many values there may be, counting those repeated through aliases.
const MOST_NODES: usize = 200_000;

/// Where something was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u64,
    /// Counted from 1.
    pub column: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why a script cannot be read: where, what, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ScriptError {
    /// Where.
    pub place: Place,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// A value and its place.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) place: Place,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) place: Place,
}

impl Place {
    fn new(file: &Arc<str>, line: u64, column: u64) -> Self {
        Self { file: Arc::clone(file), line: line.max(1), column: column.max(1) }
    }

    pub(super) fn error(&self, problem: impl Into<String>) -> ScriptError {
        ScriptError { place: self.clone(), problem: problem.into() }
    }
}

impl Node {
    /// The error of a value that is of the wrong kind.
    pub(super) fn wrong(&self, wanted: &str) -> ScriptError {
        self.place.error(format!("this should be {wanted} and is {}", self.kind()))
    }

    /// What kind of value it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    pub(super) fn text(&self) -> Result<String, ScriptError> {
        match &self.value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(self.wrong("a text, in quotes if it looks like something else,")),
        }
    }

    pub(super) fn boolean(&self) -> Result<bool, ScriptError> {
        match &self.value {
            Value::Bool(value) => Ok(*value),
            _ => Err(self.wrong("`true` or `false`")),
        }
    }

    /// A whole number of at most `most`.
    pub(super) fn number(&self, most: u64) -> Result<u64, ScriptError> {
        let wanted = || format!("a whole number from 0 to {most}");
        let Value::Number(number) = &self.value else { return Err(self.wrong(&wanted())) };
        match number.as_u64() {
            Some(number) if number <= most => Ok(number),
            _ => Err(self.place.error(format!("this should be {} and is {number}", wanted()))),
        }
    }

    /// The items of a list; a value that is none is a list of itself.
    pub(super) fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    pub(super) fn texts(&self) -> Result<Vec<String>, ScriptError> {
        self.items().iter().map(Self::text).collect()
    }

    pub(super) fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(value) => value.clone().into(),
            Value::Text(value) => value.as_str().into(),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| (key.name.clone(), value.json()));
                serde_json::Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}

/// Reads YAML, of which JSON is a part.
pub(super) fn parse(file: &str, text: &str) -> Result<Node, ScriptError> {
    let file: Arc<str> = file.into();
    let place = |at: Location| Place::new(&file, at.line(), at.column());
    // YAML's older words for truth, such as `on`, are plain text here.
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: MOST_DEPTH, max_nodes: MOST_NODES },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MOST_NODES },
    };
    let yaml: Spanned<Yaml> = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let at = error.location().map_or_else(|| Place::new(&file, 1, 1), place);
        at.error(format!("this is not valid YAML or JSON: {}", reason(&error.to_string())))
    })?;
    Ok(node(yaml, &place))
}

/// The parser's words without the place, which it repeats, and without what it quotes.
fn reason(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(" at line ").map_or(line, |(reason, _)| reason)
}

fn node(yaml: Spanned<Yaml>, place: &impl Fn(Location) -> Place) -> Node {
    let value = match yaml.value {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::Bool(value),
        Yaml::Number(value) => Value::Number(value),
        Yaml::Text(value) => Value::Text(value),
        Yaml::List(items) => Value::List(items.into_iter().map(|item| node(item, place)).collect()),
        Yaml::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    (Key { name: key.value, place: place(key.referenced) }, node(value, place))
                })
                .collect(),
        ),
    };
    Node { value, place: place(yaml.referenced) }
}

enum Yaml {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Spanned<Yaml>>),
    Map(Vec<(Spanned<String>, Spanned<Yaml>)>),
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyYaml)
    }
}

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
        Number::from_f64(value).map(Yaml::Number).ok_or_else(|| E::custom("a finite number is needed"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Yaml, E> {
        Ok(Yaml::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Yaml::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut all = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            all.push(entry);
        }
        Ok(Yaml::Map(all))
    }
}
