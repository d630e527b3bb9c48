//! Calls that are printed as text, and texts that only look like them.

use std::path::Path;
use std::sync::Arc;

use praxis_llm::recover::{Mode, Recover, fuzz};
use praxis_llm::{Event, FinishReason, Metadata, ToolSpec, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What an answer comes to.
#[derive(Debug, PartialEq)]
struct Answer {
    text: String,
    calls: Vec<(String, Value)>,
    reason: FinishReason,
}

fn tools() -> Vec<ToolSpec> {
    let text = || json!({"type": "string"});
    let number = || json!({"type": "integer"});
    let tool = |name: &str, properties: Value| ToolSpec {
        name: name.to_owned(),
        description: Arc::from(""),
        parameters: Arc::new(json!({"type": "object", "properties": properties})),
    };
    vec![
        tool("bash", json!({"command": text(), "timeout": number(), "background": {"type": "boolean"}})),
        tool("grep", json!({"pattern": text(), "path": text()})),
        tool("list", json!({})),
        tool("read", json!({"path": text(), "offset": number(), "limit": number()})),
        tool("todo", json!({"items": {"type": "array"}})),
        tool("write", json!({"path": text(), "content": text()})),
    ]
}

fn delta(text: &str) -> Event {
    Event::TextDelta { id: "0".into(), delta: text.into() }
}

fn start() -> Event {
    Event::TextStart { id: "0".into(), metadata: Metadata::default() }
}

fn end() -> Event {
    Event::TextEnd { id: "0".into(), metadata: Metadata::default() }
}

fn finish(finish_reason: FinishReason) -> Event {
    Event::FinishStep { finish_reason, usage: Usage::default() }
}

fn filtered(mode: Mode, events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let (mut recover, mut out) = (Recover::new(&tools(), mode, "call_x"), Vec::new());
    events.into_iter().for_each(|event| recover.event(event, &mut out));
    recover.end(&mut out);
    out
}

fn said<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<Event> {
    let deltas = pieces.into_iter().map(delta);
    std::iter::once(start()).chain(deltas).chain([end(), finish(FinishReason::Stop)]).collect()
}

fn answer(events: Vec<Event>) -> Answer {
    let mut answer = Answer { text: String::new(), calls: Vec::new(), reason: FinishReason::Unknown };
    for event in events {
        match event {
            Event::TextDelta { delta, .. } => answer.text.push_str(&delta),
            Event::ToolCall { tool_name, input, .. } => answer.calls.push((tool_name, input)),
            Event::FinishStep { finish_reason, .. } => answer.reason = finish_reason,
            _ => {}
        }
    }
    answer
}

/// The events with neighbouring deltas put together.
fn joined(events: Vec<Event>) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::new();
    for event in events {
        if let (Event::TextDelta { delta, .. }, Some(Event::TextDelta { delta: before, .. })) =
            (&event, joined.last_mut())
        {
            before.push_str(delta);
            continue;
        }
        joined.push(event);
    }
    joined
}

struct Sample {
    name: String,
    text: String,
    meant: Answer,
}

fn samples(file: &str) -> Vec<Sample> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed").join(file);
    let content = std::fs::read_to_string(path).unwrap();
    let content = content.strip_prefix("=== ").unwrap();
    content.trim_end_matches('\n').split("\n=== ").map(sample).collect()
}

/// A name, a text, and behind arrows what it means: the text before the calls, if any, and the calls.
fn sample(record: &str) -> Sample {
    let (name, rest) = record.split_once('\n').unwrap();
    let (text, arrows) = rest.split_once("\n--> ").unwrap_or((rest, ""));
    if arrows.is_empty() {
        let meant = Answer { text: text.into(), calls: Vec::new(), reason: FinishReason::Stop };
        return Sample { name: name.into(), text: text.into(), meant };
    }
    let mut meant = Answer { text: String::new(), calls: Vec::new(), reason: FinishReason::ToolCalls };
    for arrow in arrows.split("\n--> ") {
        match arrow.split_once(" {") {
            Some((tool, input)) if !arrow.starts_with('"') => {
                let input = serde_json::from_str(&format!("{{{input}")).unwrap();
                meant.calls.push((tool.to_owned(), input));
            }
            _ => meant.text = serde_json::from_str(arrow).unwrap(),
        }
    }
    Sample { name: name.into(), text: text.into(), meant }
}

