//! How fast a history is prepared and an answer is watched. Budgets: 1,000 messages in under 3 ms, a small delta in
//! under 1 µs.

use std::sync::Arc;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use praxis_llm::normalise::normalise;
use praxis_llm::recover::{Mode, Recover};
use praxis_llm::think::{Think, Thinking};
use praxis_llm::{
    AssistantPart, Event, Message, Metadata, Output, Request, Target, ToolResult, ToolSpec, UserPart,
};
use serde_json::json;

fn main() {
    divan::main();
}

fn target(npm: &str, model: &str) -> Target {
    Target {
        provider: "p".into(),
        npm: npm.into(),
        model: model.into(),
        wire_model: model.into(),
        input: Vec::new(),
        reasoning: true,
        interleaved: None,
        output_limit: 0,
    }
}

/// 1,000 messages with 4 KiB in each result.
fn history() -> Request {
    let mut messages = vec![Message::User(vec![UserPart::Text("go on".into())])];
    let output: Arc<str> = "0123456789abcdef".repeat(256).into();
    for number in 0..500 {
        let (id, name) = (format!("call.{number}"), "read".to_owned());
        messages.push(Message::Assistant(vec![
            AssistantPart::Reasoning { text: "hm".into(), metadata: Metadata::default() },
            AssistantPart::Text { text: "I read it.".into(), metadata: Metadata::default() },
            AssistantPart::Call {
                id: id.clone(),
                name: name.clone(),
                input: Arc::new(json!({"path": "src/main.rs", "offset": number})),
                metadata: Metadata::default().with("anthropic", "signature", "s"),
            },
        ]));
        messages.push(Message::Tool(vec![ToolResult {
            id,
            name,
            output: Output::Text(Arc::clone(&output)),
        }]));
    }
    Request { messages, ..Request::default() }
}

#[divan::bench(args = ["@ai-sdk/anthropic", "@ai-sdk/mistral", "@ai-sdk/openai"])]
fn thousand_messages(bencher: Bencher<'_, '_>, npm: &str) {
    let target = target(npm, "m");
    bencher.with_inputs(history).bench_local_refs(|request| normalise(black_box(request), &target));
}

fn deltas() -> Vec<Event> {
    let words = ["The list `a` is ", "empty, so Vec<u8> and x[0] ", "fail.\n<div> is ", "no call.\n\n"];
    let delta = |words: &&str| Event::TextDelta { id: "0".into(), delta: (*words).to_owned() };
    words.iter().cycle().take(20_000).map(delta).collect()
}

fn size(events: &[Event]) -> BytesCount {
    let len = |event: &Event| if let Event::TextDelta { delta, .. } = event { delta.len() } else { 0 };
    BytesCount::new(events.iter().map(len).sum::<usize>())
}

#[divan::bench]
fn watch_for_calls(bencher: Bencher<'_, '_>) {
    let tool = ToolSpec { name: "read".into(), description: Arc::from(""), parameters: Arc::new(json!({})) };
    let events = deltas();
    bencher.counter(size(&events)).with_inputs(|| events.clone()).bench_local_values(|events| {
        let (mut recover, mut out) =
            (Recover::new(std::slice::from_ref(&tool), Mode::Any, "call"), Vec::new());
        events.into_iter().for_each(|event| recover.event(event, &mut out));
        out
    });
}

/// One call with a file of 512 KiB, in small pieces.
#[divan::bench]
fn hold_a_long_call(bencher: Bencher<'_, '_>) {
    let tool = ToolSpec { name: "write".into(), description: Arc::from(""), parameters: Arc::new(json!({})) };
    let content = "fn main() { println!(\"hi\"); }\n".repeat(16 << 10);
    let call = json!({"name": "write", "arguments": {"content": content}});
    let text = format!("<tool_call>{call}</tool_call>");
    let pieces = text.as_bytes().chunks(16).map(|piece| String::from_utf8_lossy(piece).into_owned());
    let events: Vec<Event> = pieces.map(|delta| Event::TextDelta { id: "0".into(), delta }).collect();
    bencher.counter(size(&events)).with_inputs(|| events.clone()).bench_local_values(|events| {
        let (mut recover, mut out) =
            (Recover::new(std::slice::from_ref(&tool), Mode::Any, "call"), Vec::new());
        events.into_iter().for_each(|event| recover.event(event, &mut out));
        recover.end(&mut out);
        out
    });
}

#[divan::bench]
fn watch_for_thoughts(bencher: Bencher<'_, '_>) {
    let mut events = deltas();
    events.insert(0, Event::TextDelta { id: "0".into(), delta: "<think>".into() });
    bencher.counter(size(&events)).with_inputs(|| events.clone()).bench_local_values(|events| {
        let (mut think, mut out) = (Think::new(&Thinking::default()), Vec::new());
        events.into_iter().for_each(|event| think.event(event, &mut out));
        out
    });
}
