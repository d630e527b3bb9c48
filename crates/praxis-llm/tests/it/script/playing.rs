//! Which turn answers which request, and what is played.

use std::time::Duration;

use praxis_llm::script::{Act, Conditions, Fault, Player, Script, Seen, TextMatch, Turn};
use praxis_llm::{Event, Request, UserPart};
use serde_json::json;

use super::player;

fn asked(text: &str) -> Seen {
    let message = praxis_llm::Message::User(vec![UserPart::Text(text.into())]);
    Seen::of(&Request { messages: vec![message], ..Request::default() })
}

/// What is said to each of these.
fn said(player: &Player, users: &[&str]) -> Vec<String> {
    let text = |user: &&str| {
        let played = player.turn(&asked(user));
        match &played.fault {
            Some(Fault::Error { code, .. }) => code.clone().unwrap_or_default(),
            _ => played.text(),
        }
    };
    users.iter().map(text).collect()
}

/// The events of the only turn, one a line.
fn events(turn: &str) -> String {
    let player = player(&format!("turns:\n  - {turn}\n"));
    lines(&player.turn(&asked("hi")).events())
}

fn lines(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn turns_are_played_in_order_and_then_the_script_has_ended() {
    let player = player("[one, two]");
    assert_eq!(player.left(), 2);
    assert_eq!(said(&player, &["a", "b", "c"]), ["one", "two", "script_ended"]);
    assert_eq!((player.left(), player.played()), (0, vec![1, 1]));
    insta::assert_snapshot!(player.complaint().unwrap(), @r#"
    the script `s.yaml` has no turn left for this request: its 2 turns are played or do not fit; add a turn, or say `after: stop` or `after: repeat`
      the last user text is "c"
    "#);
}

#[test]
fn a_script_may_repeat_or_fall_silent() {
    let repeating = player("turns: [one, { when: { user: x }, say: ex }, two]\nafter: repeat");
    assert_eq!(said(&repeating, &["a", "b", "x", "c", "d"]), ["one", "two", "ex", "one", "two"]);
    let silent = player("turns: [one]\nafter: stop");
    assert_eq!(said(&silent, &["a", "b", "c"]), ["one", "", ""]);
    assert_eq!(silent.complaint(), None);
}

#[test]
fn turns_with_when_answer_what_fits_and_leave_the_order_alone() {
    let player = player(
        "- one\n- { when: { user: title }, say: A title }\n- { when: { user: { regex: '^sub' } }, times: 1, say: Sub }\n- two\n",
    );
    assert_eq!(
        said(&player, &["title", "a", "subagent", "title", "subagent", "c"]),
        ["A title", "one", "Sub", "A title", "two", "script_ended"]
    );
    assert_eq!(player.played(), [1, 2, 1, 1]);
}

#[test]
fn a_turn_that_was_not_met_waits_for_its_request() {
    let player = player("- { expect: { user: first }, say: one }\n- { expect: { user: second }, say: two }");
    assert_eq!(said(&player, &["second", "first", "second"]), ["script_mismatch", "one", "two"]);
    assert!(player.complaint().is_some());
}

#[test]
fn several_sessions_may_ask_at_once() {
    let turns: Vec<Turn> = (0..64).map(|n| Turn::calls("read", &json!({ "n": n }))).collect();
    let player = Player::new(Script::of(turns));
    let mut ids: Vec<String> = std::thread::scope(|scope| {
        let ask = || (0..16).map(|_| player.turn(&asked("x")).parts[0].id.clone()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), player.left()), (64, 0));
}

#[test]
fn turns_can_be_made_in_code() {
    let of = |user: &str| Conditions { user: TextMatch::contains(user), ..Conditions::default() };
    let player = Player::new(Script::of([
        Turn::says("I will.").and_calls("note", &json!({"line": "two"})).expects(of("add")),
        Turn::says("A title").when(of("title")),
        Turn::fails(Fault::status(429, "slow down")),
    ]));
    assert_eq!(said(&player, &["title", "other", "add"]), ["A title", "script_mismatch", "I will."]);
    let message = player.complaint().unwrap();
    insta::assert_snapshot!(message, @r#"
    the request is not what the script expects at turn 1 of `script`
      the last user text should contain "add"
        but it is "other"
    "#);
    insta::assert_snapshot!(lines(&player.turn(&asked("x")).events()), @r#"{"type":"error","message":"slow down","code":"429"}"#);
}

#[test]
fn an_answer_becomes_events() {
    let turn = "{ think: { text: Hm so, signature: s }, say: Hello, call: { read: { a: 1 }, now: }, chunks: 2, usage: { input: 3, output: 4 } }";
    insta::assert_snapshot!(events(turn), @r#"
    {"type":"reasoning-start","id":"thought_1_1_0"}
    {"type":"reasoning-delta","id":"thought_1_1_0","delta":"Hm"}
    {"type":"reasoning-delta","id":"thought_1_1_0","delta":" so"}
    {"type":"reasoning-end","id":"thought_1_1_0","metadata":{"scripted":{"signature":"s"}}}
    {"type":"text-start","id":"text_1_1_1"}
    {"type":"text-delta","id":"text_1_1_1","delta":"He"}
    {"type":"text-delta","id":"text_1_1_1","delta":"llo"}
    {"type":"text-end","id":"text_1_1_1"}
    {"type":"tool-input-start","id":"call_1_1_2","toolName":"read"}
    {"type":"tool-input-delta","id":"call_1_1_2","delta":"{\"a"}
    {"type":"tool-input-delta","id":"call_1_1_2","delta":"\":1}"}
    {"type":"tool-input-end","id":"call_1_1_2"}
    {"type":"tool-call","toolCallId":"call_1_1_2","toolName":"read","input":{"a":1}}
    {"type":"tool-input-start","id":"call_1_1_3","toolName":"now"}
    {"type":"tool-input-delta","id":"call_1_1_3","delta":"{"}
    {"type":"tool-input-delta","id":"call_1_1_3","delta":"}"}
    {"type":"tool-input-end","id":"call_1_1_3"}
    {"type":"tool-call","toolCallId":"call_1_1_3","toolName":"now","input":{}}
    {"type":"finish-step","finishReason":"tool-calls","usage":{"inputTokens":3,"outputTokens":4,"totalTokens":7,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "#);
}

#[test]
fn parallel_calls_may_come_mixed() {
    let turn = "{ calls: [{ tool: a, id: c1, raw: [x, y, z] }, { tool: b, id: c2, raw: [u] }], interleave: true, finish: length }";
    insta::assert_snapshot!(events(turn), @r#"
    {"type":"tool-input-start","id":"c1","toolName":"a"}
    {"type":"tool-input-delta","id":"c1","delta":"x"}
    {"type":"tool-input-start","id":"c2","toolName":"b"}
    {"type":"tool-input-delta","id":"c2","delta":"u"}
    {"type":"tool-input-delta","id":"c1","delta":"y"}
    {"type":"tool-input-delta","id":"c1","delta":"z"}
    {"type":"tool-input-end","id":"c1"}
    {"type":"tool-call","toolCallId":"c1","toolName":"a","input":"xyz"}
    {"type":"tool-input-end","id":"c2"}
    {"type":"tool-call","toolCallId":"c2","toolName":"b","input":"u"}
    {"type":"finish-step","finishReason":"length","usage":{"inputTokens":null,"outputTokens":null,"totalTokens":null,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "#);
}

#[test]
fn faults_become_events_too() {
    let faults = [
        "{ error: Overloaded, code: overloaded_error }",
        "{ cut_after_bytes: 4 }",
        "{ garbage_after_bytes: 3 }",
        "{ status: 503 }",
        "{ content_type: text/plain }",
        "html",
        "close",
        "tls",
    ];
    let told = faults.map(|fault| events(&format!("{{ say: [Hé, llo], fail: {fault} }}")));
    insta::assert_snapshot!(told.join("\n\n"), @r#"
    {"type":"text-start","id":"text_1_1_0"}
    {"type":"text-delta","id":"text_1_1_0","delta":"Hé"}
    {"type":"text-delta","id":"text_1_1_0","delta":"llo"}
    {"type":"error","message":"Overloaded","code":"overloaded_error"}

    {"type":"text-start","id":"text_1_1_0"}
    {"type":"text-delta","id":"text_1_1_0","delta":"Hé"}
    {"type":"text-delta","id":"text_1_1_0","delta":"l"}
    {"type":"error","message":"the connection was closed in the middle of the answer, as the script says","code":"connection_closed"}

    {"type":"text-start","id":"text_1_1_0"}
    {"type":"text-delta","id":"text_1_1_0","delta":"Hé"}
    {"type":"error","message":"the answer cannot be read, as the script says","code":"garbage"}

    {"type":"error","message":"the script answers with status 503","code":"503"}

    {"type":"error","message":"the answer is not an event stream but `text/plain`, as the script says","code":"content_type"}

    {"type":"error","message":"the answer is not an event stream but a web page, as the script says","code":"content_type"}

    {"type":"error","message":"the connection was closed in the middle of the answer, as the script says","code":"connection_closed"}

    {"type":"error","message":"the server speaks TLS on a plain port, as the script says","code":"tls"}
    "#);
}

#[test]
fn waits_and_stalls_are_for_the_caller() {
    let player = player("- { say: [a, b, c], delay_ms: 5, gap_ms: 2, fail: { stall_after_bytes: 2 } }");
    let acts = player.turn(&asked("x")).acts();
    let waits = |act: &Act| match act {
        Act::Wait(time) => format!("wait {}", time.as_millis()),
        Act::Event(event) => serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned(),
        Act::Stall => "stall".to_owned(),
    };
    let acts: Vec<String> = acts.iter().map(waits).collect();
    assert_eq!(acts, ["wait 5", "text-start", "text-delta", "wait 2", "text-delta", "wait 2", "stall"]);
    assert_eq!(player.turn(&asked("x")).delay, Duration::ZERO);
}