#[test]
fn printed_calls_are_found() {
    let samples = samples("calls.txt");
    assert!(samples.len() >= 60);
    for Sample { name, text, meant } in samples {
        assert_eq!(answer(filtered(Mode::Any, said([text.as_str()]))), meant, "{name}");
    }
}

#[test]
fn what_only_looks_like_a_call_stays_text() {
    let samples = samples("prose.txt");
    assert!(samples.len() >= 60);
    for Sample { name, text, meant } in samples {
        assert_eq!(answer(filtered(Mode::Any, said([text.as_str()]))), meant, "{name}");
    }
}

#[test]
fn how_an_answer_is_cut_does_not_matter() {
    for Sample { name, text, .. } in samples("calls.txt").into_iter().chain(samples("prose.txt")) {
        let whole = joined(filtered(Mode::Any, said([text.as_str()])));
        let letters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(joined(filtered(Mode::Any, said(letters.iter().map(String::as_str)))), whole, "{name}");
        for (at, _) in text.char_indices().step_by(7) {
            let halves = joined(filtered(Mode::Any, said([&text[..at], &text[at..]])));
            assert_eq!(halves, whole, "{name} at {at}");
        }
    }
}

#[test]
fn a_cut_call_is_never_made() {
    for Sample { name, text, meant } in samples("calls.txt") {
        for (at, _) in text.char_indices() {
            let Answer { calls, .. } = answer(filtered(Mode::Any, said([&text[..at]])));
            assert!(meant.calls.starts_with(&calls), "{name} at {at}: {calls:?}");
        }
    }
}

