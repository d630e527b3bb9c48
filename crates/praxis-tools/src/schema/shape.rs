//! A schema compiled once, so that a call costs no more than a walk over its arguments.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use super::fault::Trail;
use super::fit::Fitting;
use super::{Fault, describe_faults};

/// Schemas nest; hostile ones nest without end.
const DEEPEST: usize = 64;
/// Keywords whose values are no schemas.
const VALUES: [&str; 4] = ["enum", "const", "default", "examples"];

/// A compiled argument schema. Keywords it does not know are left to whoever runs the tool.
#[derive(Debug, Clone)]
pub struct Shape {
    pub(super) root: Node,
    pub(super) definitions: HashMap<String, Node>,
}

impl Shape {
    /// Compiles a schema.
    pub fn compile(schema: &Value) -> Self {
        let mut definitions = HashMap::new();
        for name in references(schema) {
            if let Some(target) = referenced(schema, name) {
                definitions.entry(name.to_owned()).or_insert_with(|| Node::compile(target, 0));
            }
        }
        Self { root: Node::compile(schema, 0), definitions }
    }

    /// What makes a schema check less than it says: kinds that there are none of, and references to nothing here.
    pub fn flaw(schema: &Value) -> Option<String> {
        if let Some(name) = references(schema).into_iter().find(|name| referenced(schema, name).is_none()) {
            return Some(format!("`$ref` names `{name}`, which is not in the schema; put it below `$defs`"));
        }
        let unknown = |map: &&Map<String, Value>| !named_kinds(map).all(|name| Kind::parse(name).is_some());
        let map = schemas(schema).into_iter().find(unknown)?;
        let name = named_kinds(map).find(|name| Kind::parse(name).is_none())?;
        Some(format!(
            "there is no type `{name}`; there are null, boolean, integer, number, string, array and object"
        ))
    }

    /// Checks arguments and puts right what is unambiguous: `null` for an optional field goes, and numbers, booleans,
    /// arrays and objects written as strings become what they say, where a string itself would not fit.
    pub fn fit(&self, arguments: &mut Value) -> Result<(), Vec<Fault>> {
        let mut fitting = Fitting::new(self);
        fitting.node(&self.root, arguments, &Trail::ROOT);
        if fitting.faults.is_empty() { Ok(()) } else { Err(fitting.faults) }
    }

    /// [`Shape::fit`], with the faults in one line.
    pub(crate) fn fit_or_tell(&self, arguments: &mut Value) -> Result<(), String> {
        self.fit(arguments).map_err(|faults| describe_faults(&faults))
    }
}

/// The kinds of JSON values, in the words of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    pub(super) fn phrase(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }

    pub(super) fn takes(self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// What may stand beside the named properties.
#[derive(Debug, Clone, Default)]
pub(super) enum Extra {
    #[default]
    Keep,
    Drop,
    Check(Box<Node>),
}

/// Limits on numbers, lengths and counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Range {
    pub(super) minimum: Option<f64>,
    pub(super) maximum: Option<f64>,
    pub(super) above: Option<f64>,
    pub(super) below: Option<f64>,
    pub(super) shortest: Option<usize>,
    pub(super) longest: Option<usize>,
    pub(super) fewest: Option<usize>,
    pub(super) most: Option<usize>,
}

/// One schema.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) kinds: Vec<Kind>,
    pub(super) properties: Vec<(String, Node)>,
    pub(super) required: Vec<String>,
    pub(super) extra: Extra,
    pub(super) items: Option<Box<Node>>,
    pub(super) values: Option<Vec<Value>>,
    pub(super) any_of: Vec<Node>,
    pub(super) all_of: Vec<Node>,
    pub(super) range: Range,
    pub(super) pattern: Option<Regex>,
    pub(super) reference: Option<String>,
}

