//! Every field means what the documentation says.

use std::time::Duration;

use praxis_llm::script::{After, Chunks, Fault, Line, RetryAfter, Speech, Turn};
use praxis_llm::{FinishReason, Usage};
use proptest::prelude::*;

use super::script;

fn turn(text: &str) -> Turn {
    script(&format!("turns:\n  - {}\n", text.trim().replace('\n', "\n    "))).turns.remove(0)
}

fn whole(text: &str) -> Speech {
    Speech::Whole(text.to_owned())
}

fn call(tool: &str, arguments: &str) -> Line {
    Line::Call { id: None, tool: tool.to_owned(), arguments: whole(arguments), signature: None }
}

#[test]
fn a_list_of_texts_is_a_script() {
    let script = script("- Hello\n- Bye\n");
    let lines: Vec<Line> = script.turns.into_iter().flat_map(|turn| turn.lines).collect();
    assert_eq!(lines, [Line::Say(whole("Hello")), Line::Say(whole("Bye"))]);
    assert_eq!((script.name.as_str(), script.after), ("s.yaml", After::Error));
}

#[test]
fn name_and_after_are_read() {
    for (word, after) in [("error", After::Error), ("repeat", After::Repeat), ("stop", After::Stop)] {
        let script = script(&format!("name: greeting\nturns: [Hello]\nafter: {word}\n"));
        assert_eq!((script.name.as_str(), script.after), ("greeting", after));
    }
}

