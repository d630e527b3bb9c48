//! From a request to a body.

use serde_json::{Map, Value, json};

use super::input::{self, Writer};
use crate::schema::{openai, strict};
use crate::wire::chat::lower::{is_on, shape_name};
use crate::wire::{Lowered, Written};
use crate::{Request, Target, ToolChoice, ToolSpec};

/// The field that brings thoughts in a form that can be sent back.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// Options that are fields of their own: as the configuration spells them, and as the server does.
const FIELDS: [(&str, &str); 15] = [
    ("promptCacheKey", "prompt_cache_key"),
    ("promptCacheRetention", "prompt_cache_retention"),
    ("serviceTier", "service_tier"),
    ("parallelToolCalls", "parallel_tool_calls"),
    ("safetyIdentifier", "safety_identifier"),
    ("previousResponseId", "previous_response_id"),
    ("maxToolCalls", "max_tool_calls"),
    ("topLogprobs", "top_logprobs"),
    ("contextManagement", "context_management"),
    ("instructions", "instructions"),
    ("conversation", "conversation"),
    ("truncation", "truncation"),
    ("background", "background"),
    ("metadata", "metadata"),
    ("user", "user"),
];

/// Options that are read elsewhere or steer the program.
const OURS: [&str; 19] = [
    "store",
    "include",
    "reasoning",
    "reasoningEffort",
    "reasoningSummary",
    "text",
    "textVerbosity",
    "strictTools",
    "strictJsonSchema",
    "includeUsage",
    "apiKey",
    "baseURL",
    "headers",
    "timeout",
    "headerTimeout",
    "chunkTimeout",
    "setCacheKey",
    "forceReasoning",
    "systemMessageMode",
];

/// Writes a request around what was said.
pub(super) fn lower(request: &Request, said: &Writer) -> Lowered {
    let Writer { target, stored, list, .. } = said;
    let mut warnings = Vec::new();
    let mut body = Map::new();
    let mut put = |field: &str, value: Value| body.insert(field.to_owned(), value);
    let system = request.system.iter().filter(|block| !block.0.is_empty());
    let system: Vec<Value> = system.map(|block| input::system(&block.0, target)).collect();
    let at = system.len();

    put("model", json!(target.wire_model));
    put("input", system.into_iter().chain(list.open.iter().cloned()).collect());
    tools(request, &mut put, &mut warnings);
    sampling(request, target, &mut put, &mut warnings);
    if let Some(reasoning) = reasoning(request) {
        put("reasoning", reasoning);
    }
    if let Some(text) = text(request, &mut warnings) {
        put("text", text);
    }
    if let Some(include) = include(request, target, *stored) {
        put("include", include);
    }
    put("store", json!(stored));
    put("stream", json!(true));
    warnings.extend(options(request, &mut body));
    Lowered {
        path: "/responses".to_owned(),
        headers: Vec::new(),
        body: Value::Object(body),
        written: Written { field: "input", at, pieces: list.sealed() },
        warnings,
    }
}

fn tools(request: &Request, put: &mut impl FnMut(&str, Value) -> Option<Value>, warnings: &mut Vec<String>) {
    if request.tools.is_empty() {
        return;
    }
    let promised = is_on(request, "strictTools");
    put("tools", request.tools.iter().map(|spec| tool(spec, promised, warnings)).collect());
    let choice = match &request.tool_choice {
        ToolChoice::Auto => return,
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"type": "function", "name": name}),
    };
    put("tool_choice", choice);
}

fn tool(spec: &ToolSpec, promised: bool, warnings: &mut Vec<String>) -> Value {
    let strict = promised.then(|| strict::parameters(&spec.parameters)).flatten();
    if promised && strict.is_none() {
        warnings
            .push(format!("`{}` is sent without `strict`, which cannot express its arguments", spec.name));
    }
    let kept = strict.is_some();
    let parameters = strict.unwrap_or_else(|| openai::parameters(&spec.parameters));
    json!({
        "type": "function",
        "name": spec.name,
        "description": &*spec.description,
        "parameters": parameters,
        "strict": kept,
    })
}

fn sampling(
    request: &Request,
    target: &Target,
    put: &mut impl FnMut(&str, Value) -> Option<Value>,
    warnings: &mut Vec<String>,
) {
    let sampling = &request.sampling;
    let fixed = input::is_developed(target) && request.options.get("reasoningEffort") != Some(&json!("none"));
    for (field, value) in [("temperature", sampling.temperature), ("top_p", sampling.top_p)] {
        match value {
            Some(_) if fixed => {
                warnings.push(format!("`{field}` is not sent, since models that think refuse it"));
            }
            Some(value) => {
                put(field, json!(value));
            }
            None => {}
        }
    }
    if sampling.top_k.is_some() {
        warnings.push("`top_k` is not sent, since this wire format has no such field".to_owned());
    }
    if let Some(most) = sampling.max_output_tokens {
        put("max_output_tokens", json!(most));
    }
}

/// An object option with single options put into it.
fn object(request: &Request, whole: &str, pieces: [(&str, &str); 2]) -> Map<String, Value> {
    let mut fields = request.options.get(whole).and_then(Value::as_object).cloned().unwrap_or_default();
    for (option, field) in pieces {
        if let Some(value) = request.options.get(option).filter(|value| !value.is_null()) {
            fields.insert(field.to_owned(), value.clone());
        }
    }
    fields
}

fn reasoning(request: &Request) -> Option<Value> {
    let pieces = [("reasoningEffort", "effort"), ("reasoningSummary", "summary")];
    let fields = object(request, "reasoning", pieces);
    (!fields.is_empty()).then_some(Value::Object(fields))
}

fn text(request: &Request, warnings: &mut Vec<String>) -> Option<Value> {
    let mut fields = object(request, "text", [("textVerbosity", "verbosity"), ("textFormat", "format")]);
    if let Some(shape) = &request.output_schema {
        let promised = is_on(request, "strictJsonSchema");
        let strict = promised.then(|| strict::parameters(&shape.schema)).flatten();
        if promised && strict.is_none() {
            warnings.push("the answer's shape is sent without `strict`, which cannot express it".to_owned());
        }
        let kept = strict.is_some();
        let schema = strict.unwrap_or_else(|| (*shape.schema).clone());
        let format =
            json!({"type": "json_schema", "name": shape_name(&shape.name), "schema": schema, "strict": kept});
        fields.insert("format".to_owned(), format);
    }
    (!fields.is_empty()).then_some(Value::Object(fields))
}

/// Without state on the server, thoughts must come in a form that can be sent back.
fn include(request: &Request, target: &Target, stored: bool) -> Option<Value> {
    let mut include = match request.options.get("include") {
        Some(Value::Array(include)) => include.clone(),
        _ => Vec::new(),
    };
    let encrypted = json!(ENCRYPTED);
    if target.reasoning && !stored && !include.contains(&encrypted) {
        include.push(encrypted);
    }
    (!include.is_empty()).then_some(Value::Array(include))
}

fn options(request: &Request, body: &mut Map<String, Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (option, value) in &request.options {
        if OURS.contains(&option.as_str()) || option == "textFormat" || value.is_null() {
            continue;
        }
        match FIELDS.iter().find(|(ours, field)| ours == option || field == option) {
            Some((_, field)) => {
                body.insert((*field).to_owned(), value.clone());
            }
            None => {
                warnings.push(format!("`{option}` is not sent, since this wire format has no such field"))
            }
        }
    }
    warnings
}
