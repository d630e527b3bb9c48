//! What the server writes in each format, and what it makes of requests.

use praxis_testkit::{Client, Format, ModelServer};
use serde_json::{Value, json};

const TURN: &str = "{ think: { text: Hm, signature: sig }, say: Hé, call: { read: { a: 1 }, now: },
    usage: { input: 100, output: 20, reasoning: 5, cached: 30, cache_write: 10 } }";

/// The body in a format, without the fields that every event repeats.
async fn written(format: Format, turn: &str) -> String {
    let server = ModelServer::play(&format!("- {turn}")).await;
    let body = json!({"model": "m", "stream": true, "stream_options": {"include_usage": true}});
    let mut client = Client::connect(server.address()).await;
    let reply = client.post(&format.path("m"), &body).await.unwrap();
    assert_eq!((reply.status, reply.is_whole), (200, true));
    assert_eq!(reply.header("content-type"), Some("text/event-stream; charset=utf-8"));
    reply
        .text()
        .replace(
            r#""id":"chatcmpl-0_1","object":"chat.completion.chunk","created":1700000000,"model":"m","#,
            "",
        )
        .replace(r#","modelVersion":"m","responseId":"0_1""#, "")
        .replace("\r\n", "↵\n")
}

#[tokio::test]
async fn anthropic_messages() {
    insta::assert_snapshot!(written(Format::Anthropic, TURN).await, @r#"
    event: message_start
    data: {"type":"message_start","message":{"id":"msg_0_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":60,"cache_creation_input_tokens":10,"cache_read_input_tokens":30,"output_tokens":1}}}

    event: content_block_start
    data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

    event: ping
    data: {"type":"ping"}

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":0}

    event: content_block_start
    data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hé"}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":1}

    event: content_block_start
    data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"call_0_1_2","name":"read","input":{}}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":2}

    event: content_block_start
    data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"call_0_1_3","name":"now","input":{}}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":3}

    event: message_delta
    data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":20}}

    event: message_stop
    data: {"type":"message_stop"}
    "#);
}

#[tokio::test]
async fn chat_completions() {
    insta::assert_snapshot!(written(Format::Chat, TURN).await, @r#"
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm"},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0}]},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"content":"Hé"},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_0_1_2","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_0_1_3","type":"function","function":{"name":"now","arguments":""}}]},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"finish_reason":null}]}

    data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

    data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":30},"completion_tokens_details":{"reasoning_tokens":5}}}

    data: [DONE]
    "#);
}

