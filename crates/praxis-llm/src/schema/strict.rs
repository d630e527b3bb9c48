//! OpenAI's strict mode, in which the server promises arguments that fit the schema.

use serde_json::{Map, Value, json};

use super::{DEPTH_CAP, openai};

/// The parameters of a tool in strict form: every property required, optional ones nullable, nothing beyond them.
///
/// `None` if strict mode cannot express the schema: an object with free keys, or `oneOf` and `allOf`. Such a tool is better
/// sent without a promise than with another meaning.
pub fn parameters(schema: &Value) -> Option<Value> {
    strict(openai::parameters(schema), DEPTH_CAP)
}

fn strict(schema: Value, depth: usize) -> Option<Value> {
    let Value::Object(mut fields) = schema else { return None };
    if depth == 0 || fields.contains_key("oneOf") || fields.contains_key("allOf") {
        return None;
    }
    // A schema without a word about itself is refused in strict mode.
    if fields.is_empty() {
        return None;
    }
    for keyword in ["$defs", "definitions"] {
        if let Some(Value::Object(named)) = fields.remove(keyword) {
            fields.insert(keyword.to_owned(), Value::Object(each(named, depth)?));
        }
    }
    if let Some(Value::Array(variants)) = fields.remove("anyOf") {
        let variants: Option<Value> =
            variants.into_iter().map(|variant| strict(variant, depth - 1)).collect();
        fields.insert("anyOf".to_owned(), variants?);
    }
    if let Some(items) = fields.remove("items") {
        fields.insert("items".to_owned(), strict(items, depth - 1)?);
    }
    if fields.contains_key("properties") {
        close(&mut fields, depth)?;
    }
    Some(Value::Object(fields))
}

fn each(named: Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
    named.into_iter().map(|(name, schema)| Some((name, strict(schema, depth - 1)?))).collect()
}

/// Makes an object's properties all there is, and all of them required.
fn close(fields: &mut Map<String, Value>, depth: usize) -> Option<()> {
    let open = match fields.get("additionalProperties") {
        None | Some(Value::Bool(false)) => false,
        Some(_) => true,
    };
    let Some(Value::Object(properties)) = fields.remove("properties") else { return None };
    // The top of a tool without arguments is the one object that may be empty.
    if open || (properties.is_empty() && depth < DEPTH_CAP) {
        return None;
    }
    let required = fields.remove("required");
    let needed = |name: &str| {
        required.as_ref().and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    };
    let mut closed = Map::new();
    for (name, schema) in properties {
        let schema = strict(schema, depth - 1)?;
        let schema = if needed(&name) { schema } else { nullable(schema) };
        closed.insert(name, schema);
    }
    fields.insert("required".to_owned(), closed.keys().cloned().collect());
    fields.insert("properties".to_owned(), Value::Object(closed));
    fields.insert("additionalProperties".to_owned(), json!(false));
    Some(())
}

/// The same schema, or null.
fn nullable(mut schema: Value) -> Value {
    let nothing = json!("null");
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        variants.push(json!({"type": "null"}));
        return schema;
    }
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) => {
            if !kinds.contains(&nothing) {
                kinds.push(nothing);
            }
        }
        Some(kind) => *kind = json!([kind.clone(), nothing]),
        None => return json!({"anyOf": [schema, {"type": "null"}]}),
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_properties_become_nullable() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "range": {"type": "object", "properties": {"from": {"type": "number"}}},
                "link": {"$ref": "#/$defs/link"},
            },
            "required": ["path"],
            "$defs": {"link": {"type": "string"}},
        });
        assert_eq!(
            parameters(&schema),
            Some(json!({
                "type": "object",
                "$defs": {"link": {"type": "string"}},
                "required": ["path", "mode", "range", "link"],
                "properties": {
                    "path": {"type": "string"},
                    "mode": {"type": ["string", "null"], "enum": ["a", "b", null]},
                    "range": {
                        "type": ["object", "null"],
                        "required": ["from"],
                        "properties": {"from": {"type": ["number", "null"]}},
                        "additionalProperties": false,
                    },
                    "link": {"anyOf": [{"$ref": "#/$defs/link"}, {"type": "null"}]},
                },
                "additionalProperties": false,
            }))
        );
    }

    #[test]
    fn a_tool_without_arguments_stays_one() {
        let expected =
            json!({"type": "object", "required": [], "properties": {}, "additionalProperties": false});
        assert_eq!(parameters(&json!({})), Some(expected));
    }

    #[test]
    fn what_strict_mode_cannot_say_is_not_said() {
        for property in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}),
            json!({"oneOf": [{"type": "string"}]}),
            json!({}),
        ] {
            let schema = json!({"type": "object", "properties": {"x": property}});
            assert_eq!(parameters(&schema), None, "{schema}");
        }
    }
}
