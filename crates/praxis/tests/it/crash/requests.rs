//! Whether a provider would take a request: every call has its result, right behind it.

use praxis_testkit::Format;
use serde_json::Value;

/// Fails unless the request pairs its calls and results as the format demands.
pub(super) fn is_valid(format: Format, body: &Value, context: &str) {
    let messages = body["messages"].as_array().unwrap();
    match format {
        Format::Chat => chat(messages, context),
        Format::Anthropic => anthropic(messages, context),
        other => panic!("{other:?} is not checked"),
    }
}

fn chat(messages: &[Value], context: &str) {
    let mut waiting: Vec<&str> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let place = waiting.iter().position(|waiting| *waiting == id);
            waiting.remove(place.unwrap_or_else(|| panic!("{context}: {id} answers no call: {messages:#?}")));
            continue;
        }
        assert!(waiting.is_empty(), "{context}: {waiting:?} have no result: {messages:#?}");
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        waiting = calls.iter().map(|call| call["id"].as_str().unwrap()).collect();
        for call in calls {
            let arguments = call["function"]["arguments"].as_str().unwrap();
            assert!(
                serde_json::from_str::<Value>(arguments).is_ok_and(|it| it.is_object()),
                "{context}: {call:#}"
            );
        }
        let is_empty = message["content"].as_str().is_some_and(str::is_empty) && calls.is_empty();
        assert!(!is_empty, "{context}: {message:#}");
    }
    assert!(waiting.is_empty(), "{context}: {waiting:?} have no result");
    assert_eq!(messages.last().unwrap()["role"], "user", "{context}");
}

fn anthropic(messages: &[Value], context: &str) {
    let mut waiting: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        assert_eq!(message["role"], role, "{context}: {messages:#?}");
        let blocks = message["content"].as_array().unwrap();
        assert!(!blocks.is_empty(), "{context}: {message:#}");
        let mut results: Vec<&str> = of(blocks, "tool_result", "tool_use_id");
        results.sort_unstable();
        assert_eq!(results, waiting, "{context}: {messages:#?}");
        let first_other = blocks.iter().position(|block| block["type"] != "tool_result");
        let last_result = blocks.iter().rposition(|block| block["type"] == "tool_result");
        assert!(
            first_other.is_none() || last_result < first_other,
            "{context}: results come first: {message:#}"
        );
        for block in blocks.iter().filter(|block| block["type"] == "text") {
            assert!(!block["text"].as_str().unwrap().trim().is_empty(), "{context}: {message:#}");
        }
        waiting = of(blocks, "tool_use", "id");
        waiting.sort_unstable();
    }
    assert!(waiting.is_empty(), "{context}: {waiting:?} have no result");
}

fn of<'a>(blocks: &'a [Value], kind: &str, field: &str) -> Vec<&'a str> {
    blocks.iter().filter(|block| block["type"] == kind).map(|block| block[field].as_str().unwrap()).collect()
}
