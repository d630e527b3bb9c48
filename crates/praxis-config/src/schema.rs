//! The published JSON Schema, made from the types.

use serde_json::Value as Json;

use crate::config::Config;

impl Config {
    /// The JSON Schema (draft 2020-12) of a configuration file.
    pub fn schema() -> Json {
        let mut schema = schemars::schema_for!(Config).to_value();
        forbid_null(&mut schema);
        schema
    }
}

/// The types say "may be absent"; in a file that never means "may be null".
fn forbid_null(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            if let Some(Json::Array(types)) = fields.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    fields.insert("type".into(), only);
                }
            }
            if let Some(Json::Array(forms)) = fields.get_mut("anyOf") {
                forms.retain(|form| form.get("type").is_none_or(|name| name != "null"));
                if let [Json::Object(only)] = forms.as_slice() {
                    let only = only.clone();
                    fields.shift_remove("anyOf");
                    for (key, value) in only {
                        fields.entry(key).or_insert(value);
                    }
                }
            }
            if fields.get("default").is_some_and(Json::is_null) {
                fields.shift_remove("default");
            }
            fields.values_mut().for_each(forbid_null);
        }
        Json::Array(items) => items.iter_mut().for_each(forbid_null),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_what_it_is() {
        let schema = Config::schema();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["properties"]["subagent_depth"]["type"], "integer");
        assert!(!schema.to_string().contains("\"null\""));
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property.get("description").is_some(), "{name} has no description");
        }
    }
}
