//! From a request to a body.

use serde_json::{Map, Value, json};

use super::dialect::{Dialect, Schema};
use super::messages::{self, Writer};
use super::{marks, options};
use crate::schema::{gemini, moonshot, openai, strict};
use crate::wire::{Lowered, Written};
use crate::{OutputSchema, Request, ToolChoice, ToolSpec};

/// The longest name of an answer's shape.
const NAME_CAP: usize = 64;

/// Writes a request around what was said, in the dialect of its target.
pub(super) fn lower(request: &Request, said: &Writer) -> Lowered {
    let Writer { target, dialect, list, .. } = said;
    let mut warnings = Vec::new();
    let mut body = Map::new();
    let mut put = |field: &str, value: Value| body.insert(field.to_owned(), value);

    put("model", json!(target.wire_model));
    let mut system = messages::system(request, dialect);
    let mut open = list.open.clone();
    marks::place(request, dialect, system.as_mut(), &mut open);
    let at = usize::from(system.is_some());
    put("messages", system.into_iter().chain(open).collect());
    tools(request, dialect, &mut put, &mut warnings);
    sampling(request, dialect, &mut put, &mut warnings);
    if let Some(shape) = &request.output_schema {
        put("response_format", response_format(shape, request, dialect, &mut warnings));
    }
    put("stream", json!(true));
    let usage = request.options.get("includeUsage") != Some(&json!(false));
    if usage && !dialect.refused.contains(&"stream_options") {
        put("stream_options", json!({"include_usage": true}));
    }
    warnings.extend(options::write(&request.options, dialect, &mut body));
    Lowered {
        path: "/chat/completions".to_owned(),
        headers: Vec::new(),
        body: Value::Object(body),
        written: Written { field: "messages", at, pieces: list.sealed() },
        warnings,
    }
}

fn tools(
    request: &Request,
    dialect: &Dialect,
    put: &mut impl FnMut(&str, Value) -> Option<Value>,
    warnings: &mut Vec<String>,
) {
    if request.tools.is_empty() {
        return;
    }
    let promised = is_on(request, "strictTools");
    put("tools", request.tools.iter().map(|spec| tool(spec, dialect, promised, warnings)).collect());
    match &request.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::None => {
            put("tool_choice", json!("none"));
        }
        ToolChoice::Required => {
            put("tool_choice", json!(dialect.required));
        }
        ToolChoice::Tool(name) => {
            put("tool_choice", json!({"type": "function", "function": {"name": name}}));
        }
    }
}

fn tool(spec: &ToolSpec, dialect: &Dialect, promised: bool, warnings: &mut Vec<String>) -> Value {
    let mut function = json!({"name": spec.name, "description": &*spec.description});
    if promised && let Some(parameters) = strict::parameters(&spec.parameters) {
        function["parameters"] = parameters;
        function["strict"] = json!(true);
        return json!({"type": "function", "function": function});
    }
    if promised {
        warnings
            .push(format!("`{}` is sent without `strict`, which cannot express its arguments", spec.name));
    }
    function["parameters"] = match dialect.schema {
        Schema::AsIs => (*spec.parameters).clone(),
        Schema::OpenAi => openai::parameters(&spec.parameters),
        Schema::Moonshot => moonshot::parameters(&spec.parameters),
        Schema::Gemini => gemini::parameters(&spec.parameters)
            .unwrap_or_else(|| json!({"type": "object", "properties": {}})),
    };
    if dialect.strict {
        function["strict"] = json!(false);
    }
    json!({"type": "function", "function": function})
}

fn sampling(
    request: &Request,
    dialect: &Dialect,
    put: &mut impl FnMut(&str, Value) -> Option<Value>,
    warnings: &mut Vec<String>,
) {
    let sampling = &request.sampling;
    // Without thinking, such a model takes them like any other.
    let fixed = dialect.fixed_sampling && request.options.get("reasoningEffort") != Some(&json!("none"));
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
    match sampling.top_k {
        Some(_) if dialect.refused.contains(&"top_k") => {
            warnings.push("`top_k` is not sent, since this provider refuses it".to_owned());
        }
        Some(top_k) => {
            put("top_k", json!(top_k));
        }
        None => {}
    }
    if let Some(most) = sampling.max_output_tokens {
        put(dialect.limit, json!(most));
    }
}

fn response_format(
    shape: &OutputSchema,
    request: &Request,
    dialect: &Dialect,
    warnings: &mut Vec<String>,
) -> Value {
    if !dialect.shaped_answers {
        warnings
            .push("this provider knows only JSON without a schema; check the answer against it".to_owned());
        return json!({"type": "json_object"});
    }
    let promised = is_on(request, "strictJsonSchema").then(|| strict::parameters(&shape.schema)).flatten();
    let kept = promised.is_some();
    let schema = promised.unwrap_or_else(|| (*shape.schema).clone());
    json!({
        "type": "json_schema",
        "json_schema": {"name": shape_name(&shape.name), "schema": schema, "strict": kept},
    })
}

/// A name as the servers take it: letters, digits, `_` and `-`.
pub(crate) fn shape_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain: String = name.chars().take(NAME_CAP).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if plain.is_empty() { "answer".to_owned() } else { plain }
}

pub(crate) fn is_on(request: &Request, option: &str) -> bool {
    request.options.get(option) == Some(&Value::Bool(true))
}
