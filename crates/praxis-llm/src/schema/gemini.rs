//! JSON Schema as Gemini takes it: a small part of OpenAPI.

use serde_json::{Map, Value, json};

/// How deep a schema may be, references followed; what is deeper becomes a text.
const DEPTH_CAP: usize = 32;

/// How many schemas the result may have: references that branch would double it at each step.
const NODE_CAP: usize = 10_000;

/// The formats that are taken; others are refused with the whole request.
const FORMATS: [&str; 6] = ["date-time", "enum", "float", "double", "int32", "int64"];

/// The schema as Gemini takes it, or none if it is an object without properties, which must be left out.
///
/// References into the schema itself are put in place; one that leads back into itself becomes an object.
pub fn parameters(schema: &Value) -> Option<Value> {
    let mut transform = Transform { root: schema, followed: Vec::new(), left: NODE_CAP };
    let converted = transform.node(schema, 0);
    let is_object = converted.get("type").is_some_and(|kind| kind == "object");
    let is_empty = converted.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    if is_object && is_empty { None } else { Some(Value::Object(converted)) }
}

struct Transform<'a> {
    root: &'a Value,
    /// References on the way from the root to here.
    followed: Vec<&'a str>,
    left: usize,
}

type Node = Map<String, Value>;

impl<'a> Transform<'a> {
    fn node(&mut self, schema: &'a Value, depth: usize) -> Node {
        if depth >= DEPTH_CAP || self.left == 0 {
            return single("string");
        }
        self.left -= 1;
        let Value::Object(fields) = schema else { return single("string") };
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            return self.reference(reference, fields, depth);
        }
        self.fields(fields, depth)
    }

    fn reference(&mut self, reference: &'a str, beside: &'a Node, depth: usize) -> Node {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let mut node = match target {
            Some(target) if !self.followed.contains(&reference) => {
                self.followed.push(reference);
                let node = self.node(target, depth + 1);
                self.followed.pop();
                node
            }
            Some(_) | None => single("object"),
        };
        if let Some(description) = beside.get("description") {
            node.insert("description".to_owned(), description.clone());
        }
        node
    }

    fn fields(&mut self, fields: &'a Node, depth: usize) -> Node {
        let mut node = Node::new();
        copy(fields, "description", Value::is_string, &mut node);
        self.kind(fields, &mut node);
        copy(
            fields,
            "format",
            |format| format.as_str().is_some_and(|name| FORMATS.contains(&name)),
            &mut node,
        );
        copy(fields, "minLength", Value::is_u64, &mut node);
        copy(fields, "nullable", Value::is_boolean, &mut node);
        choices(fields, &mut node);
        self.members(fields, depth, &mut node);
        self.alternatives(fields, depth, &mut node);
        match node.get("type").and_then(Value::as_str) {
            Some("object") => self.properties(fields, depth, &mut node),
            Some("array") => self.items(fields, depth, &mut node),
            Some(_) => {}
            // Anything goes, which Gemini cannot be told.
            None if !has_alternatives(&node) => {
                node.insert("type".to_owned(), json!("string"));
            }
            None => {}
        }
        node
    }

    /// One type, or `anyOf` for several; null makes it nullable. A missing type is found by what is said about it.
    fn kind(&mut self, fields: &'a Node, node: &mut Node) {
        let names: Vec<&str> = match fields.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if fields.contains_key("properties") => vec!["object"],
            _ if ["items", "prefixItems"].iter().any(|key| fields.contains_key(*key)) => vec!["array"],
            _ => vec![],
        };
        let others: Vec<&str> = names.iter().copied().filter(|name| *name != "null").collect();
        if others.len() < names.len() {
            node.insert("nullable".to_owned(), Value::Bool(true));
        }
        match others.as_slice() {
            [] if names.is_empty() => {}
            [] => {
                node.insert("type".to_owned(), json!("string"));
            }
            [name] => {
                node.insert("type".to_owned(), json!(name));
            }
            several => {
                let kinds = several.iter().map(|name| match *name {
                    "array" => json!({"type": "array", "items": {"type": "string"}}),
                    name => json!({"type": name}),
                });
                node.insert("anyOf".to_owned(), kinds.collect());
            }
        }
    }

    fn properties(&mut self, fields: &'a Node, depth: usize, node: &mut Node) {
        let Some(Value::Object(properties)) = fields.get("properties") else { return };
        // `false` is a property that must not be there.
        let allowed = properties.iter().filter(|(_, schema)| **schema != Value::Bool(false));
        let converted: Node = allowed
            .map(|(name, schema)| (name.clone(), Value::Object(self.node(schema, depth + 1))))
            .collect();
        let required = fields.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<Value> = required
            .filter(|name| name.as_str().is_some_and(|name| converted.contains_key(name)))
            .cloned()
            .collect();
        node.insert("properties".to_owned(), Value::Object(converted));
        if !required.is_empty() {
            node.insert("required".to_owned(), Value::Array(required));
        }
    }

    /// Arrays must say what is in them. Of a tuple, every place may hold what any place may.
    fn items(&mut self, fields: &'a Node, depth: usize, node: &mut Node) {
        let items =
            match fields.get("items").filter(|items| !items.is_boolean()).or(fields.get("prefixItems")) {
                Some(Value::Array(places)) => match places.as_slice() {
                    [] => single("string"),
                    [place] => self.node(place, depth + 1),
                    places => self.any_of(places, depth),
                },
                Some(items) => self.node(items, depth + 1),
                None => single("string"),
            };
        node.insert("items".to_owned(), Value::Object(items));
    }

    fn any_of(&mut self, schemas: &'a [Value], depth: usize) -> Node {
        let converted = schemas.iter().map(|schema| Value::Object(self.node(schema, depth + 1)));
        Node::from_iter([("anyOf".to_owned(), converted.collect())])
    }

    /// `allOf`: one that stands alone is put in place, several stay.
    fn members(&mut self, fields: &'a Node, depth: usize, node: &mut Node) {
        let Some(Value::Array(schemas)) = fields.get("allOf") else { return };
        if let [only] = schemas.as_slice() {
            for (key, value) in self.node(only, depth + 1) {
                node.entry(key).or_insert(value);
            }
            return;
        }
        let converted = schemas.iter().map(|schema| Value::Object(self.node(schema, depth + 1)));
        node.insert("allOf".to_owned(), converted.collect());
    }

    /// `anyOf` and `oneOf`, which Gemini does not tell apart. Null makes the rest nullable.
    fn alternatives(&mut self, fields: &'a Node, depth: usize, node: &mut Node) {
        let lists = ["anyOf", "oneOf"].iter().find_map(|key| fields.get(*key)?.as_array());
        let Some(schemas) = lists else { return };
        let others: Vec<&'a Value> = schemas.iter().filter(|schema| !is_null(schema)).collect();
        if others.len() < schemas.len() {
            node.insert("nullable".to_owned(), Value::Bool(true));
        }
        if let [only] = others.as_slice() {
            for (key, value) in self.node(only, depth + 1) {
                node.entry(key).or_insert(value);
            }
            return;
        }
        let converted: Vec<Value> =
            others.into_iter().map(|schema| Value::Object(self.node(schema, depth + 1))).collect();
        if !converted.is_empty() {
            node.insert("anyOf".to_owned(), Value::Array(converted));
        }
    }
}

