//! Keeping secrets out of what is shown.

use serde_json::Value;

/// What is shown instead of a secret.
pub(crate) const HIDDEN: &str = "[hidden]";

/// Replaces every value that looks secret.
pub(crate) fn hide(json: &mut Value) {
    let Value::Object(members) = json else { return };
    for (key, value) in members {
        // Patterns of rules may well speak of keys and tokens; what they say about them is no secret.
        if key == "permission" || key == "tools" {
            continue;
        }
        if is_secret(key) {
            blank(value);
        } else if is_map_of_secrets(key) && value.is_object() {
            value.as_object_mut().into_iter().flat_map(|map| map.values_mut()).for_each(blank);
        }
        match value {
            Value::Array(items) => items.iter_mut().for_each(hide),
            Value::Object(_) => hide(value),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["token", "secret", "password", "key", "authorization", "credential"]
        .iter()
        .any(|word| key.contains(word))
}

fn is_map_of_secrets(key: &str) -> bool {
    matches!(key, "headers" | "environment" | "env")
}

fn blank(value: &mut Value) {
    match value {
        Value::String(text) if !text.is_empty() => HIDDEN.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_looks_secret_is_hidden_and_nothing_else() {
        let mut json = json!({
            "model": "a/b",
            "provider": {"p": {"env": ["P_KEY"], "options": {"apiKey": "sk-1", "baseURL": "u", "setCacheKey": true}}},
            "mcp": {
                "l": {"environment": {"A": "1"}, "command": ["x"]},
                "r": {"headers": {"X-Thing": "2"}, "oauth": {"clientSecret": "3", "clientId": "id"}},
            },
            "lsp": {"s": {"env": {"B": "4"}}},
            "compaction": {"preserve_recent_tokens": 5},
            "agent": {"monkey": {"options": {"auth": [{"accessToken": "6"}]}, "permission": {"*key*": "deny"}}},
        });
        hide(&mut json);
        assert_eq!(
            json,
            json!({
                "model": "a/b",
                "provider": {"p": {"env": ["P_KEY"], "options": {"apiKey": "[hidden]", "baseURL": "u", "setCacheKey": true}}},
                "mcp": {
                    "l": {"environment": {"A": "[hidden]"}, "command": ["x"]},
                    "r": {"headers": {"X-Thing": "[hidden]"}, "oauth": {"clientSecret": "[hidden]", "clientId": "id"}},
                },
                "lsp": {"s": {"env": {"B": "[hidden]"}}},
                "compaction": {"preserve_recent_tokens": 5},
                "agent": {"monkey": {"options": {"auth": [{"accessToken": "[hidden]"}]}, "permission": {"*key*": "deny"}}},
            })
        );
    }
}
