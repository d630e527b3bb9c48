//! What the tests share.

use std::path::Path;
use std::sync::Arc;

use praxis_llm::stream::Reader;
use praxis_llm::wire::{Anthropic, Gemini, Wire};
use praxis_llm::{
    AssistantPart, Event, Media, Message, Metadata, Modality, Output, Request, SystemBlock, Target,
    ToolResult, ToolSpec, UserPart,
};
use serde_json::{Value, json};

pub(crate) fn wires() -> [(&'static str, Box<dyn Wire>); 2] {
    [("anthropic", Box::new(Anthropic)), ("gemini", Box::new(Gemini::with_prefix("t")))]
}

/// The recorded bodies of a wire, by name.
pub(crate) fn recorded(wire: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut bodies = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name.starts_with(wire) {
            bodies.push((name, std::fs::read(path).unwrap()));
        }
    }
    bodies.sort();
    assert!(!bodies.is_empty());
    bodies
}

pub(crate) fn body(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams").join(name)).unwrap()
}

/// The events of a body that comes in chunks of some size.
pub(crate) fn read(wire: &dyn Wire, body: &[u8], size: usize) -> Vec<Event> {
    let (mut reader, mut events) = (Reader::new(wire.raise()), Vec::new());
    body.chunks(size.max(1)).for_each(|chunk| reader.push(chunk, &mut events));
    reader.end(&mut events);
    events
}

/// The lines that `praxis debug stream` would print.
pub(crate) fn lines(wire: &dyn Wire, body: &[u8]) -> String {
    let events = read(wire, body, body.len());
    events.iter().map(|event| serde_json::to_string(event).unwrap()).collect::<Vec<_>>().join("\n")
}

pub(crate) fn target(npm: &str, model: &str) -> Target {
    Target {
        provider: if npm.contains("anthropic") { "anthropic" } else { "google" }.to_owned(),
        npm: npm.to_owned(),
        model: model.to_owned(),
        wire_model: model.to_owned(),
        input: vec![Modality::Text, Modality::Image, Modality::Pdf],
        reasoning: true,
        interleaved: None,
        output_limit: 64_000,
    }
}

pub(crate) fn claude() -> Target {
    target("@ai-sdk/anthropic", "claude-sonnet-4-5")
}

pub(crate) fn user(text: &str) -> Message {
    Message::User(vec![UserPart::Text(text.into())])
}

pub(crate) fn text(text: &str) -> AssistantPart {
    AssistantPart::Text { text: text.into(), metadata: Metadata::default() }
}

pub(crate) fn call(id: &str, input: Value, metadata: Metadata) -> AssistantPart {
    AssistantPart::Call { id: id.to_owned(), name: "read".to_owned(), input: Arc::new(input), metadata }
}

pub(crate) fn result(id: &str, output: Output) -> ToolResult {
    ToolResult { id: id.to_owned(), name: "read".to_owned(), output }
}

pub(crate) fn picture() -> Media {
    Media { mime: "image/png".to_owned(), data: "iVBORw0KGgo=".into(), name: Some("a.png".to_owned()) }
}

pub(crate) fn tool(name: &str) -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {"filePath": {"type": "string"}, "limit": {"type": ["integer", "null"], "format": "uint"}},
        "required": ["filePath"],
        "additionalProperties": false,
    });
    ToolSpec { name: name.to_owned(), description: "Reads a file.".into(), parameters: Arc::new(parameters) }
}

/// A request with a bit of everything.
pub(crate) fn request(family: &str, signature: &str) -> Request {
    let signed = || Metadata::default().with(family, signature, "c2ln");
    let output = Output::Content { text: "1: fn main".into(), media: vec![picture()] };
    Request {
        system: vec![SystemBlock("Be brief.".into()), SystemBlock("Today is Monday.".into())],
        messages: vec![
            Message::User(vec![UserPart::Text("Read it".into()), UserPart::Media(picture())]),
            Message::Assistant(vec![
                AssistantPart::Reasoning { text: "I must read.".into(), metadata: signed() },
                text("Reading."),
                call("call:1", json!({"filePath": "a.rs"}), signed()),
                call("call:2", json!("{\"filePath\": "), Metadata::default()),
            ]),
            Message::Tool(vec![result("call:1", output), result("call:2", Output::Error("not JSON".into()))]),
            Message::Note("3 < 4".to_owned()),
            Message::Assistant(vec![text("Done.")]),
            user("Thanks"),
        ],
        tools: vec![tool("read"), tool("write")],
        ..Request::default()
    }
}
