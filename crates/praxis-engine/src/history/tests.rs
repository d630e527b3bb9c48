use praxis_llm::{AssistantPart, Output, UserPart};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Messages from short JSON: ids, session and times are filled in.
fn message(info: Value, parts: Vec<Value>) -> MessageWithParts {
    let mut info = info;
    let id = info["id"].as_str().unwrap().to_owned();
    let number: u64 = id.trim_start_matches("msg_").parse().unwrap();
    info["sessionID"] = json!("ses_1");
    if info["role"] == "user" {
        info["time"] = json!({ "created": number });
        info["agent"] = info.get("agent").cloned().unwrap_or(json!("build"));
        info["model"] = json!({ "providerID": "p", "modelID": "m" });
    } else {
        info["time"] = json!({ "created": number, "completed": number });
        info["path"] = json!({ "cwd": "/", "root": "/" });
        let base = json!({ "providerID": "p", "modelID": "m", "agent": "build", "parentID": "msg_1" });
        for (key, value) in base.as_object().unwrap() {
            if info.get(key).is_none() {
                info[key] = value.clone();
            }
        }
    }
    let parts = parts.into_iter().enumerate().map(|(n, mut part)| {
        part["id"] = json!(format!("prt_{id}_{n}"));
        part["sessionID"] = json!("ses_1");
        part["messageID"] = json!(id);
        serde_json::from_value(part).unwrap()
    });
    MessageWithParts { parts: parts.collect(), info: serde_json::from_value(info).unwrap() }
}

fn user(id: u32, parts: Vec<Value>) -> MessageWithParts {
    message(json!({ "role": "user", "id": format!("msg_{id}") }), parts)
}

