//! Writing a request.

use serde_json::{Map, Value, json};

use super::blocks::{self, Writer};
use super::marks;
use super::options::Options;
use crate::wire::{Lowered, Written};
use crate::{OutputSchema, Request, Target, ToolChoice};

/// The longest answer if nobody says.
const MAX_TOKENS: u64 = 4_096;

/// The smallest thinking budget that the API takes.
const MIN_BUDGET: u64 = 1_024;

/// Writes a request around what was said.
pub(super) fn lower(request: &Request, said: &Writer) -> Lowered {
    let target = &said.target;
    let options = Options::read(&request.options);
    let mut warnings = Vec::new();
    if said.unsigned > 0 {
        warnings.push(format!("{} thoughts without a signature were left out", said.unsigned));
    }

    let mut body = Map::new();
    body.insert("model".to_owned(), json!(target.wire_model));
    let system = blocks::system(request);
    if !system.is_empty() {
        body.insert("system".to_owned(), Value::Array(system));
    }
    body.insert("messages".to_owned(), said.open());
    insert_tools(request, said.has_calls, &options, &mut body, &mut warnings);
    insert_length(request, target, &options, &mut body, &mut warnings);
    insert_sampling(request, &options, &mut body, &mut warnings);
    options.insert_into(&mut body);
    body.insert("stream".to_owned(), Value::Bool(true));
    marks::place(&mut body, request.cache);

    if let Some(OutputSchema { name, .. }) = &request.output_schema {
        warnings.push(format!("this API has no output schema; `{name}` must be asked for with a tool"));
    }
    let headers = headers(request, target, &options);
    Lowered {
        path: "/messages".to_owned(),
        headers,
        body: Value::Object(body),
        written: Written { field: "messages", at: 0, pieces: said.turns.sealed() },
        warnings,
    }
}

fn headers(request: &Request, target: &Target, options: &Options<'_>) -> Vec<(&'static str, String)> {
    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    let mut betas: Vec<&str> = Vec::new();
    if target.provider == "anthropic" {
        betas.push("interleaved-thinking-2025-05-14");
        if !request.tools.is_empty() && options.tool_streaming {
            betas.push("fine-grained-tool-streaming-2025-05-14");
        }
        if options.effort.is_some() {
            betas.push("effort-2025-11-24");
        }
    }
    for beta in &options.betas {
        if !betas.contains(beta) {
            betas.push(beta);
        }
    }
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",")));
    }
    headers
}

fn insert_tools(
    request: &Request,
    has_calls: bool,
    options: &Options<'_>,
    body: &mut Map<String, Value>,
    warnings: &mut Vec<String>,
) {
    let none = request.tool_choice == ToolChoice::None;
    // A history with calls is refused without tools; the choice then says it.
    if request.tools.is_empty() || none && !has_calls {
        return;
    }
    let tools = request.tools.iter().map(|tool| {
        json!({
            "name": tool.name,
            "description": &*tool.description,
            "input_schema": *tool.parameters,
        })
    });
    body.insert("tools".to_owned(), tools.collect());

    let forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    let mut choice = match &request.tool_choice {
        ToolChoice::None => json!({"type": "none"}),
        _ if forced && options.thinks() => {
            warnings
                .push("a model that thinks cannot be forced to use a tool; it was left to choose".to_owned());
            json!({"type": "auto"})
        }
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
    };
    let one_at_a_time = options.disable_parallel && !none;
    if one_at_a_time {
        choice["disable_parallel_tool_use"] = Value::Bool(true);
    }
    if request.tool_choice != ToolChoice::Auto || one_at_a_time {
        body.insert("tool_choice".to_owned(), choice);
    }
}

/// `max_tokens` counts the thoughts here, so their budget comes on top of what was asked for.
fn insert_length(
    request: &Request,
    target: &Target,
    options: &Options<'_>,
    body: &mut Map<String, Value>,
    warnings: &mut Vec<String>,
) {
    let known = (target.output_limit > 0).then_some(target.output_limit);
    let wanted = request.sampling.max_output_tokens.or(known).unwrap_or(MAX_TOKENS).max(1);
    let limit = known.unwrap_or(u64::MAX);
    let budget = options.budget();
    let length = wanted.saturating_add(budget.unwrap_or(0)).min(limit);
    body.insert("max_tokens".to_owned(), json!(length));

    let Some(mut thinking) = options.thinking() else { return };
    if let Some(budget) = budget.filter(|budget| *budget >= length) {
        let smaller = (length / 2).max(MIN_BUDGET);
        warnings
            .push(format!("the thinking budget of {budget} is beyond the model's limit; {smaller} is used"));
        thinking["budget_tokens"] = json!(smaller);
    }
    body.insert("thinking".to_owned(), thinking);
}

fn insert_sampling(
    request: &Request,
    options: &Options<'_>,
    body: &mut Map<String, Value>,
    warnings: &mut Vec<String>,
) {
    let sampling = request.sampling;
    let asked = [
        ("temperature", sampling.temperature.map(|value| json!(value.clamp(0.0, 1.0)))),
        ("top_p", sampling.top_p.map(|value| json!(value))),
        ("top_k", sampling.top_k.map(|value| json!(value))),
    ];
    for (key, value) in asked {
        let Some(value) = value else { continue };
        if options.thinks() {
            warnings.push(format!("`{key}` cannot be set while the model thinks; it was left out"));
            continue;
        }
        body.insert(key.to_owned(), value);
    }
}
