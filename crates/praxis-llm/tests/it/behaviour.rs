//! The same answers over four wire formats mean the same: a script is served as each of them and read back.

use praxis_llm::stream::Reader;
use praxis_llm::wire::{Anthropic, Chat, Gemini, Responses, Wire};
use praxis_llm::{Event, Message, Output, Request};
use praxis_testkit::{Client, Format, ModelServer};
use serde_json::json;

use crate::lab::{call, request, result, target, text, tool, user};

fn wire(format: Format) -> (Box<dyn Wire>, &'static str, &'static str) {
    match format {
        Format::Anthropic => (Box::new(Anthropic), "@ai-sdk/anthropic", "/v1"),
        Format::Chat => (Box::new(Chat::with_prefix("t")), "@ai-sdk/openai-compatible", "/v1"),
        Format::Responses => (Box::new(Responses::with_prefix("t")), "@ai-sdk/openai", "/v1"),
        Format::Gemini => (Box::new(Gemini::with_prefix("t")), "@ai-sdk/google", "/v1beta"),
    }
}

/// Asks a server and reads what it answers.
async fn ask(server: &ModelServer, format: Format, request: &Request) -> Vec<Event> {
    let (wire, npm, base) = wire(format);
    let lowered = wire.lower(request, &target(npm, "m-1"));
    let path = format!("{base}{}", lowered.path);
    let mut client = Client::connect(server.address()).await;
    let reply = client.post(&path, &lowered.body).await.unwrap();
    let (mut reader, mut events) = (Reader::new(wire.raise()), Vec::new());
    reply.chunks.iter().for_each(|chunk| reader.push(chunk, &mut events));
    reader.end(&mut events);
    assert_eq!(reader.unknown(), 0, "{format:?}: the server sent what the reader does not know");
    events
}

/// What an answer amounts to: deltas put together, ids left out.
fn told(events: &[Event]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut open: Vec<(String, usize)> = Vec::new();
    for event in events {
        match event {
            Event::TextStart { id, .. } | Event::ReasoningStart { id, .. } => {
                open.push((id.clone(), told.len()));
                let is_text = matches!(event, Event::TextStart { .. });
                told.push(if is_text { "text: " } else { "thought: " }.to_owned());
            }
            Event::TextDelta { id, delta } | Event::ReasoningDelta { id, delta } => {
                let (_, at) = open.iter().rfind(|(known, _)| known == id).unwrap();
                told[*at].push_str(delta);
            }
            Event::ReasoningEnd { id, metadata } if !metadata.is_empty() => {
                let (_, at) = open.iter().rfind(|(known, _)| known == id).unwrap();
                let is_signed = serde_json::to_string(metadata).unwrap().contains("c2lnbmVk");
                told[*at].push_str(if is_signed { " (signed)" } else { "" });
            }
            Event::ToolCall { tool_name, input, .. } => told.push(format!("call: {tool_name} {input}")),
            Event::FinishStep { finish_reason, usage } => {
                let tokens = [usage.input_tokens, usage.output_tokens, usage.total_tokens];
                let tokens = tokens.map(|tokens| tokens.map_or("?".to_owned(), |tokens| tokens.to_string()));
                told.push(format!("finish: {finish_reason:?} {}", tokens.join("/")));
            }
            Event::Error { code, .. } => told.push(format!("error: {}", code.as_deref().unwrap_or("-"))),
            _ => {}
        }
    }
    told
}

/// What a turn amounts to, the same over all formats.
async fn over_all(turn: &str, expected: &[&str]) {
    for format in Format::ALL {
        let server = ModelServer::play(&format!("turns:\n  - {turn}\n")).await;
        let events =
            ask(&server, format, &Request { messages: vec![user("hi")], ..Request::default() }).await;
        assert_eq!(told(&events), expected, "{format:?}: {events:#?}");
    }
}

#[tokio::test]
async fn text_and_usage() {
    let usage = "usage: { input: 100, output: 20, reasoning: 5, cached: 30 }";
    over_all(
        &format!("{{ say: Hello there, chunks: words, {usage} }}"),
        &["text: Hello there", "finish: Stop 100/20/120"],
    )
    .await;
}

#[tokio::test]
async fn a_thought_with_its_signature() {
    let turn = "{ think: { text: Let me see, signature: c2lnbmVk }, say: Yes, chunks: 3, usage: { input: 1, output: 2 } }";
    over_all(turn, &["thought: Let me see (signed)", "text: Yes", "finish: Stop 1/2/3"]).await;
}

