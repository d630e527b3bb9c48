//! Options of the provider, from the spelling of the configuration to that of the API.

use serde_json::{Map, Value, json};

/// Options that become fields of the body under another name, with what is inside respelled too.
const FIELDS: [(&str, &str); 9] = [
    ("metadata", "metadata"),
    ("serviceTier", "service_tier"),
    ("stopSequences", "stop_sequences"),
    ("container", "container"),
    ("contextManagement", "context_management"),
    ("mcpServers", "mcp_servers"),
    ("inferenceGeo", "inference_geo"),
    ("speed", "speed"),
    ("cacheControl", "cache_control"),
];

/// How deep the names inside an option are respelled.
const DEPTH_CAP: usize = 16;

/// The options that this API has; the rest is for others and is not sent.
pub(super) struct Options<'a> {
    all: &'a Map<String, Value>,
    pub(super) effort: Option<&'a str>,
    pub(super) betas: Vec<&'a str>,
    /// Whether arguments may come before they are known to be JSON.
    pub(super) tool_streaming: bool,
    pub(super) disable_parallel: bool,
    /// Whether earlier thoughts are sent back.
    pub(super) send_thoughts: bool,
}

impl<'a> Options<'a> {
    pub(super) fn read(all: &'a Map<String, Value>) -> Self {
        let flag = |key: &str| all.get(key).and_then(Value::as_bool);
        let betas = all.get("anthropicBeta").and_then(Value::as_array);
        Self {
            all,
            effort: all.get("effort").and_then(Value::as_str),
            betas: betas.into_iter().flatten().filter_map(Value::as_str).collect(),
            tool_streaming: flag("toolStreaming").unwrap_or(true),
            disable_parallel: flag("disableParallelToolUse").unwrap_or(false),
            send_thoughts: flag("sendReasoning").unwrap_or(true),
        }
    }

    /// Whether the model is asked to think.
    pub(super) fn thinks(&self) -> bool {
        matches!(self.thinking_type(), Some("enabled" | "adaptive"))
    }

    /// The tokens that it may think, if they are counted.
    pub(super) fn budget(&self) -> Option<u64> {
        if self.thinking_type() != Some("enabled") {
            return None;
        }
        let thinking = self.all.get("thinking")?;
        thinking.get("budgetTokens").or_else(|| thinking.get("budget_tokens"))?.as_u64()
    }

    /// The `thinking` field.
    pub(super) fn thinking(&self) -> Option<Value> {
        self.thinking_type()?;
        self.all.get("thinking").map(|thinking| snake(thinking, 0))
    }

    /// Adds the other fields to a body.
    pub(super) fn insert_into(&self, body: &mut Map<String, Value>) {
        for (camel, name) in FIELDS {
            if let Some(value) = self.all.get(camel).or_else(|| self.all.get(name)) {
                body.insert(name.to_owned(), snake(value, 0));
            }
        }
        if let Some(effort) = self.effort {
            body.insert("output_config".to_owned(), json!({"effort": effort}));
        }
    }

    fn thinking_type(&self) -> Option<&'a str> {
        self.all.get("thinking")?.get("type")?.as_str()
    }
}

fn snake(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(fields) if depth < DEPTH_CAP => {
            fields.iter().map(|(key, value)| (snake_key(key), snake(value, depth + 1))).collect()
        }
        Value::Array(items) if depth < DEPTH_CAP => items.iter().map(|item| snake(item, depth + 1)).collect(),
        _ => value.clone(),
    }
}

fn snake_key(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
