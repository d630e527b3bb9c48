//! The part of JSON Schema that OpenAI and Azure take for arguments.

use serde_json::{Map, Value, json};

use super::DEPTH_CAP;

/// Keywords that hold one schema.
const ONE: [&str; 1] = ["items"];
/// Keywords that hold a list of schemas.
const LIST: [&str; 3] = ["anyOf", "oneOf", "allOf"];
/// Keywords that hold named schemas.
const NAMED: [&str; 3] = ["properties", "$defs", "definitions"];

/// The parameters of a tool: an object at the top, allowed keywords only.
///
/// The server refuses alternatives at the top, so they are folded into one object that takes what any of them takes.
pub fn parameters(schema: &Value) -> Value {
    let mut top = match project(schema, DEPTH_CAP) {
        Value::Object(top) => top,
        _ => Map::new(),
    };
    for keyword in LIST {
        if let Some(Value::Array(variants)) = top.remove(keyword) {
            fold(&mut top, variants, keyword == "allOf");
        }
    }
    top.insert("type".to_owned(), json!("object"));
    top.entry("properties").or_insert_with(|| json!({}));
    Value::Object(top)
}

/// Any schema with allowed keywords only.
fn project(schema: &Value, depth: usize) -> Value {
    let fields = match schema {
        Value::Object(fields) if depth > 0 => fields,
        Value::Bool(_) => return json!({"type": "string"}),
        _ => return json!({}),
    };
    let mut kept = Map::new();
    if let Some(kind) = fields.get("type").filter(|kind| kind.is_string() || kind.is_array()) {
        kept.insert("type".to_owned(), kind.clone());
    } else if let Some(kind) = inferred(fields) {
        kept.insert("type".to_owned(), json!(kind));
    }
    for (keyword, value) in fields {
        if let Some((keyword, value)) = keep(keyword, value, depth - 1) {
            kept.insert(keyword.to_owned(), value);
        }
    }
    if is(&kept, "object") {
        kept.entry("properties").or_insert_with(|| json!({}));
    }
    if is(&kept, "array") {
        kept.entry("items").or_insert_with(|| json!({"type": "string"}));
    }
    Value::Object(kept)
}

/// One keyword, if it is allowed and well formed.
fn keep<'a>(keyword: &'a str, value: &Value, depth: usize) -> Option<(&'a str, Value)> {
    let kept = match (keyword, value) {
        ("$ref" | "description", Value::String(_)) | ("enum", Value::Array(_)) => value.clone(),
        ("const", _) => return Some(("enum", json!([value]))),
        ("required", Value::Array(names)) => names.iter().filter(|name| name.is_string()).cloned().collect(),
        ("additionalProperties", Value::Bool(_)) => value.clone(),
        ("additionalProperties", Value::Object(_)) => project(value, depth),
        // A tuple: the first place speaks for all.
        ("items", Value::Array(places)) => {
            places.first().map_or_else(|| json!({"type": "string"}), |first| project(first, depth))
        }
        (one, _) if ONE.contains(&one) => project(value, depth),
        (list, Value::Array(schemas)) if LIST.contains(&list) => {
            schemas.iter().map(|schema| project(schema, depth)).collect()
        }
        (named, Value::Object(schemas)) if NAMED.contains(&named) => Value::Object(
            schemas.iter().map(|(name, schema)| (name.clone(), project(schema, depth))).collect(),
        ),
        _ => return None,
    };
    Some((keyword, kept))
}

/// The type that a schema's keywords speak of.
fn inferred(fields: &Map<String, Value>) -> Option<&'static str> {
    let has = |keywords: &[&str]| keywords.iter().any(|keyword| fields.contains_key(*keyword));
    if has(&["$ref", "anyOf", "oneOf", "allOf"]) {
        return None;
    }
    if has(&["properties", "required", "additionalProperties", "patternProperties"]) {
        return Some("object");
    }
    if has(&["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]) {
        return Some("array");
    }
    if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        return Some("number");
    }
    if let Some(values) = fields.get("enum").and_then(Value::as_array) {
        let numbers = !values.is_empty() && values.iter().all(Value::is_number);
        return Some(if numbers { "number" } else { "string" });
    }
    match fields.get("const") {
        Some(Value::Number(_)) => Some("number"),
        Some(_) => Some("string"),
        None => has(&["format", "pattern", "minLength", "maxLength"]).then_some("string"),
    }
}

/// Puts the variants of a top-level choice into one object. Only what every variant needs stays needed, unless all apply
/// at once.
fn fold(top: &mut Map<String, Value>, variants: Vec<Value>, all: bool) {
    let objects: Vec<Map<String, Value>> = variants.into_iter().filter_map(object).collect();
    let mut needed: Option<Vec<Value>> = None;
    for mut variant in objects {
        let names = match variant.remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        needed = Some(match needed {
            None => names,
            Some(before) if all => union(before, names),
            Some(before) => before.into_iter().filter(|name| names.contains(name)).collect(),
        });
        merge(top, "properties", variant.remove("properties"));
        merge(top, "$defs", variant.remove("$defs"));
    }
    let own = match top.remove("required") {
        Some(Value::Array(names)) => names,
        _ => Vec::new(),
    };
    let required = union(own, needed.unwrap_or_default());
    if !required.is_empty() {
        top.insert("required".to_owned(), Value::Array(required));
    }
}

