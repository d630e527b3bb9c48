//! The schema as it goes over the wire: derived from types, or taken from outside, and brought to one plain form.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::inline::inline;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// The largest integer every JSON reader keeps exactly.
const SAFE_INTEGER: i64 = 9_007_199_254_740_991;

/// The description and the wire schema of an input type.
pub fn derive<T: JsonSchema>() -> (String, Value) {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    reflow(&mut schema);
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(root) = schema.as_object_mut() {
        root.remove("title");
        root.remove("description");
    }
    (text, normalise(schema))
}

/// Doc comments are wrapped for people who read code; a model is better off with whole sentences.
fn reflow(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = unwrap_lines(text);
            }
            map.values_mut().for_each(reflow);
        }
        Value::Array(items) => items.iter_mut().for_each(reflow),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn unwrap_lines(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let joins = !line.is_empty() && !line.starts_with(['-', '*', '#', '|', '`', ' ']);
        let gap = match out.chars().next_back() {
            None | Some('\n') => "",
            Some(_) if joins => " ",
            Some(_) => "\n",
        };
        out.extend([gap, line]);
        if line.is_empty() {
            out.push('\n');
        }
    }
    out.trim().to_owned()
}

/// Brings any object schema to the form of `tools.md` 1.10.
pub fn normalise(schema: Value) -> Value {
    let mut schema = inline(schema);
    tidy(&mut schema);
    let Value::Object(root) = schema else {
        return serde_json::json!({ "$schema": DIALECT, "type": "object", "properties": {} });
    };
    let mut out = Map::new();
    out.insert("$schema".into(), DIALECT.into());
    out.insert("type".into(), "object".into());
    out.insert("properties".into(), root.get("properties").cloned().unwrap_or_else(|| Map::new().into()));
    out.extend(
        root.into_iter().filter(|(key, _)| !matches!(key.as_str(), "$schema" | "type" | "properties")),
    );
    Value::Object(out)
}

/// Walks every schema below `schema`, children first.
fn tidy(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for key in ["properties", "$defs", "definitions", "patternProperties"] {
        if let Some(Value::Object(children)) = map.get_mut(key) {
            children.values_mut().for_each(tidy);
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(children)) = map.get_mut(key) {
            children.iter_mut().for_each(tidy);
        }
    }
    for key in ["items", "additionalProperties", "not"] {
        match map.get_mut(key) {
            Some(Value::Array(children)) => children.iter_mut().for_each(tidy),
            Some(child) => tidy(child),
            None => {}
        }
    }

    map.retain(|key, value| match key.as_str() {
        "additionalProperties" => *value != Value::Bool(true),
        "required" => value.as_array().is_none_or(|names| !names.is_empty()),
        _ => true,
    });
    drop_null_from_optional(map);
    collapse_number(map);
    collapse_single(map, "anyOf");
    collapse_single(map, "oneOf");
    flatten_all_of(map);
    bound_integer(map);
}

/// A model leaves out what it does not know; offering it `null` as well only invites `"null"`.
fn drop_null_from_optional(map: &mut Map<String, Value>) {
    let required: Vec<String> = map
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let Some(Value::Object(properties)) = map.get_mut("properties") else { return };
    for (name, property) in properties {
        if !required.contains(name) {
            drop_null(property);
        }
    }
}

fn drop_null(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if map.get("default") == Some(&Value::Null) {
        map.remove("default");
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(forms)) = map.get_mut(key) {
            forms.retain(|form| form.get("type").and_then(Value::as_str) != Some("null"));
        }
        collapse_single(map, key);
    }
    bound_integer(map);
}

/// `anyOf: [number, "NaN" | "Infinity" | …]` is how some generators spell a plain number.
fn collapse_number(map: &mut Map<String, Value>) {
    let Some(Value::Array(forms)) = map.get_mut("anyOf") else { return };
    let numeric =
        |form: &Value| matches!(form.get("type").and_then(Value::as_str), Some("number" | "integer"));
    let not_finite = |form: &Value| {
        form.get("enum").and_then(Value::as_array).is_some_and(|values| {
            values.iter().all(|value| matches!(value.as_str(), Some("NaN" | "Infinity" | "-Infinity")))
        })
    };
    if forms.iter().any(numeric) {
        forms.retain(|form| !not_finite(form));
    }
}

fn collapse_single(map: &mut Map<String, Value>, key: &str) {
    let single =
        matches!(map.get(key), Some(Value::Array(forms)) if forms.len() == 1 && forms[0].is_object());
    if !single {
        return;
    }
    if let Some(Value::Array(forms)) = map.remove(key)
        && let Some(Value::Object(only)) = forms.into_iter().next()
    {
        for (key, value) in only {
            map.entry(key).or_insert(value);
        }
    }
}

/// Two patterns must both hold, so a keyword that repeats keeps the `allOf`.
fn flatten_all_of(map: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = map.get("allOf") else { return };
    let mut seen: Vec<&String> = map.keys().filter(|key| *key != "allOf").collect();
    for part in parts {
        let Value::Object(part) = part else { return };
        if part.keys().any(|key| seen.contains(&key)) {
            return;
        }
        seen.extend(part.keys());
    }
    if let Some(Value::Array(parts)) = map.remove("allOf") {
        parts.into_iter().for_each(|part| {
            if let Value::Object(part) = part {
                map.extend(part);
            }
        });
    }
}

