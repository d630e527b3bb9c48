//! Writing a request.

use serde_json::{Map, Value, json};

use super::parts::{self, Writer};
use crate::schema::gemini::parameters;
use crate::wire::{Lowered, Written};
use crate::{Request, Target, ToolChoice};

/// Options that belong into `generationConfig`.
const GENERATION: [&str; 9] = [
    "thinkingConfig",
    "stopSequences",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "responseModalities",
    "mediaResolution",
    "audioTimestamp",
    "imageConfig",
];

/// Options that belong into the body itself.
const BODY: [&str; 4] = ["safetySettings", "cachedContent", "labels", "serviceTier"];

/// Writes a request around what was said.
pub(super) fn lower(request: &Request, said: &Writer) -> Lowered {
    let target = &said.target;
    let mut warnings = Vec::new();
    let mut body = Map::new();
    let system = parts::system(request);
    if !system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({"parts": system}));
    }
    body.insert("contents".to_owned(), said.open());
    insert_tools(request, &mut body);
    let generation = generation(request, target, &mut warnings);
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(generation));
    }
    for key in BODY {
        if let Some(value) = request.options.get(key) {
            body.insert(key.to_owned(), value.clone());
        }
    }
    Lowered {
        path: path(&target.wire_model),
        headers: Vec::new(),
        body: Value::Object(body),
        written: Written { field: "contents", at: 0, pieces: said.contents.sealed() },
        warnings,
    }
}

fn path(model: &str) -> String {
    // A tuned model says itself what kind of thing it is.
    let kind = if model.contains('/') { "" } else { "models/" };
    format!("/{kind}{model}:streamGenerateContent?alt=sse")
}

fn insert_tools(request: &Request, body: &mut Map<String, Value>) {
    if request.tools.is_empty() {
        return;
    }
    let declarations = request.tools.iter().map(|tool| {
        let mut declaration = json!({"name": tool.name, "description": &*tool.description});
        if let Some(parameters) = parameters(&tool.parameters) {
            declaration["parameters"] = parameters;
        }
        declaration
    });
    let declarations: Vec<Value> = declarations.collect();
    body.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));

    let choice = match &request.tool_choice {
        ToolChoice::Auto => return,
        ToolChoice::None => json!({"mode": "NONE"}),
        ToolChoice::Required => json!({"mode": "ANY"}),
        ToolChoice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
    };
    body.insert("toolConfig".to_owned(), json!({"functionCallingConfig": choice}));
}

fn generation(request: &Request, target: &Target, warnings: &mut Vec<String>) -> Map<String, Value> {
    let sampling = request.sampling;
    let fields = [
        ("maxOutputTokens", sampling.max_output_tokens.map(|value| json!(value))),
        ("temperature", sampling.temperature.map(|value| json!(value))),
        ("topP", sampling.top_p.map(|value| json!(value))),
        ("topK", sampling.top_k.map(|value| json!(value))),
    ];
    let mut generation: Map<String, Value> =
        fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    for key in GENERATION {
        if let Some(value) = request.options.get(key) {
            generation.insert(key.to_owned(), value.clone());
        }
    }
    let Some(output) = &request.output_schema else { return generation };
    if !request.tools.is_empty() && !target.model.contains("gemini-3") {
        warnings.push(format!(
            "this model cannot have both tools and an output schema; `{}` was left out",
            output.name
        ));
        return generation;
    }
    generation.insert("responseMimeType".to_owned(), json!("application/json"));
    if let Some(schema) = parameters(&output.schema) {
        generation.insert("responseSchema".to_owned(), schema);
    }
    generation
}