#[tokio::test]
async fn one_call() {
    let turn =
        "{ say: I look, call: { read: { filePath: a.rs } }, chunks: 4, usage: { input: 1, output: 2 } }";
    over_all(turn, &["text: I look", r#"call: read {"filePath":"a.rs"}"#, "finish: ToolCalls 1/2/3"]).await;
}

#[tokio::test]
async fn parallel_calls_with_mixed_pieces() {
    let turn = "{ call: { read: { filePath: a.rs }, write: { text: 'é\"\\' } }, chunks: 5, interleave: true, usage: { input: 1, output: 2 } }";
    over_all(
        turn,
        &[r#"call: read {"filePath":"a.rs"}"#, r#"call: write {"text":"é\"\\"}"#, "finish: ToolCalls 1/2/3"],
    )
    .await;
}

#[tokio::test]
async fn a_call_without_arguments() {
    over_all(
        "{ call: { now: }, usage: { input: 1, output: 2 } }",
        &["call: now {}", "finish: ToolCalls 1/2/3"],
    )
    .await;
}

#[tokio::test]
async fn finish_reasons() {
    for (word, reason) in [("stop", "Stop"), ("length", "Length"), ("content-filter", "ContentFilter")] {
        let turn = format!("{{ say: x, finish: {word}, usage: {{ input: 1, output: 2 }} }}");
        over_all(&turn, &["text: x", &format!("finish: {reason} 1/2/3")]).await;
    }
}

#[tokio::test]
async fn bytes_that_come_one_at_a_time() {
    let turn = "{ think: 'é 😀', say: 'wörld 😀', call: { read: { a: 'ü😀' } }, drip_bytes: 1, usage: { input: 1, output: 2 } }";
    over_all(
        turn,
        &["thought: é 😀", "text: wörld 😀", r#"call: read {"a":"ü😀"}"#, "finish: ToolCalls 1/2/3"],
    )
    .await;
}

#[tokio::test]
async fn an_error_in_mid_stream() {
    let turn = "{ say: I was about, fail: { error: Overloaded, code: overloaded_error } }";
    over_all(turn, &["text: I was about", "error: overloaded_error"]).await;
}

#[tokio::test]
async fn a_request_that_the_script_did_not_expect() {
    over_all("{ expect: { user: bye }, say: x }", &["error: script_mismatch"]).await;
}

/// Wherever the answer is cut, there is one error at its end, and no call that was not whole.
#[tokio::test]
async fn an_answer_cut_anywhere() {
    let say = "think: Hm, say: Hello, call: { read: { filePath: a.rs } }, chunks: 3, usage: { input: 1, output: 2 }";
    for format in Format::ALL {
        let request = Request { messages: vec![user("hi")], ..Request::default() };
        let server = ModelServer::play(&format!("- {{ {say} }}")).await;
        let whole = ask(&server, format, &request).await;
        for after in (0..4_000).step_by(97) {
            let server =
                ModelServer::play(&format!("- {{ {say}, fail: {{ cut_after_bytes: {after} }} }}")).await;
            let events = ask(&server, format, &request).await;
            let last = told(&events).pop().unwrap();
            if last.starts_with("finish") {
                // Cut behind all that counts.
                assert_eq!(told(&events), told(&whole), "{format:?} at {after}");
                continue;
            }
            assert_eq!(last, "error: -", "{format:?} at {after}: {events:#?}");
            let half = events.iter().any(|event| {
                matches!(event, Event::ToolCall { input, .. } if *input != json!({"filePath": "a.rs"}))
            });
            assert!(!half, "{format:?} at {after}: {events:#?}");
        }
    }
}

#[tokio::test]
async fn answers_that_are_none() {
    for fault in ["html", "garbage", "{ status: 503 }"] {
        for format in Format::ALL {
            let server = ModelServer::play(&format!("- {{ say: x, fail: {fault} }}")).await;
            let events =
                ask(&server, format, &Request { messages: vec![user("hi")], ..Request::default() }).await;
            let told = told(&events);
            assert!(told.len() == 1 && told[0].starts_with("error"), "{format:?} {fault}: {events:#?}");
        }
    }
}

/// What was lowered is seen by the script as the request that it was.
#[tokio::test]
async fn requests_are_seen_alike() {
    let request = Request {
        messages: vec![
            user("add three lines"),
            Message::Assistant(vec![
                text("I will."),
                call("c1", json!({"filePath": "a.rs"}), Default::default()),
                call("c2", json!({"filePath": "b.rs"}), Default::default()),
            ]),
            Message::Tool(vec![
                result("c1", Output::Text("one\ntwo".into())),
                result("c2", Output::Error("denied by rule".into())),
            ]),
        ],
        tools: vec![tool("edit"), tool("read")],
        ..request("none", "none")
    };
    let expect = "{ user: { equals: add three lines }, system: [Be brief., Today is Monday.], model: m-1, tools: [edit, read],
        without: [bash], messages: 3, anywhere: I will.,
        result: [{ of: read, text: two, error: false }, { of: read, text: denied by rule, error: true }] }";
    for format in Format::ALL {
        let server = ModelServer::play(&format!("- {{ expect: {expect}, say: Done }}")).await;
        let events = ask(&server, format, &request).await;
        assert_eq!(told(&events)[0], "text: Done", "{format:?}: {events:#?}");
        server.finish();
    }
}
