//! How fast answers are read and requests written. Budgets: text deltas at 200 MB/s or more on one core, a history of 1,000
//! messages in under 10 ms.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use praxis_llm::stream::Reader;
use praxis_llm::wire::{Anthropic, Gemini, Wire};
use praxis_llm::{AssistantPart, Message, Metadata, Output, Request, Target, ToolResult, UserPart};
use serde_json::json;

/// What a network read typically gives.
const CHUNK: usize = 16 << 10;

/// Deltas in one answer: few enough that a sample fits into one slice of a busy machine.
const DELTAS: usize = 2_000;

fn main() {
    divan::main();
}

const WORDS: &str = "The function returns early when the list is empty, so ";

fn anthropic() -> String {
    let mut body = String::from(
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    );
    for _ in 0..DELTAS {
        body.push_str("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"");
        body.push_str(WORDS);
        body.push_str("\"}}\n\n");
    }
    body
}

fn gemini() -> String {
    let mut body = String::new();
    for n in 0..DELTAS {
        body.push_str("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"");
        body.push_str(WORDS);
        body.push_str("\"}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":812,\"candidatesTokenCount\":");
        body.push_str(&n.to_string());
        body.push_str(
            ",\"totalTokenCount\":900},\"modelVersion\":\"gemini-2.5-pro\",\"responseId\":\"x1\"}\r\n\r\n",
        );
    }
    body
}

fn raise(bencher: Bencher, wire: &dyn Wire, body: &str) {
    let mut events = Vec::new();
    bencher.counter(BytesCount::of_str(body)).bench_local(|| {
        let mut reader = Reader::new(wire.raise());
        for chunk in body.as_bytes().chunks(CHUNK) {
            events.clear();
            reader.push(black_box(chunk), &mut events);
        }
        events.len()
    });
}

#[divan::bench]
fn anthropic_text(bencher: Bencher) {
    raise(bencher, &Anthropic, &anthropic());
}

#[divan::bench]
fn gemini_text(bencher: Bencher) {
    raise(bencher, &Gemini::default(), &gemini());
}

fn history(messages: usize) -> Request {
    let line = "    let value = compute(&input)?; // as before\n";
    let mut request = Request::default();
    request.messages.push(Message::User(vec![UserPart::Text("Go".into())]));
    for n in 0..messages / 2 {
        let id = format!("call_{n}");
        request.messages.push(Message::Assistant(vec![
            AssistantPart::Text { text: "Next.".into(), metadata: Metadata::default() },
            AssistantPart::Call {
                id: id.clone(),
                name: "read".to_owned(),
                input: json!({"filePath": "src/main.rs", "offset": n}).into(),
                metadata: Metadata::default(),
            },
        ]));
        let output = Output::Text(line.repeat(40).into());
        request.messages.push(Message::Tool(vec![ToolResult { id, name: "read".to_owned(), output }]));
    }
    request
}

fn lower(bencher: Bencher, wire: &dyn Wire) {
    let request = history(1_000);
    let target = Target {
        provider: "anthropic".to_owned(),
        npm: "@ai-sdk/anthropic".to_owned(),
        model: "claude-sonnet-4-5".to_owned(),
        wire_model: "claude-sonnet-4-5".to_owned(),
        input: Vec::new(),
        reasoning: true,
        interleaved: None,
        output_limit: 64_000,
    };
    bencher.bench_local(|| wire.lower(black_box(&request), &target).body.to_string().len());
}

#[divan::bench]
fn anthropic_lower(bencher: Bencher) {
    lower(bencher, &Anthropic);
}

#[divan::bench]
fn gemini_lower(bencher: Bencher) {
    lower(bencher, &Gemini::default());
}
