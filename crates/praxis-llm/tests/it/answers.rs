//! Recorded answers, whole, in pieces and cut.

use praxis_llm::Event;
use praxis_llm::wire::{Anthropic, Gemini};
use proptest::prelude::*;

use crate::lab::{body, lines, read, recorded, wires};

#[test]
fn anthropic_text_and_usage() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_text.sse")), @r##"
    {"type":"text-start","id":"0"}
    {"type":"text-delta","id":"0","delta":"Hello"}
    {"type":"text-delta","id":"0","delta":", wörld 😀"}
    {"type":"text-end","id":"0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":2125,"outputTokens":15,"totalTokens":2140,"reasoningTokens":null,"cachedInputTokens":2000,"cacheWriteTokens":100}}
    "##);
}

#[test]
fn anthropic_thoughts_and_calls() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_thinking_tools.sse")), @r##"
    {"type":"reasoning-start","id":"0"}
    {"type":"reasoning-delta","id":"0","delta":"I should read "}
    {"type":"reasoning-delta","id":"0","delta":"the file."}
    {"type":"reasoning-end","id":"0","metadata":{"anthropic":{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}}}
    {"type":"reasoning-start","id":"1","metadata":{"anthropic":{"redactedData":"EmwKAhgBEgy3va3pzix"}}}
    {"type":"reasoning-end","id":"1","metadata":{"anthropic":{"redactedData":"EmwKAhgBEgy3va3pzix"}}}
    {"type":"text-start","id":"2"}
    {"type":"text-delta","id":"2","delta":"Reading."}
    {"type":"text-end","id":"2"}
    {"type":"tool-input-start","id":"toolu_01T1","toolName":"read"}
    {"type":"tool-input-delta","id":"toolu_01T1","delta":"{\"filePath\": \"src/"}
    {"type":"tool-input-delta","id":"toolu_01T1","delta":"main.rs\", \"limit\": 20}"}
    {"type":"tool-input-end","id":"toolu_01T1"}
    {"type":"tool-call","toolCallId":"toolu_01T1","toolName":"read","input":{"filePath":"src/main.rs","limit":20}}
    {"type":"tool-input-start","id":"toolu_01T2","toolName":"todoread"}
    {"type":"tool-input-end","id":"toolu_01T2"}
    {"type":"tool-call","toolCallId":"toolu_01T2","toolName":"todoread","input":{}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":472,"outputTokens":89,"totalTokens":561,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn anthropic_tools_of_the_server_are_passed_over() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_server_tools.sse")), @r##"
    {"type":"text-start","id":"2"}
    {"type":"text-delta","id":"2","delta":"Found it."}
    {"type":"text-end","id":"2"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":10,"outputTokens":40,"totalTokens":50,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn anthropic_a_call_cut_by_the_limit_is_not_raised() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_max_tokens.sse")), @r##"
    {"type":"tool-input-start","id":"toolu_9","toolName":"write"}
    {"type":"tool-input-delta","id":"toolu_9","delta":"{\"filePath\":\"a.txt\",\"content\":\"half of"}
    {"type":"tool-input-end","id":"toolu_9"}
    {"type":"finish-step","finishReason":"length","usage":{"inputTokens":10,"outputTokens":64,"totalTokens":74,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn anthropic_arguments_are_mended_or_left_to_the_tool_to_refuse() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_broken_arguments.sse")), @r##"
    {"type":"tool-input-start","id":"toolu_8","toolName":"bash"}
    {"type":"tool-input-delta","id":"toolu_8","delta":"{'command': 'ls',}"}
    {"type":"tool-input-end","id":"toolu_8"}
    {"type":"tool-call","toolCallId":"toolu_8","toolName":"bash","input":{"command":"ls"}}
    {"type":"tool-input-start","id":"toolu_9","toolName":"bash"}
    {"type":"tool-input-delta","id":"toolu_9","delta":"{\"command\": \"rm -rf build"}
    {"type":"tool-input-end","id":"toolu_9"}
    {"type":"tool-call","toolCallId":"toolu_9","toolName":"bash","input":"{\"command\": \"rm -rf build"}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":10,"outputTokens":64,"totalTokens":74,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn anthropic_nothing_follows_an_error() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_overloaded.sse")), @r##"
    {"type":"text-start","id":"0"}
    {"type":"text-delta","id":"0","delta":"So"}
    {"type":"error","message":"Overloaded","code":"overloaded_error"}
    "##);
}

