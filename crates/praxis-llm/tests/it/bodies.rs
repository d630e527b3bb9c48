//! Bodies that are no event streams, and streams that are too large.

use praxis_llm::stream::Reader;
use praxis_llm::wire::{Anthropic, Wire};
use praxis_llm::{Event, FinishReason};

use crate::lab::{lines, read};

fn answer(body: &str) -> String {
    let whole = lines(&Anthropic, body.as_bytes());
    let bitten = read(&Anthropic, body.as_bytes(), 1);
    assert_eq!(bitten.len(), 1, "{bitten:?}");
    assert_eq!(whole, serde_json::to_string(&bitten[0]).unwrap());
    whole
}

#[test]
fn a_body_that_is_no_event_stream_is_told_from_one() {
    let bodies = [
        "<!DOCTYPE html>\n<html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>",
        "<h1>Sign in</h1><p>to the <b>proxy</b></p>",
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        r#"[{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}]"#,
        r#"{"error":"model not found"}"#,
        r#"{"detail":"Not Found"}"#,
        "{\"model\":\"llama\",\"message\":{\"content\":\"Hi\"},\"done\":false}\n{\"done\":true}\n",
        "\u{feff} {\"id\":\"1\",\"choices\":[]}",
        "error code: 522",
        "upstream connect error",
        "",
        " \r\n",
        "dat",
    ];
    insta::assert_snapshot!(bodies.map(answer).join("\n"), @r##"
    {"type":"error","message":"the server answered with a web page instead of an event stream; check the base URL and the proxy: 502 Bad Gateway"}
    {"type":"error","message":"the server answered with a web page instead of an event stream; check the base URL and the proxy: Sign in to the proxy"}
    {"type":"error","message":"invalid x-api-key","code":"authentication_error"}
    {"type":"error","message":"API key not valid.","code":"INVALID_ARGUMENT"}
    {"type":"error","message":"model not found"}
    {"type":"error","message":"Not Found"}
    {"type":"error","message":"the server answered with JSON instead of an event stream; check the base URL and that it can stream: {\"model\":\"llama\",\"message\":{\"content\":\"Hi\"},\"done\":false} {\"done\":true}"}
    {"type":"error","message":"the server answered with JSON instead of an event stream; check the base URL and that it can stream: {\"id\":\"1\",\"choices\":[]}"}
    {"type":"error","message":"the server answered with text instead of an event stream: error code: 522"}
    {"type":"error","message":"the server answered with text instead of an event stream: upstream connect error"}
    {"type":"error","message":"the server sent an empty answer; try again"}
    {"type":"error","message":"the server sent an empty answer; try again"}
    {"type":"error","message":"the server answered with text instead of an event stream: dat"}
    "##);
}

#[test]
fn an_endless_page_is_refused_early() {
    let (mut reader, mut events) = (Reader::new(Anthropic.raise()), Vec::new());
    let mut chunks = 0;
    while !reader.is_done() {
        reader.push(&[b'<'; 1 << 12], &mut events);
        chunks += 1;
        assert!(chunks < 100);
    }
    assert_eq!(events.len(), 1);
}

#[test]
fn an_event_larger_than_the_cap_is_an_error() {
    let (mut reader, mut events) = (Reader::new(Anthropic.raise()), Vec::new());
    reader.push(b"data: \"", &mut events);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        reader.push(&chunk, &mut events);
    }
    reader.end(&mut events);
    let message =
        "the server sent one event of more than 67108864 bytes; ask for less in one answer".to_owned();
    assert_eq!(events, [Event::Error { message, code: None }]);
}

#[test]
fn a_stream_is_over_once_the_server_says_so() {
    let (mut reader, mut events) = (Reader::new(Anthropic.raise()), Vec::new());
    let stream =
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: [DONE]\n\n";
    reader.push(stream.as_bytes(), &mut events);
    assert!(reader.is_done());
    reader.push(b"data: {\"type\":\"message_stop\"}\n\n", &mut events);
    reader.end(&mut events);
    assert_eq!(events, [Event::FinishStep { finish_reason: FinishReason::Stop, usage: Default::default() }]);
}

#[test]
fn unknown_events_are_counted_and_ignored() {
    let (mut reader, mut events) = (Reader::new(Anthropic.raise()), Vec::new());
    reader.push(b"event: hologram\ndata: not even JSON\n\ndata: {\"type\":\"new\"}\n\n", &mut events);
    assert_eq!((reader.unknown(), events.len()), (2, 0));
}
