//! Requests as they are sent.

use std::time::Instant;

use praxis_llm::wire::{Anthropic, Gemini, Lowered, Wire};
use praxis_llm::{
    CachePolicy, Media, Message, Metadata, Output, OutputSchema, Request, Sampling, ToolChoice, UserPart,
};
use serde_json::{Value, json};

use crate::lab::{call, claude, picture, request, result, target, text, tool, user};

/// A request for people: lists with one item a line.
fn shown(lowered: &Lowered) -> String {
    let mut lines = vec![lowered.path.clone()];
    lines.extend(lowered.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    lines.extend(lowered.warnings.iter().map(|warning| format!("warning: {warning}")));
    for (key, value) in lowered.body.as_object().unwrap() {
        match value {
            Value::Array(items) => {
                lines.push(format!("{key}:"));
                lines.extend(items.iter().map(|item| format!("- {item}")));
            }
            value => lines.push(format!("{key}: {value}")),
        }
    }
    lines.join("\n")
}

fn options(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn anthropic_request() {
    insta::assert_snapshot!(shown(&Anthropic.lower(&request("anthropic", "signature"), &claude())), @r##"
    /messages
    anthropic-version: 2023-06-01
    anthropic-beta: interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14
    model: "claude-sonnet-4-5"
    system:
    - {"type":"text","text":"Be brief."}
    - {"type":"text","text":"Today is Monday.","cache_control":{"type":"ephemeral"}}
    messages:
    - {"role":"user","content":[{"type":"text","text":"Read it"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}
    - {"role":"assistant","content":[{"type":"thinking","thinking":"I must read.","signature":"c2ln"},{"type":"text","text":"Reading."},{"type":"tool_use","id":"call_1","name":"read","input":{"filePath":"a.rs"}},{"type":"tool_use","id":"call_2","name":"read","input":{"arguments":"{\"filePath\": "}}]}
    - {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"1: fn main"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},{"type":"tool_result","tool_use_id":"call_2","content":"not JSON","is_error":true},{"type":"text","text":"<system-update>\n3 &lt; 4\n</system-update>","cache_control":{"type":"ephemeral"}}]}
    - {"role":"assistant","content":[{"type":"text","text":"Done."}]}
    - {"role":"user","content":[{"type":"text","text":"Thanks","cache_control":{"type":"ephemeral"}}]}
    tools:
    - {"name":"read","description":"Reads a file.","input_schema":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"],"format":"uint"}},"required":["filePath"],"additionalProperties":false}}
    - {"name":"write","description":"Reads a file.","input_schema":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"],"format":"uint"}},"required":["filePath"],"additionalProperties":false},"cache_control":{"type":"ephemeral"}}
    max_tokens: 64000
    stream: true
    "##);
}

#[test]
fn gemini_request() {
    let lowered = Gemini::default()
        .lower(&request("google", "thoughtSignature"), &target("@ai-sdk/google", "gemini-2.5-pro"));
    insta::assert_snapshot!(shown(&lowered), @r##"
    /models/gemini-2.5-pro:streamGenerateContent?alt=sse
    systemInstruction: {"parts":[{"text":"Be brief."},{"text":"Today is Monday."}]}
    contents:
    - {"role":"user","parts":[{"text":"Read it"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}
    - {"role":"model","parts":[{"text":"I must read.","thought":true,"thoughtSignature":"c2ln"},{"text":"Reading."},{"functionCall":{"name":"read","args":{"filePath":"a.rs"}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"read","args":{"arguments":"{\"filePath\": "}}}]}
    - {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"name":"read","content":"1: fn main"}}},{"functionResponse":{"name":"read","response":{"name":"read","error":"not JSON"}}}]}
    - {"role":"user","parts":[{"text":"Media from the tool results above:"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"text":"<system-update>\n3 &lt; 4\n</system-update>"}]}
    - {"role":"model","parts":[{"text":"Done."}]}
    - {"role":"user","parts":[{"text":"Thanks"}]}
    tools:
    - {"functionDeclarations":[{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"nullable":true,"type":"integer"}},"required":["filePath"]}},{"name":"write","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"nullable":true,"type":"integer"}},"required":["filePath"]}}]}
    "##);
}

#[test]
fn gemini_3_takes_media_in_results_and_wants_a_signature() {
    let messages = vec![
        user("Go"),
        Message::Assistant(vec![call("c1", json!({}), Metadata::default().with("google", "callId", "fc-1"))]),
        Message::Tool(vec![result("c1", Output::Content { text: "seen".into(), media: vec![picture()] })]),
    ];
    let request = Request { messages, ..Request::default() };
    let lowered = Gemini::default().lower(&request, &target("@ai-sdk/google", "gemini-3-pro"));
    assert_eq!(
        lowered.body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "Go"}]},
            {"role": "model", "parts": [{
                "functionCall": {"name": "read", "args": {}, "id": "fc-1"},
                "thoughtSignature": "skip_thought_signature_validator",
            }]},
            {"role": "user", "parts": [{"functionResponse": {
                "name": "read",
                "response": {"name": "read", "content": "seen"},
                "id": "fc-1",
                "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}],
            }}]},
        ])
    );
}