#[test]
fn anthropic_starts_and_stops_may_be_missing() {
    insta::assert_snapshot!(lines(&Anthropic, &body("anthropic_no_stop_events.sse")), @r##"
    {"type":"text-start","id":"0"}
    {"type":"text-delta","id":"0","delta":"Bare"}
    {"type":"text-end","id":"0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":10,"outputTokens":3,"totalTokens":13,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn gemini_text_signature_and_usage() {
    insta::assert_snapshot!(lines(&Gemini::with_prefix("t"), &body("gemini_text.sse")), @r##"
    {"type":"text-start","id":"0"}
    {"type":"text-delta","id":"0","delta":"Hello"}
    {"type":"text-delta","id":"0","delta":", wörld 😀"}
    {"type":"text-end","id":"0","metadata":{"google":{"thoughtSignature":"c2lnMQ=="}}}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":8,"outputTokens":25,"totalTokens":33,"reasoningTokens":20,"cachedInputTokens":6,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn gemini_thoughts_and_calls() {
    insta::assert_snapshot!(lines(&Gemini::with_prefix("t"), &body("gemini_thinking_tools.sse")), @r##"
    {"type":"reasoning-start","id":"0"}
    {"type":"reasoning-delta","id":"0","delta":"**Planning**\n\nRead both."}
    {"type":"reasoning-end","id":"0"}
    {"type":"text-start","id":"1"}
    {"type":"text-delta","id":"1","delta":"Reading."}
    {"type":"text-end","id":"1"}
    {"type":"tool-input-start","id":"call_t_0","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_0","delta":"{\"filePath\": \"a.rs\"}"}
    {"type":"tool-input-end","id":"call_t_0"}
    {"type":"tool-call","toolCallId":"call_t_0","toolName":"read","input":{"filePath":"a.rs"},"metadata":{"google":{"thoughtSignature":"c2lnMg=="}}}
    {"type":"tool-input-start","id":"call_t_1","toolName":"read"}
    {"type":"tool-input-delta","id":"call_t_1","delta":"{\"filePath\": \"b.rs\"}"}
    {"type":"tool-input-end","id":"call_t_1"}
    {"type":"tool-call","toolCallId":"call_t_1","toolName":"read","input":{"filePath":"b.rs"},"metadata":{"google":{"callId":"fc-7"}}}
    {"type":"tool-input-start","id":"call_t_2","toolName":"todoread"}
    {"type":"tool-input-delta","id":"call_t_2","delta":"{}"}
    {"type":"tool-input-end","id":"call_t_2"}
    {"type":"tool-call","toolCallId":"call_t_2","toolName":"todoread","input":{}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":80,"outputTokens":70,"totalTokens":150,"reasoningTokens":30,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "##);
}

#[test]
fn gemini_reasons_to_withhold_and_to_fail() {
    let wire = Gemini::with_prefix("t");
    let lines = ["gemini_blocked.sse", "gemini_malformed_call.sse", "gemini_unavailable.sse"]
        .map(|name| lines(&wire, &body(name)));
    insta::assert_snapshot!(lines.join("\n\n"), @r##"
    {"type":"finish-step","finishReason":"content-filter","usage":{"inputTokens":8,"outputTokens":null,"totalTokens":8,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}

    {"type":"finish-step","finishReason":"error","usage":{"inputTokens":8,"outputTokens":null,"totalTokens":8,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}

    {"type":"text-start","id":"0"}
    {"type":"text-delta","id":"0","delta":"So"}
    {"type":"error","message":"The model is overloaded.","code":"UNAVAILABLE"}
    "##);
}

#[test]
fn ids_of_gemini_calls_differ_between_answers() {
    let body = body("gemini_thinking_tools.sse");
    let ids = || {
        let events = read(&Gemini::default(), &body, body.len());
        let ids = events.into_iter().filter_map(|event| match event {
            Event::ToolCall { tool_call_id, .. } => Some(tool_call_id),
            _ => None,
        });
        ids.collect::<Vec<_>>()
    };
    let all: std::collections::HashSet<String> = ids().into_iter().chain(ids()).collect();
    assert_eq!(all.len(), 6);
}

#[test]
fn an_answer_cut_at_any_byte_ends_and_raises_only_whole_calls() {
    for (wire_name, wire) in wires() {
        for (name, body) in recorded(wire_name) {
            let whole = read(wire.as_ref(), &body, body.len());
            for at in 0..body.len() {
                let events = read(wire.as_ref(), &body[..at], at);
                check(&events, &whole, &format!("{name} cut at {at}"));
            }
        }
    }
}

#[test]
fn an_answer_with_a_byte_changed_still_has_one_end() {
    for (wire_name, wire) in wires() {
        for (name, body) in recorded(wire_name) {
            for at in 0..body.len() {
                for byte in [b'"', b'{', b'}', b'\n', b'0', 0xff] {
                    let mut body = body.clone();
                    body[at] = byte;
                    let events = read(wire.as_ref(), &body, body.len());
                    one_end(&events, &format!("{name} with {byte} at {at}"));
                }
            }
        }
    }
}

#[test]
fn chunks_of_any_size_give_the_same_events() {
    for (wire_name, wire) in wires() {
        for (name, body) in recorded(wire_name) {
            let whole = read(wire.as_ref(), &body, body.len());
            for size in 1..=64 {
                assert_eq!(read(wire.as_ref(), &body, size), whole, "{name} by {size}");
            }
        }
    }
}

fn check(events: &[Event], whole: &[Event], story: &str) {
    one_end(events, story);
    for event in events {
        if let Event::ToolCall { .. } = event {
            assert!(whole.contains(event), "{story}: {event:?}");
        }
    }
}

fn one_end(events: &[Event], story: &str) {
    let ends = |event: &Event| matches!(event, Event::FinishStep { .. } | Event::Error { .. });
    assert_eq!(events.iter().filter(|event| ends(event)).count(), 1, "{story}");
    assert!(ends(events.last().unwrap()), "{story}");
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(data in prop::collection::vec(any::<u8>(), 0..300)) {
        praxis_llm::wire::fuzz_anthropic(&data);
        praxis_llm::wire::fuzz_gemini(&data);
    }

    #[test]
    fn any_shuffled_answer_can_be_read(
        cut: u8,
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..30),
    ) {
        for wire in ["anthropic", "gemini"] {
            let bodies = recorded(wire);
            let mut stream = vec![cut];
            for (body, event) in &picks {
                let text = String::from_utf8_lossy(&body.get(&bodies).1).replace("\r\n", "\n");
                let events: Vec<&str> = text.split_inclusive("\n\n").collect();
                stream.extend_from_slice(event.get(&events).as_bytes());
            }
            match wire {
                "anthropic" => praxis_llm::wire::fuzz_anthropic(&stream),
                _ => praxis_llm::wire::fuzz_gemini(&stream),
            }
        }
    }
}
