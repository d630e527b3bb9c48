//! The shape of `permission` in the schema; its meaning is read by the crate's `permission` module.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

/// A `permission` value as written; the rules it stands for are beside the configuration, with their places.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct PermissionValue(pub Value);

impl JsonSchema for PermissionValue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Permission".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let action = json_schema!({ "type": "string", "enum": ["allow", "ask", "deny"] });
        let rules = json_schema!({
            "anyOf": [action, { "type": "object", "additionalProperties": action }],
        });
        let mut properties = serde_json::Map::new();
        for name in crate::permission::WITH_PATTERNS {
            properties.insert(name.to_owned(), rules.clone().into());
        }
        for name in crate::permission::PLAIN {
            properties.insert(name.to_owned(), action.clone().into());
        }
        json_schema!({
            "description": "One action, or actions by permission and pattern; the last match wins.",
            "anyOf": [action, { "type": "object", "properties": properties, "additionalProperties": rules }],
        })
    }
}