#[test]
fn anthropic_options_and_thinking() {
    let request = Request {
        messages: vec![user("Hi")],
        tools: vec![tool("read")],
        tool_choice: ToolChoice::Required,
        sampling: Sampling { temperature: Some(0.5), max_output_tokens: Some(32_000), ..Sampling::default() },
        options: options(json!({
            "thinking": {"type": "enabled", "budgetTokens": 16_000},
            "effort": "high",
            "metadata": {"userId": "u1"},
            "serviceTier": "auto",
            "disableParallelToolUse": true,
            "toolStreaming": false,
            "anthropicBeta": ["context-1m-2025-08-07"],
            "apiKey": "never sent",
        })),
        cache: CachePolicy::Off,
        output_schema: Some(OutputSchema { name: "answer".into(), schema: json!({}).into() }),
        ..Request::default()
    };
    insta::assert_snapshot!(shown(&Anthropic.lower(&request, &claude())), @r##"
    /messages
    anthropic-version: 2023-06-01
    anthropic-beta: interleaved-thinking-2025-05-14,effort-2025-11-24,context-1m-2025-08-07
    warning: a model that thinks cannot be forced to use a tool; it was left to choose
    warning: `temperature` cannot be set while the model thinks; it was left out
    warning: this API has no output schema; `answer` must be asked for with a tool
    model: "claude-sonnet-4-5"
    messages:
    - {"role":"user","content":[{"type":"text","text":"Hi"}]}
    tools:
    - {"name":"read","description":"Reads a file.","input_schema":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"],"format":"uint"}},"required":["filePath"],"additionalProperties":false}}
    tool_choice: {"type":"auto","disable_parallel_tool_use":true}
    max_tokens: 48000
    thinking: {"type":"enabled","budget_tokens":16000}
    metadata: {"user_id":"u1"}
    service_tier: "auto"
    output_config: {"effort":"high"}
    stream: true
    "##);
}

#[test]
fn a_thinking_budget_fits_into_the_models_limit() {
    let request = |budget: u64| Request {
        messages: vec![user("Hi")],
        options: options(json!({"thinking": {"type": "enabled", "budget_tokens": budget}})),
        ..Request::default()
    };
    let body = Anthropic.lower(&request(100_000), &claude()).body;
    assert_eq!((&body["max_tokens"], &body["thinking"]["budget_tokens"]), (&json!(64_000), &json!(32_000)));
}

#[test]
fn gemini_options_choice_and_output_schema() {
    let request = Request {
        messages: vec![user("Hi")],
        sampling: Sampling { top_k: Some(64), ..Sampling::default() },
        options: options(json!({
            "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 16_000},
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
            "apiKey": "never sent",
        })),
        output_schema: Some(OutputSchema {
            name: "answer".into(),
            schema: json!({"type": "object", "properties": {"n": {"type": "integer"}}, "$schema": "x"})
                .into(),
        }),
        ..Request::default()
    };
    let target = target("@ai-sdk/google", "gemini-2.5-pro");
    let body = Gemini::default().lower(&request, &target).body;
    assert_eq!(
        body,
        json!({
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "generationConfig": {
                "topK": 64,
                "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 16_000},
                "responseMimeType": "application/json",
                "responseSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            },
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
        })
    );
    let request =
        Request { tools: vec![tool("read")], tool_choice: ToolChoice::Tool("read".into()), ..request };
    let lowered = Gemini::default().lower(&request, &target);
    assert_eq!(
        lowered.body["toolConfig"],
        json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}})
    );
    assert_eq!(
        lowered.warnings,
        ["this model cannot have both tools and an output schema; `answer` was left out"]
    );
}