#[test]
fn what_a_turn_says_stands_in_the_order_of_a_model() {
    let turn =
        turn("call: { read: { path: a.md, lines: [1, 2] }, now: }\nsay: Look.\nthink: Hm.\nhold: here");
    assert_eq!(
        turn.lines,
        [
            Line::Hold("here".into()),
            Line::Think { speech: whole("Hm."), signature: None },
            Line::Say(whole("Look.")),
            call("read", r#"{"path":"a.md","lines":[1,2]}"#),
            call("now", "{}"),
        ]
    );
}

#[test]
fn parts_have_the_order_of_the_file() {
    let turn = turn("parts:\n  - say: One\n  - hold: here\n  - call: { read: {} }\n  - think: Two");
    assert_eq!(
        turn.lines,
        [
            Line::Say(whole("One")),
            Line::Hold("here".into()),
            call("read", "{}"),
            Line::Think { speech: whole("Two"), signature: None },
        ]
    );
}

#[test]
fn texts_may_be_deltas_and_thoughts_may_be_signed() {
    let turn = turn("say: [Hel, lo]\nthink: { text: [a, b], signature: proof }");
    assert_eq!(
        turn.lines,
        [
            Line::Think {
                speech: Speech::Pieces(vec!["a".into(), "b".into()]),
                signature: Some("proof".into())
            },
            Line::Say(Speech::Pieces(vec!["Hel".into(), "lo".into()])),
        ]
    );
}

#[test]
fn a_text_may_be_said_many_times() {
    assert_eq!(turn("say: { text: 'x ', times: 3 }").lines, [Line::Say(Speech::Times("x ".into(), 3))]);
}

#[test]
fn listed_calls_may_have_ids_signatures_and_text_that_is_no_json() {
    let turn = turn(
        "calls:\n  - { tool: read, id: c1, args: { a: 1 }, signature: s }\n  - { tool: edit, raw: '{\"a' }",
    );
    let (id, signature) = (Some("c1".into()), Some("s".into()));
    assert_eq!(
        turn.lines,
        [
            Line::Call { id, tool: "read".into(), arguments: whole(r#"{"a":1}"#), signature },
            call("edit", "{\"a"),
        ]
    );
}

#[test]
fn numbers_and_words_of_a_turn_are_read() {
    let turn = turn(
        "when: { user: hi }\ntimes: 2\nchunks: 7\ninterleave: true\nfinish: content-filter\ndelay_ms: 5\ngap_ms: 6\n\
         drip_bytes: 0\nusage: { input: 100, output: 20, reasoning: 5, cached: 30, cache_write: 10 }",
    );
    assert_eq!((turn.times, turn.chunks, turn.interleave), (Some(2), Chunks::Count(7), true));
    assert_eq!(turn.finish, Some(FinishReason::ContentFilter));
    assert_eq!((turn.delay, turn.gap), (Duration::from_millis(5), Duration::from_millis(6)));
    assert_eq!(turn.drip, Some(1));
    let usage = Usage {
        input_tokens: Some(100),
        output_tokens: Some(20),
        total_tokens: Some(120),
        reasoning_tokens: Some(5),
        cached_input_tokens: Some(30),
        cache_write_tokens: Some(10),
    };
    assert_eq!(turn.usage, usage);
    assert_eq!(self::turn("chunks: words").chunks, Chunks::Words);
}

#[test]
fn every_fault_can_be_written() {
    let read = |text: &str| turn(&format!("fail: {text}")).fault.unwrap();
    for (text, fault) in [
        ("{ cut_after_bytes: 10 }", Fault::Cut(10)),
        ("{ stall_after_bytes: 11 }", Fault::Stall(11)),
        ("{ garbage_after_bytes: 12 }", Fault::Garbage(12)),
        ("{ content_type: text/plain }", Fault::ContentType("text/plain".into())),
        ("{ error: Overloaded, code: overloaded_error }", Fault::error("Overloaded", "overloaded_error")),
        ("{ error: Oops }", Fault::Error { message: "Oops".into(), code: None }),
        ("cut", Fault::Cut(0)),
        ("stall", Fault::Stall(0)),
        ("garbage", Fault::Garbage(0)),
        ("html", Fault::Html),
        ("close", Fault::Close),
        ("tls", Fault::Tls),
        ("{ status: 529 }", Fault::status(529, "the script answers with status 529")),
    ] {
        assert_eq!(read(text), fault, "{text}");
    }
}

#[test]
fn an_http_error_may_say_when_to_try_again_in_each_form() {
    for (text, form) in [
        ("retry_after_seconds: 3", RetryAfter::Seconds(3)),
        ("retry_after_date: 4", RetryAfter::Date(4)),
        ("retry_after_ms: 1500", RetryAfter::Milliseconds(1_500)),
    ] {
        let fault = turn(&format!(
            "fail: {{ status: 429, message: Slow down, body: '<>', headers: {{ x-a: b, x-n: 1 }}, {text} }}"
        ));
        let expected = Fault::Status {
            status: 429,
            message: "Slow down".into(),
            body: Some("<>".into()),
            headers: vec![("x-a".into(), "b".into()), ("x-n".into(), "1".into())],
            retry_after: Some(form),
        };
        assert_eq!(fault.fault, Some(expected));
    }
}

#[test]
fn json_is_read_too() {
    let text = "{\n\t\"turns\": [\n\t\t{\"say\": \"a\\u00e9\\n\\/\", \"call\": {\"read\": {\"n\": 1.5, \"t\": null}}}\n\t],\n\t\"after\": \"stop\"\n}\n";
    let script = script(text);
    assert_eq!(script.turns[0].lines, [Line::Say(whole("aé\n/")), call("read", r#"{"n":1.5,"t":null}"#)]);
    assert_eq!(script.turns[0].place.as_ref().unwrap().line, 3);
}

#[test]
fn json_with_characters_beyond_the_first_plane_is_read() {
    let script = script(r#"{"turns": [{"say": "\ud83d\ude00"}]}"#);
    assert_eq!(script.turns[0].lines, [Line::Say(whole("😀"))]);
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "(turns:|- |say: |call: |expect: |fail: |when: |[a-z{}\\[\\]:&*!|> \n\"'#0-9-]){0,40}") {
        let _ = praxis_llm::script::Script::parse("s.yaml", &text);
    }
}