fn answer(id: u32, more: Value, parts: Vec<Value>) -> MessageWithParts {
    let mut info = more;
    info["role"] = json!("assistant");
    info["id"] = json!(format!("msg_{id}"));
    message(info, parts)
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn tool(id: &str, state: Value) -> Value {
    json!({ "type": "tool", "callID": id, "tool": "bash", "state": state, "metadata": { "google": { "thoughtSignature": "t" } } })
}

fn reader() -> Choice {
    Choice { provider: "p".into(), model: "m".into() }
}

fn history(messages: Vec<MessageWithParts>) -> History {
    let mut history = History::empty(reader());
    visible::filter(messages).iter().for_each(|message| history.push(message));
    history
}

/// What the model reads, one line for each piece.
fn told(history: &History) -> String {
    let mut lines = Vec::new();
    for said in &history.said {
        match said {
            Said::User(parts) => lines.extend(parts.iter().map(|part| match part {
                UserPart::Text(text) => format!("user: {}", text.lines().next().unwrap()),
                UserPart::Media(media) => format!("user: [{} {}]", media.mime, media.data),
            })),
            Said::Assistant(parts) => lines.extend(parts.iter().map(|part| match part {
                AssistantPart::Text { text, .. } => format!("model: {text:?}"),
                AssistantPart::Reasoning { text, metadata } => format!("thought: {text} {}", json!(metadata)),
                AssistantPart::Call { id, name, input, metadata } => {
                    format!("call: {id} {name} {input} {}", json!(metadata))
                }
            })),
            Said::Tool(results) => lines.extend(results.iter().map(|result| match &result.output {
                Output::Text(text) => format!("result: {} {text}", result.id),
                Output::Error(text) => format!("error: {} {text}", result.id),
                Output::Content { text, media } => format!("result: {} {text} +{}", result.id, media.len()),
            })),
            Said::Note(note) => lines.push(format!("note: {note}")),
        }
    }
    lines.join("\n")
}

fn every_state() -> Vec<Value> {
    let time = json!({ "start": 1, "end": 2 });
    let pruned = json!({ "start": 1, "end": 2, "compacted": 3 });
    let file = json!({ "id": "prt_9", "sessionID": "ses_1", "messageID": "msg_2", "type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA" });
    vec![
        tool(
            "done",
            json!({ "status": "completed", "input": { "command": "a" }, "output": "ok", "title": "", "metadata": {}, "time": time }),
        ),
        tool(
            "seen",
            json!({ "status": "completed", "input": {}, "output": "ok", "title": "", "metadata": {}, "time": time, "attachments": [file] }),
        ),
        tool(
            "pruned",
            json!({ "status": "completed", "input": {}, "output": "long", "title": "", "metadata": {}, "time": pruned }),
        ),
        tool("failed", json!({ "status": "error", "input": {}, "error": "no", "time": time })),
        tool(
            "cut",
            json!({ "status": "error", "input": {}, "error": "aborted", "metadata": { "interrupted": true }, "time": time }),
        ),
        tool(
            "half",
            json!({ "status": "error", "input": {}, "error": "aborted", "metadata": { "interrupted": true, "output": "so far" }, "time": time }),
        ),
        tool("running", json!({ "status": "running", "input": {}, "time": { "start": 1 } })),
        tool("pending", json!({ "status": "pending", "input": {}, "raw": "{\"com" })),
    ]
}

#[test]
fn a_call_in_any_state_is_told_with_a_result() {
    let parts = std::iter::once(json!({ "type": "step-start" })).chain(every_state()).collect();
    let history = history(vec![user(1, vec![text("go")]), answer(2, json!({}), parts)]);
    insta::assert_snapshot!(told(&history), @r#"
    user: go
    call: done bash {"command":"a"} {"google":{"thoughtSignature":"t"}}
    call: seen bash {} {"google":{"thoughtSignature":"t"}}
    call: pruned bash {} {"google":{"thoughtSignature":"t"}}
    call: failed bash {} {"google":{"thoughtSignature":"t"}}
    call: cut bash {} {"google":{"thoughtSignature":"t"}}
    call: half bash {} {"google":{"thoughtSignature":"t"}}
    call: running bash {} {"google":{"thoughtSignature":"t"}}
    call: pending bash {} {"google":{"thoughtSignature":"t"}}
    result: done ok
    result: seen ok +1
    result: pruned (This output is no longer kept in the conversation. Call the tool again if you need it.)
    error: failed no
    error: cut aborted
    result: half so far
    error: running The tool was interrupted before it gave a result.
    error: pending The tool was interrupted before it gave a result.
    "#);
}

#[test]
fn another_model_is_told_thoughts_as_text_and_no_signatures_and_switching_back_brings_nothing_foreign() {
    let signed = json!({ "anthropic": { "signature": "s" } });
    let thought =
        json!({ "type": "reasoning", "text": "hm", "time": { "start": 1, "end": 2 }, "metadata": signed });
    let said = |id: u32, model: &str| {
        answer(id, json!({ "modelID": model }), vec![thought.clone(), text(""), text("so")])
    };
    let history = history(vec![user(1, vec![text("go")]), said(2, "m"), said(3, "other"), said(4, "m")]);
    insta::assert_snapshot!(told(&history), @r#"
    user: go
    thought: hm {"anthropic":{"signature":"s"}}
    model: " "
    model: "so"
    model: "hm"
    model: "so"
    thought: hm {"anthropic":{"signature":"s"}}
    model: " "
    model: "so"
    "#);
}

#[test]
fn user_parts_are_told_unless_they_are_for_the_user_or_told_already() {
    let file = |mime: &str, url: &str| json!({ "type": "file", "mime": mime, "url": url });
    let history = history(vec![user(
        1,
        vec![
            text("hello"),
            json!({ "type": "text", "text": "made up", "synthetic": true }),
            json!({ "type": "text", "text": "hidden", "ignored": true }),
            text(""),
            file("text/plain", "file:///a"),
            file("application/x-directory", "file:///"),
            file("image/png", "data:image/png;base64,AAAA"),
            file("image/png", "file:///not-read"),
            json!({ "type": "agent", "name": "explore" }),
        ],
    )]);
    insta::assert_snapshot!(told(&history), @r"
    user: hello
    user: made up
    user: [image/png AAAA]
    ");
    assert_eq!(history.written, 1);
}

#[test]
fn failed_answers_are_left_out_unless_something_came_of_them() {
    let api = json!({ "name": "APIError", "data": { "message": "no", "isRetryable": false } });
    let aborted = json!({ "name": "MessageAbortedError", "data": { "message": "no" } });
    let start = || json!({ "type": "step-start" });
    let thought = json!({ "type": "reasoning", "text": "hm", "time": { "start": 1 } });
    let history = history(vec![
        user(1, vec![text("go")]),
        answer(2, json!({ "error": api }), vec![start(), text("failed words")]),
        answer(3, json!({ "error": api }), vec![start(), every_state().remove(0)]),
        answer(4, json!({ "error": aborted }), vec![start(), thought.clone(), text("")]),
        answer(4, json!({ "error": aborted }), vec![start(), thought]),
        answer(5, json!({ "error": aborted }), vec![start(), text("cut words")]),
        answer(6, json!({}), vec![start()]),
    ]);
    insta::assert_snapshot!(told(&history), @r#"
    user: go
    call: done bash {"command":"a"} {"google":{"thoughtSignature":"t"}}
    result: done ok
    model: "cut words"
    "#);
}

#[test]
fn planning_is_recalled_where_it_was_planned() {
    let mut planned = user(1, vec![text("plan it")]);
    if let Message::User(message) = &mut planned.info {
        message.agent = "plan".into();
    }
    let history = history(vec![
        planned,
        answer(2, json!({ "agent": "plan" }), vec![text("a plan")]),
        user(3, vec![text("do it")]),
    ]);
    let told = told(&history);
    assert_eq!(told.lines().filter(|line| line.starts_with("user: <system-reminder>")).count(), 2, "{told}");
}

#[test]
fn a_finished_compaction_hides_what_it_stands_for_and_keeps_its_tail() {
    let request = |tail: Option<&str>| {
        let part = json!({ "type": "compaction", "auto": true, "tail_start_id": tail });
        user(5, vec![if tail.is_some() { part } else { json!({ "type": "compaction", "auto": true }) }])
    };
    let summary = |finish: Option<&str>| {
        answer(6, json!({ "summary": true, "finish": finish, "parentID": "msg_5" }), vec![text("summary")])
    };
    let all = |tail, finish| {
        vec![
            user(1, vec![text("one")]),
            answer(2, json!({}), vec![text("first")]),
            user(3, vec![text("two")]),
            answer(4, json!({}), vec![text("second")]),
            request(tail),
            summary(finish),
            user(7, vec![text("three")]),
        ]
    };
    let words =
        |messages| told(&history(messages)).replace("user: ", "").replace("model: ", "").replace('\n', ", ");
    assert_eq!(words(all(None, Some("stop"))), r#"Sum up our work up to here., "summary", three"#);
    assert_eq!(
        words(all(Some("msg_3"), Some("stop"))),
        r#"Sum up our work up to here., "summary", two, "second", three"#
    );
    assert_eq!(
        words(all(None, None)),
        r#"one, "first", two, "second", Sum up our work up to here., "summary", three"#
    );
    // A kept tail is older than what stands before it.
    let history = history(all(Some("msg_3"), Some("stop")));
    assert_eq!(history.user.unwrap().id.as_str(), "msg_7");
}

#[test]
fn an_answer_settles_its_own_question_when_nothing_is_left_to_tell() {
    let asked = || user(1, vec![text("go")]);
    let done = every_state().remove(0);
    for (more, parts, settled) in [
        (json!({ "finish": "stop" }), vec![text("so")], true),
        (json!({ "finish": "length" }), vec![text("so")], true),
        (json!({ "finish": "tool-calls" }), vec![], false),
        (json!({ "finish": "stop" }), vec![done], false),
        (json!({ "finish": "stop" }), vec![every_state().remove(4)], true),
        (json!({ "finish": "stop", "parentID": "msg_0" }), vec![text("so")], false),
        (json!({}), vec![text("so")], false),
    ] {
        let shown = format!("{more} {parts:?}");
        assert_eq!(history(vec![asked(), answer(2, more, parts)]).settled().is_some(), settled, "{shown}");
    }
}

proptest! {
    #[test]
    fn every_call_has_its_result_right_behind_it(picks in proptest::collection::vec(0_usize..8, 0..12)) {
        let parts = picks.iter().map(|pick| every_state().remove(*pick)).collect();
        let history = history(vec![user(1, vec![text("go")]), answer(2, json!({}), parts)]);
        let mut expected = Vec::new();
        for said in &history.said {
            match said {
                Said::Assistant(parts) => {
                    expected = parts.iter().filter_map(|part| match part {
                        AssistantPart::Call { id, .. } => Some(id.clone()),
                        _ => None,
                    }).collect();
                }
                Said::Tool(results) => {
                    let ids: Vec<String> = results.iter().map(|result| result.id.clone()).collect();
                    prop_assert_eq!(&ids, &expected);
                    expected.clear();
                }
                Said::User(_) | Said::Note(_) => prop_assert!(expected.is_empty()),
            }
        }
        prop_assert!(expected.is_empty());
    }
}