#[test]
fn a_call_comes_with_all_its_events() {
    let call = r#"<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>"#;
    let id = || "call_x_0".to_owned();
    let calls = [
        Event::ToolInputStart { id: id(), tool_name: "read".into() },
        Event::ToolInputDelta { id: id(), delta: r#"{"path":"a"}"#.into() },
        Event::ToolInputEnd { id: id() },
        Event::ToolCall {
            tool_call_id: id(),
            tool_name: "read".into(),
            input: json!({"path": "a"}),
            metadata: Metadata::not_native(),
        },
        finish(FinishReason::ToolCalls),
    ];
    assert_eq!(filtered(Mode::Marked, said([call])), calls);

    let behind = [start(), delta("Now.\n"), end()].into_iter().chain(calls.clone());
    assert_eq!(filtered(Mode::Marked, said(["Now.\n", call])), behind.collect::<Vec<_>>());

    let open = [start(), delta(call), finish(FinishReason::Unknown)];
    assert_eq!(filtered(Mode::Marked, open), calls);
}

#[test]
fn text_is_passed_on_as_soon_as_it_can_be_no_call() {
    let mut recover = Recover::new(&tools(), Mode::Any, "call_x");
    let mut pass = |text: &str| {
        let mut out = Vec::new();
        recover.event(delta(text), &mut out);
        answer(out).text
    };
    assert_eq!(pass("One < two"), "One < two");
    assert_eq!(pass(" and <div"), " and <div");
    assert_eq!(pass(". Vec<"), ". Vec");
    assert_eq!(pass("u8>\n"), "<u8>\n");
    assert_eq!(pass("```rust\n"), "```rust\n");
    assert_eq!(pass("<tool_call>{\n```\n"), "<tool_call>{\n```\n");
    assert_eq!(pass("<tool_call>\n{\"name\": "), "");
    assert_eq!(pass("\"unknown\""), "<tool_call>\n{\"name\": \"unknown\"");
}

#[test]
fn a_real_call_in_the_answer_leaves_the_printed_one_as_text() {
    let printed = r#"<tool_call>{"name":"list"}</tool_call>"#;
    let real = Event::ToolInputStart { id: "1".into(), tool_name: "list".into() };
    for events in [
        vec![start(), delta(printed), end(), real.clone(), finish(FinishReason::ToolCalls)],
        vec![start(), delta(printed), real.clone(), end(), finish(FinishReason::ToolCalls)],
        vec![real, start(), delta(printed), end(), finish(FinishReason::ToolCalls)],
    ] {
        assert_eq!(filtered(Mode::Any, events.clone()), events);
    }
}

#[test]
fn what_follows_the_text_or_cuts_it_leaves_it_as_text() {
    let printed = r#"<tool_call>{"name":"list"}</tool_call>"#;
    let thought = Event::ReasoningStart { id: "r".into(), metadata: Metadata::default() };
    let error = Event::Error { message: "lost".into(), code: None };
    let more = Event::TextStart { id: "1".into(), metadata: Metadata::default() };
    let behind = Event::TextDelta { id: "1".into(), delta: "That was it.".into() };
    for events in [
        vec![start(), delta(printed), end(), thought],
        vec![start(), delta(printed), end(), error],
        vec![start(), delta(printed), end(), more.clone()],
        vec![start(), delta(printed), end(), more, behind, finish(FinishReason::Stop)],
        vec![start(), delta(printed), end(), finish(FinishReason::Length)],
        vec![start(), delta(printed), finish(FinishReason::ContentFilter)],
        vec![start(), delta(printed), end()],
        vec![start(), delta(printed)],
    ] {
        assert_eq!(filtered(Mode::Any, events.clone()), events);
    }
}

#[test]
fn an_empty_text_stays_as_it_is() {
    let events = vec![start(), end(), finish(FinishReason::Stop)];
    assert_eq!(filtered(Mode::Any, events.clone()), events);
}

#[test]
fn without_marks_nothing_counts_if_marks_are_wanted() {
    let text = r#"{"name": "read", "arguments": {"path": "a"}}"#;
    assert_eq!(answer(filtered(Mode::Marked, said([text]))).text, text);
    assert_eq!(answer(filtered(Mode::Any, said([text]))).text, "");
}

#[test]
fn no_more_than_a_mebibyte_is_held() {
    let call = |len: usize| {
        let content = "x".repeat(len);
        format!(
            r#"<tool_call>{{"name": "write", "arguments": {{"path": "a", "content": "{content}"}}}}</tool_call>"#
        )
    };
    let frame = call(0).len();
    let fits = call((1 << 20) - frame);
    assert_eq!(answer(filtered(Mode::Any, said([fits.as_str()]))).calls.len(), 1);
    let exceeds = call((1 << 20) + 1 - frame);
    assert_eq!(answer(filtered(Mode::Any, said([exceeds.as_str()]))).text, exceeds);
}

fn any_piece() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<tool_call>",
        "</tool_call>",
        "<invoke name=\"read\">",
        "</invoke>",
        "<function=read>",
        "</function>",
        "<parameter name=\"path\">",
        "<parameter=path>",
        "</parameter>",
        "[TOOL_CALLS]",
        "[ARGS]",
        "<|python_tag|>",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
        "function",
        "<|tool_call_begin|>",
        "<|tool_call_argument_begin|>",
        "<|tool_call_end|>",
        "```",
        "```json\n",
        "`",
        "\n",
        " ",
        "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
        "{\"path\": \"a\"}",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "name",
        "read",
        "bash",
        "example",
        "Let me. ",
        "<",
        ">",
        "|",
        "｜",
        "é",
        "<arg_key>path</arg_key>",
        "<arg_value>1</arg_value>",
        ";",
        "</think>",
        "<tool_response>",
        "    ",
        "> ",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_text_is_kept_or_called_however_it_is_cut(text in any_piece()) {
        fuzz(text.as_bytes());
    }
}