impl Node {
    fn compile(schema: &Value, depth: usize) -> Self {
        let Value::Object(map) = schema else { return Self::default() };
        if depth >= DEEPEST {
            return Self::default();
        }
        let child = |schema: &Value| Self::compile(schema, depth + 1);
        let children = |key: &str| -> Vec<Self> {
            map.get(key)
                .and_then(Value::as_array)
                .map(|list| list.iter().map(child).collect())
                .unwrap_or_default()
        };
        // Exactly one of several forms and at least one of them differ only for schemas that contradict themselves.
        let any_of = children("anyOf").into_iter().chain(children("oneOf")).collect();
        let properties = map.get("properties").and_then(Value::as_object);
        Self {
            kinds: kinds(map),
            properties: properties
                .map(|named| named.iter().map(|(name, schema)| (name.clone(), child(schema))).collect())
                .unwrap_or_default(),
            required: strings(map, "required"),
            extra: match map.get("additionalProperties") {
                Some(Value::Bool(false)) => Extra::Drop,
                Some(schema @ Value::Object(_)) => Extra::Check(Box::new(child(schema))),
                _ => Extra::Keep,
            },
            items: map.get("items").filter(|items| items.is_object()).map(|items| Box::new(child(items))),
            values: match (map.get("enum"), map.get("const")) {
                (Some(Value::Array(values)), _) => Some(values.clone()),
                (_, Some(only)) => Some(vec![only.clone()]),
                _ => None,
            },
            any_of,
            all_of: children("allOf"),
            range: range(map),
            // A pattern in another dialect of regular expressions is not ours to judge.
            pattern: map.get("pattern").and_then(Value::as_str).and_then(|text| Regex::new(text).ok()),
            reference: map.get("$ref").and_then(Value::as_str).map(str::to_owned),
        }
    }

    pub(super) fn takes_null(&self) -> bool {
        self.kinds.contains(&Kind::Null)
            || (self.kinds.is_empty() && self.any_of.is_empty() && self.values.is_none())
            || self.any_of.iter().any(Self::takes_null)
            || self.values.as_ref().is_some_and(|values| values.contains(&Value::Null))
    }
}

fn kinds(map: &Map<String, Value>) -> Vec<Kind> {
    named_kinds(map).filter_map(Kind::parse).collect()
}

fn named_kinds(map: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = match map.get("type") {
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    names.iter().filter_map(Value::as_str)
}

/// All objects of a schema but those that are mere values.
fn schemas(schema: &Value) -> Vec<&Map<String, Value>> {
    let (mut found, mut open) = (Vec::new(), vec![schema]);
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                found.push(map);
                let inner = map.iter().filter(|(key, _)| !VALUES.contains(&key.as_str()));
                open.extend(inner.map(|(_, value)| value));
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

fn references(schema: &Value) -> Vec<&str> {
    schemas(schema).into_iter().filter_map(|map| map.get("$ref").and_then(Value::as_str)).collect()
}

/// What a reference names: the whole schema, or a place in it.
fn referenced<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.pointer(name.strip_prefix('#')?)
}

fn strings(map: &Map<String, Value>, key: &str) -> Vec<String> {
    map.get(key)
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}

fn range(map: &Map<String, Value>) -> Range {
    let number = |key: &str| map.get(key).and_then(Value::as_f64);
    let count =
        |key: &str| map.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    Range {
        minimum: number("minimum"),
        maximum: number("maximum"),
        above: number("exclusiveMinimum"),
        below: number("exclusiveMaximum"),
        shortest: count("minLength"),
        longest: count("maxLength"),
        fewest: count("minItems"),
        most: count("maxItems"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_checks_less_than_it_says_is_found_out() {
        let sound = json!({
            "properties": { "type": { "type": ["string", "null"] }, "$ref": { "$ref": "#/$defs/a~1b" }, "all": { "$ref": "#" } },
            "$defs": { "a/b": { "enum": [{ "type": "none", "$ref": "#/nowhere" }] } },
        });
        assert_eq!(Shape::flaw(&sound), None);
        for (schema, told) in [
            (json!({ "items": { "type": "strnig" } }), "there is no type `strnig`"),
            (json!({ "anyOf": [{ "type": ["null", "int"] }] }), "there is no type `int`"),
            (json!({ "properties": { "a": { "$ref": "#/$defs/A" } } }), "`$ref` names `#/$defs/A`"),
            (json!({ "$ref": "https://example.org/a.json" }), "`$ref` names `https://example.org/a.json`"),
        ] {
            let flaw = Shape::flaw(&schema).unwrap();
            assert!(flaw.starts_with(told), "{flaw}");
        }
    }
}