#[test]
fn turns_alternate_and_no_text_is_empty() {
    let request = Request {
        messages: vec![
            Message::Assistant(vec![text("I was here first."), text("")]),
            user(""),
            user("a"),
            user(" \n"),
            Message::User(vec![]),
            user("b"),
            Message::Assistant(vec![text("")]),
            Message::Note("now".into()),
            Message::Assistant(vec![text("The end is \n")]),
        ],
        cache: CachePolicy::Off,
        ..Request::default()
    };
    let block = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        Anthropic.lower(&request, &claude()).body["messages"],
        json!([
            {"role": "user", "content": [block("Continue from the conversation below.")]},
            {"role": "assistant", "content": [block("I was here first.")]},
            {"role": "user", "content": [block("a"), block("b"), block("<system-update>\nnow\n</system-update>")]},
            {"role": "assistant", "content": [block("The end is")]},
        ])
    );
}

#[test]
fn media_that_the_model_cannot_read_are_named_instead() {
    let media = |mime: &str, data: &str| {
        UserPart::Media(Media { mime: mime.into(), data: data.into(), name: Some("f".into()) })
    };
    let parts = vec![media("audio/wav", "AAAA"), media("image/png", ""), media("image/tiff", "AAAA")];
    let request =
        Request { messages: vec![Message::User(parts)], cache: CachePolicy::Off, ..Request::default() };
    let body = Anthropic.lower(&request, &claude()).body;
    let texts: Vec<&str> = body["messages"][0]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(texts.join("\n"), @r##"
    ERROR: this model cannot read audio files, so `f` was left out. Tell the user.
    ERROR: the file `f` is empty or damaged. Tell the user to attach it again.
    ERROR: `f` (image/tiff) cannot be sent to this model. Tell the user.
    "##);
}

#[test]
fn there_are_never_more_than_four_cache_marks() {
    for (cache, automatic, marks) in [
        (CachePolicy::Marks, false, 4),
        (CachePolicy::LongMarks, false, 4),
        (CachePolicy::Off, false, 0),
        (CachePolicy::Marks, true, 1),
    ] {
        let mut request = Request { cache, ..request("anthropic", "signature") };
        if automatic {
            request.options = options(json!({"cacheControl": {"type": "ephemeral"}}));
        }
        let text = Anthropic.lower(&request, &claude()).body.to_string();
        assert_eq!(text.matches("cache_control").count(), marks, "{cache:?}");
        assert_eq!(text.contains("\"ttl\":\"1h\""), cache == CachePolicy::LongMarks);
    }
}

#[test]
fn without_tools_to_choose_a_history_with_calls_keeps_them() {
    let plain = Request {
        messages: vec![user("Hi")],
        tools: vec![tool("read")],
        tool_choice: ToolChoice::None,
        ..Request::default()
    };
    let body = Anthropic.lower(&plain, &claude()).body;
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    let with_calls = Request { tool_choice: ToolChoice::None, ..request("anthropic", "signature") };
    assert_eq!(Anthropic.lower(&with_calls, &claude()).body["tool_choice"], json!({"type": "none"}));
}

#[test]
fn a_long_history_is_lowered_in_time_that_grows_with_it() {
    let history = |steps: usize| {
        let mut messages = vec![user("Go")];
        for n in 0..steps {
            let id = format!("c{n}");
            messages
                .push(Message::Assistant(vec![text("ok"), call(&id, json!({"n": n}), Metadata::default())]));
            messages.push(Message::Tool(vec![result(&id, Output::Text("done".into()))]));
        }
        Request { messages, ..Request::default() }
    };
    // A quadratic way would take minutes; the budget itself is held by the benchmark.
    let start = Instant::now();
    for wire in [&Anthropic as &dyn Wire, &Gemini::default()] {
        wire.lower(&history(20_000), &claude());
    }
    assert!(start.elapsed().as_secs() < 30);
}
