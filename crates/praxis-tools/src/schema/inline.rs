//! Definitions put where they are used. Models follow references badly.

use serde_json::{Map, Value};

/// A schema larger than this once inlined keeps its references; a few nested doublings could fill the memory.
const MOST_NODES: usize = 20_000;
const DEEPEST: usize = 64;
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Replaces references by what they name; those that lead in a circle stay, with their definitions.
pub(crate) fn inline(schema: Value) -> Value {
    let Some(definitions) = collect(&schema) else { return schema };
    let mut work = Inliner { definitions: &definitions, open: Vec::new(), nodes: 0, kept: false };
    let mut out = work.visit(&schema, 0);
    if work.nodes > MOST_NODES {
        return schema;
    }
    if !work.kept
        && let Value::Object(root) = &mut out
    {
        DEFINITIONS.iter().for_each(|key| {
            root.remove(*key);
        });
    }
    out
}

fn collect(schema: &Value) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    for key in DEFINITIONS {
        if let Some(Value::Object(definitions)) = schema.get(key) {
            let named = definitions.iter().map(|(name, schema)| (format!("#/{key}/{name}"), schema.clone()));
            found.extend(named);
        }
    }
    (!found.is_empty()).then_some(found)
}

struct Inliner<'a> {
    definitions: &'a Map<String, Value>,
    open: Vec<String>,
    nodes: usize,
    kept: bool,
}

impl Inliner<'_> {
    fn visit(&mut self, value: &Value, depth: usize) -> Value {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Value::Null;
        }
        match value {
            Value::Array(items) => items.iter().map(|item| self.visit(item, depth)).collect(),
            Value::Object(map) => self.object(map, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    fn object(&mut self, map: &Map<String, Value>, depth: usize) -> Value {
        let target =
            map.get("$ref").and_then(Value::as_str).filter(|name| self.definitions.contains_key(*name));
        let Some(name) = target else {
            // A property may well be called `$defs`; at the top the definitions themselves are not schemas to send.
            return map.iter().map(|(key, value)| (key.clone(), self.visit(value, depth))).collect();
        };
        if self.open.iter().any(|open| open == name) || depth >= DEEPEST {
            self.kept = true;
            return Value::Object(map.clone());
        }
        self.open.push(name.to_owned());
        let mut out = self.visit(&self.definitions[name].clone(), depth + 1);
        self.open.pop();
        // Keywords beside a reference hold too.
        if let Value::Object(out) = &mut out {
            out.extend(map.iter().filter(|(key, _)| *key != "$ref").map(|(k, v)| (k.clone(), v.clone())));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_replaced_and_definitions_go() {
        let schema = json!({
            "properties": { "a": { "$ref": "#/$defs/A", "description": "first" } },
            "$defs": { "A": { "type": "array", "items": { "$ref": "#/$defs/B" } }, "B": { "type": "string" } },
        });
        assert_eq!(
            inline(schema),
            json!({ "properties": { "a": { "type": "array", "items": { "type": "string" }, "description": "first" } } })
        );
    }

    #[test]
    fn circles_stay() {
        let schema = json!({
            "properties": { "tree": { "$ref": "#/$defs/Tree" } },
            "$defs": { "Tree": { "properties": { "child": { "$ref": "#/$defs/Tree" } } } },
        });
        let out = inline(schema);
        assert!(out["$defs"]["Tree"].is_object());
        assert_eq!(out["properties"]["tree"]["properties"]["child"], json!({ "$ref": "#/$defs/Tree" }));
    }

    #[test]
    fn doublings_do_not_fill_the_memory() {
        let mut definitions = Map::new();
        for n in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/D{}", n + 1) });
            definitions.insert(format!("D{n}"), json!({ "properties": { "a": next, "b": next } }));
        }
        definitions.insert("D40".into(), json!({ "type": "string" }));
        let schema = json!({ "properties": { "x": { "$ref": "#/$defs/D0" } }, "$defs": definitions });
        assert_eq!(inline(schema.clone()), schema);
    }
}