/// Rust's integer formats mean nothing to a model; the range that JSON keeps does.
fn bound_integer(map: &mut Map<String, Value>) {
    let kind = map.get("type").and_then(Value::as_str);
    if matches!(kind, Some("integer" | "number")) && map.contains_key("format") {
        map.remove("format");
    }
    if map.get("type").and_then(Value::as_str) != Some("integer") || map.contains_key("enum") {
        return;
    }
    let wide = |value: &Value| value.as_f64().is_some_and(|v| v.abs() > SAFE_INTEGER as f64);
    if map.get("minimum").is_none_or(wide) {
        map.insert("minimum".into(), (-SAFE_INTEGER).into());
    }
    if map.get("maximum").is_none_or(wide) {
        map.insert("maximum".into(), SAFE_INTEGER.into());
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// Does a thing.
    ///
    /// At length.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the schema is looked at")]
    struct Everything {
        /// A name.
        name: String,
        count: i64,
        small: Option<u8>,
        #[serde(default = "five")]
        limit: u64,
        #[schemars(extend("exclusiveMinimum" = 0))]
        positive: Option<i64>,
        ratio: Option<f64>,
        kind: Option<Kind>,
        items: Vec<Item>,
    }

    fn five() -> u64 {
        5
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Fast,
        Deep,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only the schema is looked at")]
    struct Item {
        flag: bool,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    #[test]
    fn a_type_becomes_a_plain_schema() {
        let (text, schema) = derive::<Everything>();
        assert_eq!(text, "Does a thing.\n\nAt length.");
        assert_eq!(
            schema,
            json!({
                "$schema": DIALECT,
                "type": "object",
                "properties": {
                    "name": { "description": "A name.", "type": "string" },
                    "count": { "type": "integer", "minimum": -SAFE_INTEGER, "maximum": SAFE_INTEGER },
                    "small": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "limit": { "type": "integer", "minimum": 0, "maximum": SAFE_INTEGER, "default": 5 },
                    "positive": {
                        "type": "integer", "exclusiveMinimum": 0, "minimum": -SAFE_INTEGER, "maximum": SAFE_INTEGER,
                    },
                    "ratio": { "type": "number" },
                    "kind": { "type": "string", "enum": ["fast", "deep"] },
                    "items": {
                        "type": "array",
                        "items": { "type": "object", "properties": { "flag": { "type": "boolean" } }, "required": ["flag"] },
                    },
                },
                "required": ["name", "count", "items"],
            })
        );
    }

    #[test]
    fn sentences_are_whole_and_lists_stay_lists() {
        let text = "One\nsentence.\n\nSecond\nparagraph:\n\n- first\n  point\n- second\npoint";
        assert_eq!(
            unwrap_lines(text),
            "One sentence.\n\nSecond paragraph:\n\n- first\n  point\n- second point"
        );
    }

    #[test]
    fn no_arguments_have_properties_and_no_required() {
        assert_eq!(derive::<Nothing>().1, json!({ "$schema": DIALECT, "type": "object", "properties": {} }));
    }

    fn property(schema: Value, required: bool) -> Value {
        let required = if required { json!(["x"]) } else { json!([]) };
        let whole = json!({ "type": "object", "properties": { "x": schema }, "required": required });
        normalise(whole)["properties"]["x"].clone()
    }

    #[test]
    fn optional_properties_lose_null_and_required_ones_keep_it() {
        let nullable = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
        assert_eq!(property(nullable.clone(), false), json!({ "type": "string" }));
        assert_eq!(property(nullable.clone(), true), nullable);
    }

    #[test]
    fn numbers_with_names_for_infinity_are_plain_numbers() {
        let spelled =
            json!({ "anyOf": [{ "type": "number" }, { "type": "string", "enum": ["NaN", "Infinity"] }] });
        assert_eq!(property(spelled, true), json!({ "type": "number" }));
    }

    #[test]
    fn all_of_is_flattened_unless_a_keyword_repeats() {
        let plain = json!({ "type": "string", "allOf": [{ "minLength": 1 }, { "maxLength": 3 }] });
        assert_eq!(property(plain, true), json!({ "type": "string", "minLength": 1, "maxLength": 3 }));
        let twice = json!({ "type": "string", "allOf": [{ "pattern": "a" }, { "pattern": "b" }] });
        assert_eq!(property(twice.clone(), true), twice);
    }

    #[test]
    fn open_objects_do_not_say_so() {
        assert_eq!(
            property(json!({ "type": "object", "additionalProperties": true }), true),
            json!({ "type": "object" })
        );
    }

    #[test]
    fn a_schema_that_is_none_becomes_one_without_arguments() {
        for nonsense in [json!(null), json!(true), json!([1]), json!("x"), json!({})] {
            assert_eq!(
                normalise(nonsense),
                json!({ "$schema": DIALECT, "type": "object", "properties": {} })
            );
        }
    }
}
