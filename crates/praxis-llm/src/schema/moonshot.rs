//! The part of JSON Schema that Moonshot's servers take for arguments.

use serde_json::{Map, Value, json};

use super::DEPTH_CAP;

/// How many places of a tuple are looked at.
const PLACES_CAP: usize = 32;

/// The parameters of a tool: a reference stands alone, and a list has one schema for all its places.
pub fn parameters(schema: &Value) -> Value {
    project(schema, DEPTH_CAP)
}

fn project(schema: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if depth == 0 {
        return json!({});
    }
    if let Some(reference @ Value::String(_)) = fields.get("$ref") {
        return json!({"$ref": reference});
    }
    let mut kept = Map::new();
    for (keyword, value) in fields {
        let value = match (keyword.as_str(), value) {
            ("unevaluatedItems", _) => continue,
            // The places of a tuple say more than what may follow them.
            ("items", _) if fields.get("prefixItems").is_some_and(Value::is_array) => continue,
            ("prefixItems" | "items", Value::Array(places)) => {
                kept.insert("items".to_owned(), one_of(places, depth - 1));
                continue;
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames",
                schema,
            ) => project(schema, depth - 1),
            ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => {
                schemas.iter().map(|schema| project(schema, depth - 1)).collect()
            }
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => Value::Object(
                named.iter().map(|(name, schema)| (name.clone(), project(schema, depth - 1))).collect(),
            ),
            (_, other) => other.clone(),
        };
        kept.insert(keyword.clone(), value);
    }
    Value::Object(kept)
}

/// One schema that takes what any place of a tuple takes.
fn one_of(places: &[Value], depth: usize) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for place in places.iter().take(PLACES_CAP).map(|place| project(place, depth)) {
        if !distinct.contains(&place) {
            distinct.push(place);
        }
    }
    match distinct.len() {
        0 => json!({}),
        1 => distinct.remove(0),
        _ => json!({"anyOf": distinct}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stand_alone_and_tuples_become_lists() {
        let schema = json!({
            "type": "object",
            "properties": {
                "$ref": {"type": "string"},
                "link": {"$ref": "#/$defs/link", "description": "Where to."},
                "pair": {"type": "array", "items": [{"type": "number"}, {"type": "string"}, {"type": "number"}]},
                "same": {"prefixItems": [{"type": "number"}, {"type": "number"}], "items": false, "unevaluatedItems": false},
                "none": {"type": "array", "items": []},
            },
            "$defs": {"link": {"type": "string"}},
        });
        assert_eq!(
            parameters(&schema),
            json!({
                "type": "object",
                "properties": {
                    "$ref": {"type": "string"},
                    "link": {"$ref": "#/$defs/link"},
                    "pair": {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}},
                    "same": {"items": {"type": "number"}},
                    "none": {"type": "array", "items": {}},
                },
                "$defs": {"link": {"type": "string"}},
            })
        );
    }
}