#[tokio::test]
async fn responses() {
    insta::assert_snapshot!(written(Format::Responses, "{ think: { text: Hm, signature: sig }, say: Hé, call: { read: { a: 1 } }, usage: { input: 3, output: 4 } }").await, @r#"
    event: response.created
    data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_0_1","object":"response","created_at":1700000000,"status":"in_progress","model":"m","error":null,"incomplete_details":null,"output":[],"usage":null}}

    event: response.in_progress
    data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_0_1","object":"response","created_at":1700000000,"status":"in_progress","model":"m","error":null,"incomplete_details":null,"output":[],"usage":null}}

    event: response.output_item.added
    data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"type":"reasoning","id":"rs_thought_0_1_0","summary":[]}}

    event: response.reasoning_summary_part.added
    data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_thought_0_1_0","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

    event: response.reasoning_summary_text.delta
    data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_thought_0_1_0","output_index":0,"summary_index":0,"delta":"Hm"}

    event: response.reasoning_summary_text.done
    data: {"type":"response.reasoning_summary_text.done","sequence_number":5,"item_id":"rs_thought_0_1_0","output_index":0,"summary_index":0,"text":"Hm"}

    event: response.reasoning_summary_part.done
    data: {"type":"response.reasoning_summary_part.done","sequence_number":6,"item_id":"rs_thought_0_1_0","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"Hm"}}

    event: response.output_item.done
    data: {"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"type":"reasoning","id":"rs_thought_0_1_0","summary":[{"type":"summary_text","text":"Hm"}],"encrypted_content":"sig"}}

    event: response.output_item.added
    data: {"type":"response.output_item.added","sequence_number":8,"output_index":1,"item":{"type":"message","id":"msg_text_0_1_1","status":"in_progress","role":"assistant","content":[]}}

    event: response.content_part.added
    data: {"type":"response.content_part.added","sequence_number":9,"item_id":"msg_text_0_1_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}

    event: response.output_text.delta
    data: {"type":"response.output_text.delta","sequence_number":10,"item_id":"msg_text_0_1_1","output_index":1,"content_index":0,"delta":"Hé"}

    event: response.output_text.done
    data: {"type":"response.output_text.done","sequence_number":11,"item_id":"msg_text_0_1_1","output_index":1,"content_index":0,"text":"Hé"}

    event: response.content_part.done
    data: {"type":"response.content_part.done","sequence_number":12,"item_id":"msg_text_0_1_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"Hé","annotations":[]}}

    event: response.output_item.done
    data: {"type":"response.output_item.done","sequence_number":13,"output_index":1,"item":{"type":"message","id":"msg_text_0_1_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hé","annotations":[]}]}}

    event: response.output_item.added
    data: {"type":"response.output_item.added","sequence_number":14,"output_index":2,"item":{"type":"function_call","id":"fc_call_0_1_2","call_id":"call_0_1_2","name":"read","arguments":"","status":"in_progress"}}

    event: response.function_call_arguments.delta
    data: {"type":"response.function_call_arguments.delta","sequence_number":15,"item_id":"fc_call_0_1_2","output_index":2,"delta":"{\"a\":1}"}

    event: response.function_call_arguments.done
    data: {"type":"response.function_call_arguments.done","sequence_number":16,"item_id":"fc_call_0_1_2","output_index":2,"arguments":"{\"a\":1}"}

    event: response.output_item.done
    data: {"type":"response.output_item.done","sequence_number":17,"output_index":2,"item":{"type":"function_call","id":"fc_call_0_1_2","call_id":"call_0_1_2","name":"read","arguments":"{\"a\":1}","status":"completed"}}

    event: response.completed
    data: {"type":"response.completed","sequence_number":18,"response":{"id":"resp_0_1","object":"response","created_at":1700000000,"status":"completed","model":"m","error":null,"incomplete_details":null,"output":[{"type":"reasoning","id":"rs_thought_0_1_0","summary":[{"type":"summary_text","text":"Hm"}],"encrypted_content":"sig"},{"type":"message","id":"msg_text_0_1_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hé","annotations":[]}]},{"type":"function_call","id":"fc_call_0_1_2","call_id":"call_0_1_2","name":"read","arguments":"{\"a\":1}","status":"completed"}],"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":null},"output_tokens":4,"output_tokens_details":{"reasoning_tokens":null},"total_tokens":7}}}
    "#);
}

#[tokio::test]
async fn gemini() {
    insta::assert_snapshot!(written(Format::Gemini, TURN).await, @r#"
    data: {"candidates":[{"content":{"parts":[{"text":"Hm","thought":true,"thoughtSignature":"sig"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30}}↵
    ↵
    data: {"candidates":[{"content":{"parts":[{"text":"Hé"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30}}↵
    ↵
    data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"a":1}}}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30}}↵
    ↵
    data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"now","args":{}}}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30}}↵
    ↵
    data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30,"thoughtsTokenCount":5,"candidatesTokenCount":15,"totalTokenCount":120}}↵
    ↵
    "#);
}

#[tokio::test]
async fn mixed_pieces_are_told_apart_as_the_format_does() {
    let turn = "{ call: { a: { x: 1 }, b: { y: 2 } }, chunks: 2, interleave: true, finish: length }";
    let chat = written(Format::Chat, turn).await;
    let calls: Vec<Value> = chat
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
        .flat_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].as_array().cloned().unwrap_or_default())
        .map(|call| json!([call["index"], call["function"]["arguments"]]))
        .collect();
    let expected = json!([[0, ""], [0, "{\"x"], [1, ""], [1, "{\"y"], [0, "\":1}"], [1, "\":2}"]]);
    assert_eq!(Value::Array(calls), expected);
}

#[tokio::test]
async fn usage_is_told_in_chat_completions_only_if_asked_for() {
    let server = ModelServer::play("- { say: a, usage: { input: 1, output: 2 } }").await;
    let reply =
        Client::connect(server.address()).await.post(&Format::Chat.path("m"), &json!({})).await.unwrap();
    assert!(
        !reply.text().contains("usage") && reply.text().ends_with("data: [DONE]\n\n"),
        "{}",
        reply.text()
    );
}

