//! Answers of Chat Completions and Responses in pieces, cut and wrong.

use praxis_llm::Event;
use praxis_llm::stream::Reader;
use praxis_llm::wire::{Chat, Responses, Wire, fuzz_chat, fuzz_responses};
use proptest::prelude::*;
use serde_json::Value;

use crate::lab::{body, read, recorded};

fn wires() -> [(&'static str, Box<dyn Wire>); 2] {
    [("chat", Box::new(Chat::with_prefix("t"))), ("responses", Box::new(Responses::with_prefix("t")))]
}

#[test]
fn brackets_are_closed_only_if_the_reason_says_that_nothing_is_missing() {
    let body = |reason: &str| {
        let call =
            r#"{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"range\": {\"from\": 1}"}}"#;
        let choice = format!(r#"{{"delta":{{"tool_calls":[{call}]}},"finish_reason":"{reason}"}}"#);
        format!("data: {{\"choices\":[{choice}]}}\n\ndata: [DONE]\n\n")
    };
    for (reason, raised) in
        [("tool_calls", 1), ("stop", 1), ("length", 0), ("content_filter", 0), ("abort", 0)]
    {
        let body = body(reason);
        let events = read(&Chat::with_prefix("t"), body.as_bytes(), body.len());
        assert_eq!(calls(&events).len(), raised, "{reason}");
        let failed = matches!(events.last(), Some(Event::Error { .. }));
        assert_eq!(failed, reason == "abort", "{reason}");
    }
}

#[test]
fn what_is_unknown_is_counted() {
    for (wire, name, unknown) in
        [(&wires()[0].1, "chat_odd_fields.sse", 3), (&wires()[1].1, "responses_server_tools.sse", 3)]
    {
        let (mut reader, mut events) = (Reader::new(wire.raise()), Vec::new());
        reader.push(&body(name), &mut events);
        reader.end(&mut events);
        assert_eq!(reader.unknown(), unknown, "{name}");
    }
}

#[test]
fn any_chunking_gives_the_same_events() {
    for (name, wire) in wires() {
        for (recording, body) in recorded(name) {
            let whole = read(wire.as_ref(), &body, body.len());
            for size in [1, 2, 3, 5, 7, 31, 97, 500] {
                assert_eq!(read(wire.as_ref(), &body, size), whole, "{recording} in chunks of {size}");
            }
        }
    }
}

/// The calls of some events: id and arguments.
fn calls(events: &[Event]) -> Vec<(&str, &Value)> {
    let mut calls = Vec::new();
    for event in events {
        if let Event::ToolCall { tool_call_id, input, .. } = event {
            calls.push((tool_call_id.as_str(), input));
        }
    }
    calls
}

#[test]
fn a_cut_at_any_byte_never_gives_half_a_call() {
    for (name, wire) in wires() {
        for (recording, body) in recorded(name) {
            let whole = read(wire.as_ref(), &body, body.len());
            for cut in 0..body.len() {
                let events = read(wire.as_ref(), &body[..cut], body.len());
                let ends = |event: &Event| matches!(event, Event::FinishStep { .. } | Event::Error { .. });
                assert!(events.last().is_some_and(ends), "{recording} cut at {cut}");
                assert_eq!(events.iter().filter(|event| ends(event)).count(), 1, "{recording} cut at {cut}");
                for call in calls(&events) {
                    assert!(calls(&whole).contains(&call), "{recording} cut at {cut} made {call:?}");
                }
            }
        }
    }
}

#[test]
fn any_byte_may_be_wrong() {
    for (name, wire) in wires() {
        for (_, body) in recorded(name) {
            for at in (0..body.len()).step_by(7) {
                for byte in [b'"', b'}', b'\n', 0xff] {
                    let mut body = body.clone();
                    body[at] = byte;
                    assert!(!read(wire.as_ref(), &body, body.len()).is_empty());
                }
            }
        }
    }
}

/// Pieces from which streams are made that are nearly right.
const WORDS: [&str; 24] = [
    "data: ",
    "\n\n",
    "[DONE]",
    "{\"choices\":[",
    "{\"delta\":{",
    "\"content\":\"x\"",
    "\"tool_calls\":[{\"index\":0",
    ",\"id\":\"a\"",
    ",\"function\":{\"name\":\"read\"",
    ",\"arguments\":\"{\"",
    ",\"arguments\":\"}\"",
    ",\"arguments\":{}",
    "}}]",
    "}}",
    "]}",
    "\"finish_reason\":\"stop\"",
    "\"finish_reason\":\"length\"",
    ",",
    "{\"type\":\"response.completed\"}",
    "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"name\":\"x\"",
    ",\"id\":\"i\"",
    "{\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i\",\"delta\":\"{\"}",
    "{\"type\":\"response.output_text.delta\",\"delta\":\"x\"}",
    "{\"error\":\"x\"}",
];

proptest! {
    #[test]
    fn any_bytes_are_read(data in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz_chat(&data);
        fuzz_responses(&data);
    }

    #[test]
    fn streams_that_are_nearly_right_are_read(
        size in any::<u8>(),
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40),
    ) {
        let mut data = vec![size];
        data.extend(b"data: ");
        words.iter().for_each(|word| data.extend(word.as_bytes()));
        fuzz_chat(&data);
        fuzz_responses(&data);
    }
}
