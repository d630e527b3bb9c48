//! An answer from a loopback server through the list of events. Budget: 100,000 deltas under 0.5 CPU seconds, the server
//! included; each delta is a chunk of its own. Also what the first request costs beyond the others.

#![expect(clippy::expect_used, reason = "a benchmark may fail where it stands")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::ops::ControlFlow;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use praxis_llm::catalogue;
use praxis_llm::options::Variants;
use praxis_llm::provider::{Callers, Endpoint, KeySource, Resolved, Timeouts, WireKind};
use praxis_llm::turn::{Heard, Listener, Model};
use praxis_llm::{Headers, Message, Request, Target, UserPart};
use praxis_os::HttpStreams;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const DELTAS: usize = 100_000;

fn main() {
    divan::main();
}

/// Takes everything and keeps nothing.
struct Nobody(usize);

impl Listener for Nobody {
    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        self.0 += 1;
        black_box(heard);
        ControlFlow::Continue(())
    }
}

fn chunk(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes());
}

/// An answer with so many deltas, as bytes on the wire.
fn answer(wire: WireKind, deltas: usize) -> Vec<u8> {
    let mut out =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let (start, delta, end) = match wire {
        WireKind::Anthropic => (
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" word\"}}\n\n",
            "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
        _ => (
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n",
            "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"finish_reason\":null}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        ),
    };
    chunk(start, &mut out);
    for _ in 0..deltas {
        chunk(delta, &mut out);
    }
    chunk(end, &mut out);
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

/// Answers every request of every connection with the same bytes.
fn serve(answer: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("loopback");
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let Ok(mut socket) = socket else { return };
            let mut seen = [0; 64 << 10];
            // A request of this benchmark fits into one read.
            while socket.read(&mut seen).is_ok_and(|read| read > 0) && socket.write_all(&answer).is_ok() {}
        }
    });
    address
}

fn model(wire: WireKind, address: SocketAddr, http: &HttpStreams) -> Model {
    let target = Target {
        provider: "p".into(),
        npm: "@ai-sdk/openai-compatible".into(),
        model: "m".into(),
        wire_model: "m".into(),
        input: Vec::new(),
        reasoning: false,
        interleaved: None,
        output_limit: 0,
    };
    let endpoint = Endpoint {
        wire,
        base_url: format!("http://{address}/v1"),
        headers: Headers::default(),
        timeouts: Timeouts::default(),
    };
    let resolved = Resolved {
        target,
        model: catalogue::Model { tool_call: true, ..catalogue::Model::default() },
        endpoint,
        options: serde_json::Map::default(),
        variants: Variants::default(),
        provider_options: serde_json::Map::default(),
        cache_key: None,
        key_source: KeySource::Config,
        callers: Callers::default(),
    };
    Model::new(resolved, http)
}

fn ask(runtime: &Runtime, model: &Model, request: &Request) -> usize {
    let mut nobody = Nobody(0);
    let cancel = CancellationToken::new();
    runtime.block_on(model.stream(request, &mut nobody, &cancel)).expect("an answer");
    nobody.0
}

fn request() -> Request {
    Request { messages: vec![Message::User(vec![UserPart::Text("go on".into())])], ..Request::default() }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[divan::bench(args = ["anthropic", "chat"], sample_count = 10)]
fn hundred_thousand_deltas(bencher: Bencher<'_, '_>, name: &str) {
    let wire = if name == "chat" { WireKind::Chat } else { WireKind::Anthropic };
    let model = model(wire, serve(answer(wire, DELTAS)), &HttpStreams::default());
    let (runtime, request) = (runtime(), request());
    bencher.counter(ItemsCount::new(DELTAS)).bench_local(|| {
        assert!(ask(&runtime, &model, &request) >= DELTAS);
    });
}

#[divan::bench]
fn one_delta_on_an_open_connection(bencher: Bencher<'_, '_>) {
    let wire = WireKind::Anthropic;
    let model = model(wire, serve(answer(wire, 1)), &HttpStreams::default());
    let (runtime, request) = (runtime(), request());
    bencher.bench_local(|| ask(&runtime, &model, &request));
}

#[divan::bench]
fn one_delta_with_a_new_client(bencher: Bencher<'_, '_>) {
    let wire = WireKind::Anthropic;
    let address = serve(answer(wire, 1));
    let (runtime, request) = (runtime(), request());
    bencher.bench_local(|| ask(&runtime, &model(wire, address, &HttpStreams::default()), &request));
}
