//! The configuration as a tree whose every node knows where it was written.

use indexmap::IndexMap;
use praxis_proto::Origin;
use serde_json::Number;

/// A value and the place it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub origin: Origin,
    /// Where its key was written, for a value in an object.
    pub key: Option<Origin>,
    /// Whether it, or a piece of it, was put in from a variable or a file; then it is not shown.
    pub filled: bool,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// An object; the order of its keys is that of the text.
    Object(IndexMap<String, Node>),
}

impl Node {
    pub(crate) fn new(value: Value, origin: Origin) -> Self {
        Self { value, origin, key: None, filled: false }
    }

    pub(crate) fn object(origin: Origin) -> Self {
        Self::new(Value::Object(IndexMap::new()), origin)
    }

    pub(crate) fn string(text: impl Into<String>, origin: Origin) -> Self {
        Self::new(Value::String(text.into()), origin)
    }

    /// This node as the only member of a new object.
    pub(crate) fn under(self, key: &str) -> Self {
        let origin = self.origin.clone();
        Self::new(Value::Object(IndexMap::from([(key.to_owned(), self)])), origin)
    }

    /// The members, of an object.
    pub fn as_object(&self) -> Option<&IndexMap<String, Node>> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn as_object_mut(&mut self) -> Option<&mut IndexMap<String, Node>> {
        match &mut self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The text, of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The member of that name, of an object.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_object()?.get(key)
    }

    /// The node at a path of keys and indexes joined by dots, such as `agent.review.temperature`.
    ///
    /// A key may hold dots itself, as model names do.
    pub fn at(&self, path: &str) -> Option<&Node> {
        if path.is_empty() {
            return Some(self);
        }
        match &self.value {
            Value::Object(members) => members.iter().find_map(|(key, node)| {
                let rest = path.strip_prefix(key.as_str())?;
                if rest.is_empty() { Some(node) } else { node.at(rest.strip_prefix('.')?) }
            }),
            Value::Array(items) => {
                let (index, rest) = path.split_once('.').unwrap_or((path, ""));
                items.get(index.parse::<usize>().ok()?)?.at(rest)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    /// The tree as JSON, without its places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(value) => value.clone().into(),
            Value::String(value) => value.clone().into(),
            Value::Array(items) => items.iter().map(Self::to_json).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, node)| (key.clone(), node.to_json())).collect()
            }
        }
    }

    /// The tree as JSON for people, without its places: what was put in from variables and files is `hidden`.
    pub(crate) fn to_json_hiding(&self, hidden: &str) -> serde_json::Value {
        match &self.value {
            _ if self.filled => hidden.into(),
            Value::Array(items) => items.iter().map(|item| item.to_json_hiding(hidden)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, node)| (key.clone(), node.to_json_hiding(hidden))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => self.to_json(),
        }
    }

    /// What kind of value this is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// A tree of JSON that all comes from one place.
    pub(crate) fn from_json(json: &serde_json::Value, origin: &Origin) -> Self {
        let value = match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::Number(value) => Value::Number(value.clone()),
            serde_json::Value::String(value) => Value::String(value.clone()),
            serde_json::Value::Array(items) => {
                Value::Array(items.iter().map(|item| Self::from_json(item, origin)).collect())
            }
            serde_json::Value::Object(members) => Value::Object(
                members.iter().map(|(key, item)| (key.clone(), Self::from_json(item, origin))).collect(),
            ),
        };
        Self::new(value, origin.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_may_pass_keys_with_dots_and_lists() {
        let json = json!({"provider": {"a.b": {"models": {"m-1.5": [10, {"x": 2}]}}}});
        let node = Node::from_json(&json, &Origin::Session);
        assert_eq!(node.at("provider.a.b.models.m-1.5.1.x").unwrap().to_json(), json!(2));
        assert_eq!(node.at("provider.a.c"), None);
        assert_eq!(node.to_json(), json);
    }
}