#[tokio::test]
async fn every_format_ends_in_its_own_way() {
    let mut ends = Vec::new();
    for finish in ["length", "content-filter", "error", "other", "unknown"] {
        for format in Format::ALL {
            let body = written(format, &format!("{{ say: a, finish: {finish} }}")).await;
            let last = body.lines().rev().find(|line| {
                ["stop_reason\":", "finish_reason\":", "finishReason\":", "\"response\":"]
                    .iter()
                    .any(|key| line.contains(key))
            });
            let last: Value =
                serde_json::from_str(last.unwrap().trim_start_matches("data: ").trim_end_matches('↵'))
                    .unwrap();
            let end = [
                &last["delta"]["stop_reason"],
                &last["choices"][0]["finish_reason"],
                &last["candidates"][0]["finishReason"],
                &last["response"]["incomplete_details"]["reason"],
                &last["response"]["error"]["code"],
            ];
            let end = end.into_iter().find(|end| end.is_string()).unwrap_or(&Value::Null);
            ends.push(format!("{finish} {format:?} {end}"));
        }
    }
    insta::assert_snapshot!(ends.join("\n"), @r#"
    length Anthropic "max_tokens"
    length Chat "length"
    length Responses "max_output_tokens"
    length Gemini "MAX_TOKENS"
    content-filter Anthropic "refusal"
    content-filter Chat "content_filter"
    content-filter Responses "content_filter"
    content-filter Gemini "SAFETY"
    error Anthropic "error"
    error Chat "error"
    error Responses "server_error"
    error Gemini "MALFORMED_FUNCTION_CALL"
    other Anthropic "other"
    other Chat "other"
    other Responses "other"
    other Gemini "OTHER"
    unknown Anthropic null
    unknown Chat null
    unknown Responses "other"
    unknown Gemini "FINISH_REASON_UNSPECIFIED"
    "#);
}

#[tokio::test]
async fn errors_have_the_form_of_their_format() {
    let mut errors = Vec::new();
    for format in Format::ALL {
        let body = written(format, "{ say: a, fail: { error: Overloaded, code: overloaded_error } }").await;
        let last = body.trim_end_matches(['\n', '↵']).lines().last().unwrap().to_owned();
        let server = ModelServer::play("- { fail: { status: 529, message: Overloaded } }").await;
        let reply =
            Client::connect(server.address()).await.post(&format.path("m"), &json!({})).await.unwrap();
        errors.push(format!("{last}\n{} {}", reply.status, reply.text()));
    }
    insta::assert_snapshot!(errors.join("\n"), @r#"
    data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
    529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_scripted"}
    data: {"error":{"message":"Overloaded","type":"server_error","param":null,"code":"overloaded_error"}}
    529 {"error":{"message":"Overloaded","type":"overloaded_error","param":null,"code":null}}
    data: {"type":"error","sequence_number":5,"code":"overloaded_error","message":"Overloaded","param":null}
    529 {"error":{"message":"Overloaded","type":"overloaded_error","param":null,"code":null}}
    data: {"error":{"code":500,"message":"Overloaded","status":"overloaded_error"}}
    529 {"error":{"code":529,"message":"Overloaded","status":"UNAVAILABLE"}}
    "#);
}

#[tokio::test]
async fn requests_are_kept_and_connections_are_used_again() {
    let server = ModelServer::play("[one, two]").await;
    let mut client = Client::connect(server.address()).await;
    for text in ["first", "second"] {
        let body = json!({"model": "m", "messages": [{"role": "user", "content": text}]});
        let reply = client.post("/proxy/v1/chat/completions", &body).await.unwrap();
        assert!(reply.is_whole);
    }
    server.until_requests(2).await;
    let request = server.request(1);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/proxy/v1/chat/completions"));
    assert_eq!((request.format, request.header("host")), (Some(Format::Chat), Some("test")));
    assert_eq!((request.seen.last_user(), request.seen.model.as_deref()), ("second", Some("m")));
    assert_eq!(server.requests().len(), 2);
    server.finish();
}

#[tokio::test]
async fn what_is_not_a_model_is_not_found() {
    let server = ModelServer::play("[]").await;
    let reply = Client::connect(server.address()).await.post("/v1/embeddings", &json!({})).await.unwrap();
    insta::assert_snapshot!(format!("{} {}", reply.status, reply.text()), @r#"404 {"error":{"message":"the scripted server has nothing at POST /v1/embeddings","type":"not_found_error","code":null}}"#);
}

#[tokio::test]
async fn results_are_found_by_the_name_of_their_tool() {
    let server = ModelServer::play("[ok]").await;
    let body = json!({"model": "m", "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "note", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "denied"}], "is_error": true},
        ]},
    ]});
    Client::connect(server.address()).await.post("/v1/messages", &body).await.unwrap();
    assert_eq!(server.request(0).result_of("note"), "denied");
}
