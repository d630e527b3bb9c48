//! How fast answers of Chat Completions and Responses are read and requests written. Budgets: text deltas at 200 MB/s or
//! more on one core, a history of 1,000 messages in under 10 ms.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use praxis_llm::stream::Reader;
use praxis_llm::wire::{Chat, Responses, Wire};
use praxis_llm::{AssistantPart, Message, Metadata, Output, Request, Target, ToolResult, UserPart};
use serde_json::json;

/// What a network read typically gives.
const CHUNK: usize = 16 << 10;

/// Deltas in one answer.
const DELTAS: usize = 20_000;

const WORDS: &str = "The function returns early when the list is empty, so ";

fn main() {
    divan::main();
}

fn chat() -> String {
    let delta = format!(
        "data: {{\"id\":\"chatcmpl-BxYz01\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"gpt-4.1\",\
         \"service_tier\":\"default\",\"system_fingerprint\":\"fp_01\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\
         \"{WORDS}\"}},\"logprobs\":null,\"finish_reason\":null}}],\"usage\":null}}\n\n"
    );
    delta.repeat(DELTAS)
}

fn responses() -> String {
    let delta = format!(
        "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":9,\
         \"item_id\":\"msg_68a1\",\"output_index\":0,\"content_index\":0,\"delta\":\"{WORDS}\",\"logprobs\":[],\
         \"obfuscation\":\"Zk3q\"}}\n\n"
    );
    delta.repeat(DELTAS)
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
fn chat_text(bencher: Bencher) {
    raise(bencher, &Chat::default(), &chat());
}

#[divan::bench]
fn responses_text(bencher: Bencher) {
    raise(bencher, &Responses::default(), &responses());
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
        provider: "openai".to_owned(),
        npm: "@ai-sdk/openai".to_owned(),
        model: "gpt-5".to_owned(),
        wire_model: "gpt-5".to_owned(),
        input: Vec::new(),
        reasoning: true,
        interleaved: None,
        output_limit: 64_000,
    };
    bencher.bench_local(|| wire.lower(black_box(&request), &target).body.to_string().len());
}

#[divan::bench]
fn chat_lower(bencher: Bencher) {
    lower(bencher, &Chat::default());
}

#[divan::bench]
fn responses_lower(bencher: Bencher) {
    lower(bencher, &Responses::default());
}
