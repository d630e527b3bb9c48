//! Requests of Chat Completions as they are sent.

use praxis_llm::wire::{Chat, Lowered, Responses, Wire};
use praxis_llm::{
    AssistantPart, CachePolicy, Message, Metadata, Modality, Output, OutputSchema, Request, Sampling,
    SystemBlock, Target, ToolChoice,
};
use serde_json::{Value, json};

use crate::lab::{call, picture, request, result, text, tool, user};

pub(crate) fn to(provider: &str, npm: &str, model: &str) -> Target {
    Target {
        provider: provider.to_owned(),
        npm: npm.to_owned(),
        model: model.to_owned(),
        wire_model: model.to_owned(),
        input: vec![Modality::Text, Modality::Image],
        reasoning: true,
        interleaved: None,
        output_limit: 64_000,
    }
}

pub(crate) fn compatible(provider: &str, model: &str) -> Target {
    to(provider, "@ai-sdk/openai-compatible", model)
}

fn chat(request: &Request, target: &Target) -> Lowered {
    Chat::default().lower(request, target)
}

pub(crate) fn responses(request: &Request, target: &Target) -> Lowered {
    Responses::default().lower(request, target)
}

/// A body, one line for each field and each entry of a list.
pub(crate) fn shown(lowered: &Lowered) -> String {
    let mut out = vec![lowered.path.clone()];
    out.extend(lowered.warnings.iter().map(|warning| format!("! {warning}")));
    for (field, value) in lowered.body.as_object().unwrap() {
        match value {
            Value::Array(entries) => out.extend(entries.iter().map(|entry| format!("{field}: {entry}"))),
            value => out.push(format!("{field}: {value}")),
        }
    }
    out.join("\n")
}

