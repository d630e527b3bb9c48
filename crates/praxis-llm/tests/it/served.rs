//! Models that are asked over real sockets.

use std::net::SocketAddr;
use std::time::Duration;

use praxis_llm::catalogue;
use praxis_llm::failure::Failure;
use praxis_llm::provider::{Callers, Endpoint, KeySource, Resolved, Timeouts, WireKind};
use praxis_llm::turn::{Heard, Model, Status};
use praxis_llm::{Event, Headers, Request, Secret, Target};
use praxis_os::HttpStreams;
use praxis_testkit::Format;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::lab::{tool, user};

/// A key that must not be seen anywhere.
pub(crate) const KEY: &str = "zq-S3cret.Key-0123456789";

/// Long enough for a slow machine; a test that waits for it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn resolved(format: Format, base: &str) -> Resolved {
    let (wire, npm, path, header) = match format {
        Format::Anthropic => (WireKind::Anthropic, "@ai-sdk/anthropic", "/v1", "x-api-key"),
        Format::Chat => (WireKind::Chat, "@ai-sdk/openai-compatible", "/v1", "authorization"),
        Format::Responses => (WireKind::Responses, "@ai-sdk/openai", "/v1", "authorization"),
        Format::Gemini => (WireKind::Gemini, "@ai-sdk/google", "/v1beta", "x-goog-api-key"),
    };
    let mut headers = Headers::default();
    let before = if header == "authorization" { "Bearer " } else { "" };
    headers.set(header, Secret::new(&format!("{before}{KEY}")).unwrap());
    Resolved {
        target: Target { provider: "acme".into(), ..crate::lab::target(npm, "m-1") },
        model: catalogue::Model { tool_call: true, ..catalogue::Model::default() },
        endpoint: Endpoint {
            wire,
            base_url: format!("{base}{path}"),
            headers,
            timeouts: Timeouts { request: None, header: Some(PATIENCE), chunk: Some(PATIENCE) },
        },
        options: serde_json::Map::default(),
        variants: praxis_llm::options::Variants::default(),
        provider_options: serde_json::Map::default(),
        cache_key: None,
        key_source: KeySource::Config,
        callers: Callers::default(),
    }
}

pub(crate) fn model(format: Format, base: &str) -> Model {
    Model::new(resolved(format, base), &HttpStreams::default())
}

pub(crate) fn hello() -> Request {
    Request { messages: vec![user("hello")], tools: vec![tool("read")], ..Request::default() }
}

/// Asks once and gives what was heard of the answer.
pub(crate) async fn ask(model: &Model) -> (Vec<Heard>, Result<praxis_llm::turn::Summary, Failure>) {
    let mut heard = Vec::new();
    let outcome = model.stream(&hello(), &mut heard, &CancellationToken::new()).await;
    (heard, outcome)
}

/// Asks a server once, which must fail.
pub(crate) async fn failure(format: Format, base: &str) -> Failure {
    ask(&model(format, base)).await.1.unwrap_err()
}

/// What was heard, one word each, deltas put together.
pub(crate) fn told(heard: &[Heard]) -> String {
    let mut words = String::new();
    for one in heard {
        match one {
            Heard::Event(Event::TextDelta { delta, .. }) => words.push_str(delta),
            Heard::Event(Event::ToolCall { tool_name, .. }) => {
                words.push_str(&format!(" [call {tool_name}]"))
            }
            Heard::Event(Event::FinishStep { finish_reason, .. }) => {
                words.push_str(&format!(" [{finish_reason:?}]"));
            }
            Heard::Event(_) => {}
            Heard::Status(Status::Waiting { attempt, message, .. }) => {
                words.push_str(&format!(" [wait {attempt}: {message}] "));
            }
            Heard::Status(Status::Restarted) => words.push_str("[restart] "),
            Heard::Status(Status::Switched { from, to, class, .. }) => {
                words.push_str(&format!(" [{from} → {to}: {class:?}] "));
            }
            Heard::Status(Status::Warning(warning)) => words.push_str(&format!(" [warning {warning}] ")),
        }
    }
    words
}

/// Answers every connection with the same bytes and closes it.
pub(crate) async fn canned(answer: Vec<u8>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ = request(&mut socket).await;
            let _ = socket.write_all(&answer).await;
            let _ = socket.shutdown().await;
        }
    });
    (address, task)
}

/// Reads a whole request and gives its head.
pub(crate) async fn request(socket: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    loop {
        if socket.read_buf(&mut seen).await.unwrap_or(0) == 0 {
            return String::from_utf8_lossy(&seen).into_owned();
        }
        let text = String::from_utf8_lossy(&seen).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length:")
                .map(|n| n.trim().parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap_or(0) {
            return head.to_owned();
        }
    }
}

/// An HTTP answer with a body.
pub(crate) fn http(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}
