//! Options of the configuration as fields of the body.

use serde_json::{Map, Value, json};

use super::dialect::{Dialect, Effort};

/// Options that steer the program or another wire and are no fields.
const OURS: [&str; 16] = [
    "strictTools",
    "strictJsonSchema",
    "structuredOutputs",
    "includeUsage",
    "apiKey",
    "baseURL",
    "headers",
    "timeout",
    "headerTimeout",
    "chunkTimeout",
    "setCacheKey",
    "reasoningSummary",
    "include",
    "instructions",
    "forceReasoning",
    "systemMessageMode",
];

/// The fields whose names differ.
const RENAMED: [(&str, &str); 15] = [
    ("textVerbosity", "verbosity"),
    ("promptCacheKey", "prompt_cache_key"),
    ("promptCacheRetention", "prompt_cache_retention"),
    ("serviceTier", "service_tier"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("safetyIdentifier", "safety_identifier"),
    ("logitBias", "logit_bias"),
    ("topLogprobs", "top_logprobs"),
    ("maxCompletionTokens", "max_completion_tokens"),
    ("frequencyPenalty", "frequency_penalty"),
    ("presencePenalty", "presence_penalty"),
    ("safePrompt", "safe_prompt"),
    ("documentImageLimit", "document_image_limit"),
    ("documentPageLimit", "document_page_limit"),
    ("reasoningFormat", "reasoning_format"),
];

/// Writes options into the body: known ones under their names, others as they are, refused ones not at all.
pub(super) fn write(
    options: &Map<String, Value>,
    dialect: &Dialect,
    body: &mut Map<String, Value>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    for (option, value) in options {
        if OURS.contains(&option.as_str()) || value.is_null() {
            continue;
        }
        if option == "reasoningEffort" {
            effort(value, dialect, body);
            continue;
        }
        let field =
            RENAMED.iter().find(|(ours, _)| ours == option).map_or(option.as_str(), |(_, field)| field);
        if dialect.refused.contains(&field) {
            warnings.push(format!("`{option}` is not sent, since this provider refuses it"));
            continue;
        }
        put(body, field, value);
    }
    warnings
}

fn effort(value: &Value, dialect: &Dialect, body: &mut Map<String, Value>) {
    match dialect.effort {
        Effort::Plain => {
            body.insert("reasoning_effort".to_owned(), value.clone());
        }
        Effort::Nested => put(body, "reasoning", &json!({"effort": value})),
    }
}

/// Sets a field; two objects become one, of which the newer wins.
fn put(body: &mut Map<String, Value>, field: &str, value: &Value) {
    if let (Some(Value::Object(before)), Value::Object(more)) = (body.get_mut(field), value) {
        before.extend(more.clone());
        return;
    }
    body.insert(field.to_owned(), value.clone());
}