/// The conversation of a body, one line for each message.
pub(crate) fn messages(lowered: &Lowered) -> String {
    let list = lowered.body["messages"].as_array().or_else(|| lowered.body["input"].as_array()).unwrap();
    list.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

pub(crate) fn options(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().unwrap().clone()
}

pub(crate) fn thought(text: &str, metadata: Metadata) -> AssistantPart {
    AssistantPart::Reasoning { text: text.into(), metadata }
}

/// A step with a thought, two calls and their results, and a word of the user.
fn step() -> Request {
    Request {
        messages: vec![
            user("Go"),
            Message::Assistant(vec![
                thought("Hm.", Metadata::default()),
                call("functions.read:0", json!({"filePath": "a"}), Metadata::default()),
                call("functions.read:1", json!({"filePath": "b"}), Metadata::default()),
            ]),
            Message::Tool(vec![
                result("functions.read:0", Output::Text("one".into())),
                result("functions.read:1", Output::Content { text: "two".into(), media: vec![picture()] }),
            ]),
            Message::Assistant(vec![text("Both read.")]),
            user("And?"),
        ],
        ..Request::default()
    }
}

#[test]
fn openai_request() {
    let mut request = request("openai", "x");
    request.sampling = Sampling {
        temperature: Some(0.5),
        top_k: Some(4),
        max_output_tokens: Some(900),
        ..Sampling::default()
    };
    request.options = options(json!({
        "reasoningEffort": "low", "textVerbosity": "low", "promptCacheKey": "ses_1", "store": false,
        "reasoningSummary": "auto", "include": ["reasoning.encrypted_content"],
    }));
    insta::assert_snapshot!(shown(&chat(&request, &to("openai", "@ai-sdk/openai", "gpt-5"))), @r##"
    /chat/completions
    ! `temperature` is not sent, since models that think refuse it
    ! `top_k` is not sent, since this provider refuses it
    model: "gpt-5"
    messages: {"role":"developer","content":"Be brief.\nToday is Monday."}
    messages: {"role":"user","content":[{"type":"text","text":"Read it"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}
    messages: {"role":"assistant","content":"Reading.","tool_calls":[{"id":"call:1","type":"function","function":{"name":"read","arguments":"{\"filePath\":\"a.rs\"}"}},{"id":"call:2","type":"function","function":{"name":"read","arguments":"{\"invalid\":\"{\\\"filePath\\\": \"}"}}]}
    messages: {"role":"tool","tool_call_id":"call:1","content":"1: fn main"}
    messages: {"role":"tool","tool_call_id":"call:2","content":"not JSON"}
    messages: {"role":"user","content":[{"type":"text","text":"Media from the tool results above:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}
    messages: {"role":"developer","content":"3 < 4"}
    messages: {"role":"assistant","content":"Done."}
    messages: {"role":"user","content":"Thanks"}
    tools: {"type":"function","function":{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"]}},"required":["filePath"],"additionalProperties":false},"strict":false}}
    tools: {"type":"function","function":{"name":"write","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"]}},"required":["filePath"],"additionalProperties":false},"strict":false}}
    max_completion_tokens: 900
    stream: true
    stream_options: {"include_usage":true}
    reasoning_effort: "low"
    verbosity: "low"
    prompt_cache_key: "ses_1"
    store: false
    "##);
}

#[test]
fn openrouter_request_to_claude_has_marks_and_signatures() {
    let mut request = step();
    request.system = vec![SystemBlock("Be brief.".into()), SystemBlock("It is Monday.".into())];
    let details = json!([{"type": "reasoning.text", "text": "Hm.", "signature": "c2ln", "index": 0}]);
    if let Message::Assistant(parts) = &mut request.messages[1] {
        parts[0] = thought("Hm.", Metadata::default().with("openrouter", "reasoning_details", details));
    }
    request.options = options(
        json!({"usage": {"include": true}, "reasoning": {"max_tokens": 9}, "reasoningEffort": "high"}),
    );
    let target = to("openrouter", "@openrouter/ai-sdk-provider", "anthropic/claude-sonnet-4.5");
    insta::assert_snapshot!(shown(&chat(&request, &target)), @r##"
    /chat/completions
    model: "anthropic/claude-sonnet-4.5"
    messages: {"role":"system","content":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"It is Monday.","cache_control":{"type":"ephemeral"}}]}
    messages: {"role":"user","content":"Go"}
    messages: {"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"c2ln","index":0}],"tool_calls":[{"id":"functions_read_0","type":"function","function":{"name":"read","arguments":"{\"filePath\":\"a\"}"}},{"id":"functions_read_1","type":"function","function":{"name":"read","arguments":"{\"filePath\":\"b\"}"}}]}
    messages: {"role":"tool","tool_call_id":"functions_read_0","content":"one"}
    messages: {"role":"tool","tool_call_id":"functions_read_1","content":"two"}
    messages: {"role":"user","content":[{"type":"text","text":"Media from the tool results above:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}
    messages: {"role":"assistant","content":[{"type":"text","text":"Both read.","cache_control":{"type":"ephemeral"}}]}
    messages: {"role":"user","content":[{"type":"text","text":"And?","cache_control":{"type":"ephemeral"}}]}
    stream: true
    stream_options: {"include_usage":true}
    usage: {"include":true}
    reasoning: {"max_tokens":9,"effort":"high"}
    "##);
}

#[test]
fn marks_can_be_long_or_absent() {
    let target = compatible("litellm", "claude-sonnet-4-5");
    let mut request = Request { messages: vec![user("Hi")], ..Request::default() };
    assert_eq!(
        messages(&chat(&request, &target)),
        r#"{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}"#
    );
    request.cache = CachePolicy::LongMarks;
    assert_eq!(
        messages(&chat(&request, &target)),
        r#"{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]}"#
    );
    request.cache = CachePolicy::Off;
    assert_eq!(messages(&chat(&request, &target)), r#"{"role":"user","content":"Hi"}"#);
    request.cache = CachePolicy::Marks;
    assert_eq!(messages(&chat(&request, &compatible("vllm", "qwen3"))), r#"{"role":"user","content":"Hi"}"#);
    request.options = options(json!({"cache_control": {"type": "ephemeral"}}));
    assert_eq!(messages(&chat(&request, &target)), r#"{"role":"user","content":"Hi"}"#);
}

#[test]
fn never_more_than_four_marks() {
    let mut request = request("x", "y");
    request.system.push(SystemBlock("A third.".into()));
    let target = to("openrouter", "@openrouter/ai-sdk-provider", "anthropic/claude-opus-4.5");
    assert_eq!(chat(&request, &target).body.to_string().matches("cache_control").count(), 4);
}

#[test]
fn mistral_request_has_short_ids_and_a_bridge() {
    let mut request = step();
    request.tools = vec![tool("read")];
    request.tool_choice = ToolChoice::Required;
    request.options = options(json!({"promptCacheKey": "ses_1", "user": "me", "safePrompt": true}));
    let target = to("mistral", "@ai-sdk/mistral", "magistral-medium-latest");
    insta::assert_snapshot!(shown(&chat(&request, &target)), @r##"
    /chat/completions
    ! `user` is not sent, since this provider refuses it
    model: "magistral-medium-latest"
    messages: {"role":"user","content":"Go"}
    messages: {"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}],"tool_calls":[{"id":"functions","type":"function","function":{"name":"read","arguments":"{\"filePath\":\"a\"}"}},{"id":"function1","type":"function","function":{"name":"read","arguments":"{\"filePath\":\"b\"}"}}]}
    messages: {"role":"tool","tool_call_id":"functions","content":"one","name":"read"}
    messages: {"role":"tool","tool_call_id":"function1","content":"two","name":"read"}
    messages: {"role":"assistant","content":"Done."}
    messages: {"role":"user","content":[{"type":"text","text":"Media from the tool results above:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}
    messages: {"role":"assistant","content":"Both read."}
    messages: {"role":"user","content":"And?"}
    tools: {"type":"function","function":{"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"],"format":"uint"}},"required":["filePath"],"additionalProperties":false}}}
    tool_choice: "any"
    stream: true
    prompt_cache_key: "ses_1"
    safe_prompt: true
    "##);
}

/// The assistant messages of a step, as each server wants them.
#[test]
fn thoughts_go_where_the_server_wants_them() {
    let deepseek = compatible("deepseek", "deepseek-reasoner");
    let mut plain = to("groq", "@ai-sdk/groq", "llama-3.3-70b");
    plain.reasoning = false;
    let mut interleaved = compatible("zai", "glm-4.7");
    interleaved.interleaved = Some("reasoning_content".to_owned());
    let mut minimax = compatible("minimax", "minimax-m2");
    minimax.interleaved = Some("reasoning_details".to_owned());
    let targets = [
        to("openai", "@ai-sdk/openai", "gpt-5"),
        deepseek,
        interleaved,
        minimax,
        compatible("moonshotai", "kimi-k2-thinking"),
        to("groq", "@ai-sdk/groq", "openai/gpt-oss-120b"),
        plain,
        to("xai", "@ai-sdk/xai", "grok-4"),
        compatible("ollama", "qwen3:8b"),
        compatible("lmstudio", "qwen3"),
        compatible("llama.cpp", "qwen3"),
        compatible("vllm", "qwen3"),
        to("togetherai", "@ai-sdk/togetherai", "qwen3"),
        to("openrouter", "@openrouter/ai-sdk-provider", "qwen/qwen3"),
        to("openrouter", "@openrouter/ai-sdk-provider", "deepseek/deepseek-v4"),
    ];
    let mut out = Vec::new();
    for target in targets {
        let body = chat(&step(), &target).body;
        for message in
            body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant")
        {
            let mut message = message.clone();
            message.as_object_mut().unwrap().retain(|field, _| field != "role" && field != "tool_calls");
            out.push(format!("{}/{}: {message}", target.provider, target.model));
        }
    }
    insta::assert_snapshot!(out.join("\n"), @r##"
    openai/gpt-5: {"content":null}
    openai/gpt-5: {"content":"Both read."}
    deepseek/deepseek-reasoner: {"content":null,"reasoning_content":"Hm."}
    deepseek/deepseek-reasoner: {"content":"Both read.","reasoning_content":""}
    zai/glm-4.7: {"content":null,"reasoning_content":"Hm."}
    zai/glm-4.7: {"content":"Both read.","reasoning_content":""}
    minimax/minimax-m2: {"content":null,"reasoning_details":[{"type":"reasoning.text","text":"Hm."}]}
    minimax/minimax-m2: {"content":"Both read.","reasoning_details":[]}
    moonshotai/kimi-k2-thinking: {"content":null,"reasoning_content":"Hm."}
    moonshotai/kimi-k2-thinking: {"content":"Both read."}
    groq/openai/gpt-oss-120b: {"content":null,"reasoning":"Hm."}
    groq/openai/gpt-oss-120b: {"content":"Both read."}
    groq/llama-3.3-70b: {"content":null}
    groq/llama-3.3-70b: {"content":"Both read."}
    xai/grok-4: {"content":null,"reasoning_content":"Hm."}
    xai/grok-4: {"content":"Both read."}
    ollama/qwen3:8b: {"content":null,"reasoning":"Hm."}
    ollama/qwen3:8b: {"content":"Both read."}
    lmstudio/qwen3: {"content":null,"reasoning_content":"Hm."}
    lmstudio/qwen3: {"content":"Both read."}
    llama.cpp/qwen3: {"content":null,"reasoning_content":"Hm."}
    llama.cpp/qwen3: {"content":"Both read."}
    vllm/qwen3: {"content":null,"reasoning_content":"Hm."}
    vllm/qwen3: {"content":"Both read."}
    togetherai/qwen3: {"content":null,"reasoning":"Hm."}
    togetherai/qwen3: {"content":"Both read."}
    openrouter/qwen/qwen3: {"content":null,"reasoning":"Hm."}
    openrouter/qwen/qwen3: {"content":"Both read."}
    openrouter/deepseek/deepseek-v4: {"content":null,"reasoning":"Hm."}
    openrouter/deepseek/deepseek-v4: {"content":"Both read.","reasoning":""}
    "##);
}

/// What else differs: the fields beside the messages, for a request that asks for everything.
#[test]
fn fields_that_a_server_refuses_are_left_out() {
    let mut out = Vec::new();
    for target in [
        to("openai", "@ai-sdk/openai", "gpt-5"),
        to("azure", "@ai-sdk/azure", "gpt-4.1"),
        to("mistral", "@ai-sdk/mistral", "devstral"),
        to("groq", "@ai-sdk/groq", "gpt-oss"),
        to("xai", "@ai-sdk/xai", "grok-4"),
        compatible("deepseek", "deepseek-chat"),
        compatible("moonshotai", "kimi-k2"),
        compatible("vllm", "qwen3"),
        compatible("acme", "acme-1"),
    ] {
        let request = Request {
            sampling: Sampling {
                temperature: Some(1.0),
                top_p: Some(0.9),
                top_k: Some(40),
                max_output_tokens: Some(100),
            },
            output_schema: Some(OutputSchema { name: "my answer".to_owned(), schema: json!({}).into() }),
            options: options(json!({
                "store": false, "promptCacheKey": "k", "textVerbosity": "low", "enable_thinking": true, "apiKey": "secret",
            })),
            ..Request::default()
        };
        let lowered = chat(&request, &target);
        let fields: Vec<&str> =
            lowered.body.as_object().unwrap().keys().map(String::as_str).skip(2).collect();
        out.push(format!(
            "{}: {} ({})",
            target.provider,
            fields.join(" "),
            lowered.body["response_format"]["type"]
        ));
    }
    insta::assert_snapshot!(out.join("\n"), @r##"
    openai: max_completion_tokens response_format stream stream_options store prompt_cache_key verbosity enable_thinking ("json_schema")
    azure: max_completion_tokens response_format stream stream_options store prompt_cache_key verbosity enable_thinking ("json_schema")
    mistral: temperature top_p max_tokens response_format stream prompt_cache_key enable_thinking ("json_schema")
    groq: temperature top_p max_tokens response_format stream stream_options enable_thinking ("json_schema")
    xai: temperature top_p max_tokens response_format stream stream_options store prompt_cache_key enable_thinking ("json_schema")
    deepseek: temperature top_p max_tokens response_format stream stream_options enable_thinking ("json_object")
    moonshotai: temperature top_p max_tokens response_format stream stream_options prompt_cache_key enable_thinking ("json_object")
    vllm: temperature top_p top_k max_tokens response_format stream stream_options store prompt_cache_key verbosity enable_thinking ("json_schema")
    acme: temperature top_p max_tokens response_format stream stream_options store prompt_cache_key verbosity enable_thinking ("json_schema")
    "##);
}

#[test]
fn unknown_options_pass_and_usage_can_be_declined() {
    let request = Request {
        options: options(json!({
            "chat_template_args": {"enable_thinking": true}, "includeUsage": false, "someThing": 1, "none": null,
        })),
        ..Request::default()
    };
    assert_eq!(
        chat(&request, &compatible("acme", "acme-1")).body,
        json!({
            "model": "acme-1", "messages": [], "stream": true,
            "chat_template_args": {"enable_thinking": true}, "someThing": 1,
        })
    );
}

#[test]
fn the_schema_of_a_tool_follows_the_server() {
    let mut request = Request { tools: vec![tool("read")], ..Request::default() };
    let parameters =
        |request: &Request, target: &Target| chat(request, target).body["tools"][0]["function"].clone();
    let mut out = Vec::new();
    for target in [
        to("openai", "@ai-sdk/openai", "gpt-5"),
        compatible("moonshotai", "kimi-k2"),
        to("openrouter", "@openrouter/ai-sdk-provider", "google/gemini-3-pro"),
        compatible("vllm", "qwen3"),
    ] {
        out.push(format!("{}: {}", target.provider, parameters(&request, &target)));
    }
    request.options = options(json!({"strictTools": true}));
    out.push(format!("strict: {}", parameters(&request, &to("openai", "@ai-sdk/openai", "gpt-5"))));
    insta::assert_snapshot!(out.join("\n"), @r##"
    openai: {"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"]}},"required":["filePath"],"additionalProperties":false},"strict":false}
    moonshotai: {"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"],"format":"uint"}},"required":["filePath"],"additionalProperties":false}}
    openrouter: {"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"nullable":true,"type":"integer"}},"required":["filePath"]}}
    vllm: {"name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"],"format":"uint"}},"required":["filePath"],"additionalProperties":false}}
    strict: {"name":"read","description":"Reads a file.","parameters":{"type":"object","additionalProperties":false,"required":["filePath","limit"],"properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"]}}},"strict":true}
    "##);
}

#[test]
fn the_beginning_of_a_conversation_stays_as_it_is() {
    let whole = step();
    let mut begun = step();
    begun.messages.truncate(3);
    for target in [
        to("mistral", "@ai-sdk/mistral", "devstral"),
        compatible("deepseek", "deepseek-chat"),
        compatible("vllm", "qwen3"),
        to("openai", "@ai-sdk/openai", "gpt-5"),
    ] {
        for lower in [chat, responses] {
            let (before, after) = (messages(&lower(&begun, &target)), messages(&lower(&whole, &target)));
            assert!(after.starts_with(&before), "{}\n{before}\n{after}", target.provider);
        }
    }
}
