//! The tools that may be called.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::ToolSpec;
use crate::json::{Ending, repair};

/// What some templates put in front of a tool's name.
const SPACES: [&str; 3] = ["functions.", "function.", "tools."];

#[derive(Debug)]
pub(super) struct Tools(HashMap<String, Arc<Value>>);

impl Tools {
    pub(super) fn new(tools: &[ToolSpec]) -> Self {
        Self(tools.iter().map(|tool| (tool.name.clone(), Arc::clone(&tool.parameters))).collect())
    }

    /// The tool of this name.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        let name = name.trim();
        let plain = SPACES.iter().find_map(|space| name.strip_prefix(space));
        let (known, _) = self.0.get_key_value(name).or_else(|| self.0.get_key_value(plain?))?;
        Some(known)
    }

    /// Whether more characters can make it the name of a tool.
    pub(super) fn may_become(&self, start: &str) -> bool {
        let plain = SPACES.iter().find_map(|space| start.strip_prefix(space)).unwrap_or(start);
        SPACES.iter().any(|space| space.starts_with(start))
            || self.0.keys().any(|name| name.starts_with(plain))
    }

    /// Whether these can be arguments of a tool: at least one is known, and they are not its schema.
    pub(super) fn fits(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        let Some(known) = self.properties(tool) else { return !is_schema(arguments) };
        if is_schema(arguments) && !known.contains_key("properties") {
            return false;
        }
        arguments.is_empty() || known.is_empty() || arguments.keys().any(|name| known.contains_key(name))
    }

    /// An argument that was written as plain text, as the type that the schema says.
    pub(super) fn argument(&self, tool: &str, name: &str, text: &str) -> Value {
        let schema = self.properties(tool).and_then(|properties| properties.get(name));
        let types: Vec<&str> = match schema.and_then(|schema| schema.get("type")) {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let as_text = || Value::String(text.to_owned());
        if types.contains(&"string") {
            return as_text();
        }
        repair(text.trim(), Ending::Whole)
            .filter(|value| !value.is_string() || types.is_empty())
            .unwrap_or_else(as_text)
    }

    fn properties(&self, tool: &str) -> Option<&Map<String, Value>> {
        self.0.get(tool)?.get("properties")?.as_object()
    }
}

fn is_schema(arguments: &Map<String, Value>) -> bool {
    arguments.get("type").is_some_and(|kind| kind == "object") && arguments.contains_key("properties")
}