/// `enum` and `const`, whose values must be texts here.
fn choices(fields: &Node, node: &mut Node) {
    let values: Vec<&Value> = match (fields.get("enum"), fields.get("const")) {
        (Some(Value::Array(values)), _) => values.iter().collect(),
        (_, Some(value)) => vec![value],
        (_, None) => return,
    };
    let texts: Vec<Value> = values
        .iter()
        .filter(|value| !value.is_null())
        .map(|value| value.as_str().map_or_else(|| json!(value.to_string()), |text| json!(text)))
        .collect();
    if texts.len() < values.len() {
        node.insert("nullable".to_owned(), Value::Bool(true));
    }
    if texts.is_empty() {
        return;
    }
    node.remove("anyOf");
    node.insert("type".to_owned(), json!("string"));
    node.insert("enum".to_owned(), Value::Array(texts));
}

fn copy(fields: &Node, key: &str, fits: impl Fn(&Value) -> bool, node: &mut Node) {
    if let Some(value) = fields.get(key).filter(|value| fits(value)) {
        node.insert(key.to_owned(), value.clone());
    }
}

fn single(kind: &str) -> Node {
    Node::from_iter([("type".to_owned(), json!(kind))])
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null") || schema.get("const").is_some_and(Value::is_null)
}

fn has_alternatives(node: &Node) -> bool {
    ["anyOf", "allOf"].iter().any(|key| node.contains_key(*key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_gemini_takes_stays_and_the_rest_goes() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "title": "Input",
            "additionalProperties": false,
            "properties": {
                "path": {"type": "string", "description": "A file.", "minLength": 1, "pattern": "^/"},
                "limit": {"type": ["integer", "null"], "format": "uint32", "minimum": 0},
                "size": {"type": "integer", "enum": [1, 2, null]},
                "mode": {"const": "fast"},
                "either": {"type": ["string", "number"]},
                "list": {"type": "array"},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
                "text": {"type": "string", "properties": {"x": {}}, "required": ["x"]},
                "any": true,
                "never": false,
                "maybe": {"anyOf": [{"$ref": "#/$defs/Edit"}, {"type": "null"}], "description": "An edit."}
            },
            "required": ["path", "gone", "never"],
            "$defs": {
                "Edit": {
                    "type": "object",
                    "properties": {"next": {"$ref": "#/$defs/Edit"}, "at": {"type": "string", "format": "date-time"}}
                }
            }
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "path": {"description": "A file.", "type": "string", "minLength": 1},
                "limit": {"nullable": true, "type": "integer"},
                "size": {"type": "string", "nullable": true, "enum": ["1", "2"]},
                "mode": {"type": "string", "enum": ["fast"]},
                "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                "list": {"type": "array", "items": {"type": "string"}},
                "pair": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
                "text": {"type": "string"},
                "any": {"type": "string"},
                "maybe": {
                    "description": "An edit.",
                    "nullable": true,
                    "type": "object",
                    "properties": {"next": {"type": "object"}, "at": {"type": "string", "format": "date-time"}}
                }
            },
            "required": ["path"]
        });
        assert_eq!(parameters(&schema), Some(expected));
    }

    #[test]
    fn an_object_without_properties_is_left_out() {
        for schema in
            [json!({"type": "object"}), json!({"type": "object", "properties": {}, "required": ["a"]})]
        {
            assert_eq!(parameters(&schema), None);
        }
    }

    #[test]
    fn schemas_that_would_not_end_are_cut() {
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"type": "array", "items": deep});
        }
        assert!(parameters(&deep).is_some());

        let mut defs = Map::new();
        for n in 0..30 {
            let next = format!("#/$defs/d{}", n + 1);
            defs.insert(
                format!("d{n}"),
                json!({"type": "object", "properties": {"a": {"$ref": next}, "b": {"$ref": next}}}),
            );
        }
        let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs});
        let text = parameters(&schema).unwrap().to_string();
        assert!(text.len() < 100 * NODE_CAP, "{}", text.len());
    }

    proptest! {
        #[test]
        fn nothing_but_the_allowed_words_comes_out(schema in any_schema()) {
            if let Some(converted) = parameters(&schema) {
                check(&converted);
            }
        }
    }

    fn check(schema: &Value) {
        const WORDS: [&str; 12] = [
            "description",
            "required",
            "format",
            "type",
            "nullable",
            "enum",
            "properties",
            "items",
            "allOf",
            "anyOf",
            "oneOf",
            "minLength",
        ];
        let fields = schema.as_object().unwrap();
        for (key, value) in fields {
            assert!(WORDS.contains(&key.as_str()), "{key} in {schema}");
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => properties.values().for_each(check),
                ("items", value) => check(value),
                ("allOf" | "anyOf", Value::Array(schemas)) => schemas.iter().for_each(check),
                _ => {}
            }
        }
        assert!(fields.get("type").is_none_or(Value::is_string), "{schema}");
        assert!(
            fields.get("type").is_none_or(|kind| kind != "array") || fields.contains_key("items"),
            "{schema}"
        );
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let kind = prop_oneof![
            Just(json!("object")),
            Just(json!("array")),
            Just(json!("string")),
            Just(json!(["integer", "null"])),
            Just(json!(["array", "object"])),
            Just(json!(7)),
            Just(json!("null")),
        ];
        let leaf = prop_oneof![
            Just(json!(true)),
            Just(json!({})),
            Just(json!({"$ref": "#"})),
            Just(json!({"enum": [1, "a", null]})),
            Just(json!({"const": null})),
            kind.clone().prop_map(|kind| json!({"type": kind, "format": "uri"})),
        ];
        leaf.prop_recursive(4, 40, 3, move |inner| {
            (
                kind.clone(),
                prop::sample::select(vec!["properties", "items", "anyOf", "oneOf", "allOf", "prefixItems"]),
                prop::collection::vec(inner, 0..3),
            )
                .prop_map(|(kind, word, inner)| match word {
                    "properties" => {
                        let fields: Map<String, Value> = inner
                            .into_iter()
                            .enumerate()
                            .map(|(n, schema)| (format!("p{n}"), schema))
                            .collect();
                        json!({"type": kind, word: fields, "required": ["p0", "p9", 3]})
                    }
                    "items" => json!({"type": kind, word: inner.into_iter().next()}),
                    word => json!({"type": kind, word: inner}),
                })
        })
    }
}