fn object(variant: Value) -> Option<Map<String, Value>> {
    match variant {
        Value::Object(fields) if is(&fields, "object") => Some(fields),
        _ => None,
    }
}

/// Adds named schemas to a keyword; a name that is there already keeps its schema.
fn merge(top: &mut Map<String, Value>, keyword: &str, more: Option<Value>) {
    let Some(Value::Object(more)) = more else { return };
    let Value::Object(there) = top.entry(keyword).or_insert_with(|| json!({})) else { return };
    for (name, schema) in more {
        there.entry(name).or_insert(schema);
    }
}

fn union(mut names: Vec<Value>, more: Vec<Value>) -> Vec<Value> {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a schema's type is, or has among others, this one.
fn is(fields: &Map<String, Value>, kind: &str) -> bool {
    match fields.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_the_server_takes_stays() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Input",
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where.", "minLength": 1, "pattern": "^/"},
                "kind": {"const": "file"},
                "limit": {"minimum": 1, "default": 5},
                "level": {"enum": [1, 2]},
                "tags": {"type": "array"},
                "pair": {"type": "array", "items": [{"type": "number"}, {"type": "string"}]},
                "any": true,
                "extra": {"additionalProperties": {"format": "uri"}},
                "link": {"$ref": "#/$defs/link"},
                "what": {"default": 1},
            },
            "required": ["path", 3],
            "additionalProperties": false,
            "$defs": {"link": {"type": ["string", "null"], "format": "uri"}},
        });
        assert_eq!(
            parameters(&schema),
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where."},
                    "kind": {"type": "string", "enum": ["file"]},
                    "limit": {"type": "number"},
                    "level": {"type": "number", "enum": [1, 2]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "pair": {"type": "array", "items": {"type": "number"}},
                    "any": {"type": "string"},
                    "extra": {"type": "object", "additionalProperties": {"type": "string"}, "properties": {}},
                    "link": {"$ref": "#/$defs/link"},
                    "what": {},
                },
                "required": ["path"],
                "additionalProperties": false,
                "$defs": {"link": {"type": ["string", "null"]}},
            })
        );
    }

    #[test]
    fn a_choice_at_the_top_becomes_one_object() {
        let schema = json!({"anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
            {"type": "null"},
            {"type": "object", "properties": {"a": {"type": "number"}, "c": {"type": "string"}}, "required": ["a"]},
        ]});
        assert_eq!(
            parameters(&schema),
            json!({
                "properties": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "string"}},
                "required": ["a"],
                "type": "object",
            })
        );
    }

    #[test]
    fn what_is_no_schema_takes_no_arguments() {
        for odd in [json!(null), json!(true), json!("x"), json!([1]), json!({})] {
            assert_eq!(parameters(&odd), json!({"type": "object", "properties": {}}), "{odd}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let wrap = |inner, _| Value::Object(Map::from_iter([("items".to_owned(), inner)]));
        let deep = (0..10_000).fold(json!({"type": "string"}), wrap);
        let flat = parameters(&deep).to_string();
        assert_eq!(flat.matches("items").count(), DEPTH_CAP);
        // Dropping ten thousand levels would overflow the stack as well.
        std::mem::forget(deep);
    }

    /// Schemas, and things that only look like them.
    pub(crate) fn schemas() -> impl Strategy<Value = Value> {
        let word = prop::sample::select(vec![
            "type",
            "properties",
            "items",
            "enum",
            "const",
            "required",
            "anyOf",
            "allOf",
            "$ref",
            "$defs",
            "format",
            "additionalProperties",
            "prefixItems",
            "x",
        ]);
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            prop::sample::select(vec!["object", "array", "string", "x"]).prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 60, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((word.clone(), inner), 0..6).prop_map(|fields| {
                    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
                }),
            ]
        })
    }

    fn allowed(schema: &Value) -> bool {
        let Value::Object(fields) = schema else { return false };
        fields.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
            ("$ref" | "description", Value::String(_)) | ("enum" | "required", Value::Array(_)) => true,
            ("type", Value::String(_) | Value::Array(_)) | ("additionalProperties", Value::Bool(_)) => true,
            ("items" | "additionalProperties", schema) => allowed(schema),
            ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => schemas.iter().all(allowed),
            ("properties" | "$defs" | "definitions", Value::Object(schemas)) => schemas.values().all(allowed),
            _ => false,
        })
    }

    proptest! {
        #[test]
        fn any_value_becomes_an_object_with_allowed_keywords_only(schema in schemas()) {
            let out = parameters(&schema);
            prop_assert!(allowed(&out), "{out}");
            prop_assert_eq!(&out["type"], "object");
            prop_assert!(out["properties"].is_object());
        }
    }
}
