//! The forms parts have on the wire, and the ways a call can go.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{CallId, Report};

#[test]
fn every_kind_of_part_is_the_same_after_a_round_trip_and_strangers_are_kept() {
    for body in [
        json!({ "type": "text", "text": "hi", "synthetic": true, "time": { "start": 1, "end": 2 }, "metadata": { "openai": { "itemId": "x" } } }),
        json!({ "type": "text", "text": "hi", "brandNew": { "a": [1, 2.5, null] } }),
        json!({ "type": "reasoning", "text": "hm", "metadata": {}, "time": { "start": 1 } }),
        json!({ "type": "file", "mime": "text/plain", "filename": "a", "url": "data:,x", "source": { "type": "file", "text": { "value": "@a", "start": 0, "end": 2 }, "path": "a" } }),
        json!({ "type": "file", "mime": "text/plain", "url": "u", "source": { "type": "symbol", "text": { "value": "", "start": 0, "end": 0 }, "path": "a", "range": { "start": { "line": 1, "character": 2 }, "end": { "line": 3, "character": 4 } }, "name": "f", "kind": 12 } }),
        json!({ "type": "file", "mime": "text/plain", "url": "u", "source": { "type": "resource", "text": { "value": "", "start": 0, "end": 0 }, "clientName": "c", "uri": "r" } }),
        json!({ "type": "tool", "callID": "c1", "tool": "read", "state": { "status": "pending", "input": {}, "raw": "{\"a" } }),
        json!({ "type": "tool", "callID": "c1", "tool": "read", "state": { "status": "running", "input": { "a": 1 }, "title": "t", "metadata": {}, "time": { "start": 5 } } }),
        json!({ "type": "tool", "callID": "c1", "tool": "read", "state": { "status": "completed", "input": {}, "output": "o", "title": "t", "metadata": {}, "time": { "start": 5, "end": 6, "compacted": 9 }, "attachments": [{ "id": "prt_2", "sessionID": "ses_1", "messageID": "msg_1", "type": "file", "mime": "image/png", "url": "data:x" }] }, "metadata": { "providerExecuted": true } }),
        json!({ "type": "tool", "callID": "c1", "tool": "read", "state": { "status": "error", "input": {}, "error": "no", "metadata": { "interrupted": true }, "time": { "start": 5, "end": 6 } } }),
        json!({ "type": "step-start", "snapshot": "abc" }),
        json!({ "type": "step-finish", "reason": "stop", "snapshot": "abc", "cost": 0.25, "tokens": { "total": 9, "input": 1, "output": 2, "reasoning": 3, "cache": { "read": 4, "write": 5 } } }),
        json!({ "type": "patch", "hash": "abc", "files": ["/a"] }),
        json!({ "type": "agent", "name": "plan", "source": { "value": "@plan", "start": 0, "end": 5 } }),
        json!({ "type": "subtask", "prompt": "p", "description": "d", "agent": "general", "model": { "providerID": "p", "modelID": "m" }, "command": "c" }),
        json!({ "type": "compaction", "auto": true, "overflow": false, "tail_start_id": "msg_1" }),
        json!({ "type": "retry", "attempt": 1, "error": { "name": "APIError", "data": { "message": "m", "isRetryable": true } }, "time": { "created": 5 } }),
        json!({ "type": "snapshot", "snapshot": "abc" }),
        json!({ "type": "hologram", "depth": 3 }),
    ] {
        let mut wire = json!({ "id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1" });
        wire.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let part: Part = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(serde_json::to_value(&part).unwrap(), wire);
        assert_eq!(matches!(part.body, PartBody::Other(_)), body["type"] == "hologram", "{body}");
        assert_eq!(part.body.kind(), body["type"]);
        assert!(!part.body.is_malformed());
        let mut stored = Vec::new();
        part.body.encode(&mut stored).unwrap();
        let stored = String::from_utf8(stored).unwrap();
        assert_eq!(PartBody::decode(part.body.kind(), &stored).unwrap(), part.body);
        assert_eq!(part.body.fields().unwrap().to_string(), stored);
    }
}

#[test]
fn a_call_keeps_its_first_start_and_wraps_what_is_no_object() {
    let mut call = ToolPart::new(CallId::from_raw("c1"), "bash");
    assert!(call.arguments("[1"));
    assert!(call.start(json!([1]), 10));
    assert!(call.progress(Some("half".into()), Map::from_iter([("output".into(), "a".into())])));
    assert!(call.start(json!({ "b": 2 }), 99));
    assert!(call.interrupt("the program ended", 5));
    assert_eq!(
        serde_json::to_value(call.state()).unwrap(),
        json!({ "status": "error", "input": { "b": 2 }, "error": "the program ended",
            "metadata": { "output": "a", "interrupted": true }, "time": { "start": 10, "end": 10 } })
    );
}

#[test]
fn a_part_that_does_not_fit_its_kind_is_known_as_such() {
    for body in [
        json!({ "type": "text" }),
        json!({ "type": "tool", "callID": "c", "tool": "t", "state": { "status": "dreaming" } }),
        json!({ "type": "tool", "callID": "c", "tool": "t", "state": { "status": "completed", "input": {} } }),
    ] {
        assert!(serde_json::from_value::<PartBody>(body.clone()).unwrap().is_malformed(), "{body}");
    }
}

#[test]
fn an_interrupted_call_keeps_what_was_written_of_its_arguments() {
    let mut call = ToolPart::new(CallId::from_raw("c1"), "bash");
    call.arguments("{\"command\":\"rm");
    assert!(call.interrupt("cut", 7));
    assert_eq!(
        serde_json::to_value(call.state()).unwrap(),
        json!({ "status": "error", "input": {}, "error": "cut",
            "metadata": { "interrupted": true, "raw": "{\"command\":\"rm" }, "time": { "start": 7, "end": 7 } })
    );
}

#[derive(Debug, Clone)]
enum Way {
    Arguments,
    Start,
    Progress,
    Complete,
    Fail,
    Interrupt,
    Compact,
}

fn ways() -> impl Strategy<Value = Vec<Way>> {
    use Way::{Arguments, Compact, Complete, Fail, Interrupt, Progress, Start};
    let one = prop::sample::select(vec![Arguments, Start, Progress, Complete, Fail, Interrupt, Compact]);
    prop::collection::vec(one, 0..20)
}

proptest! {
    #[test]
    fn a_settled_call_stays_as_it_is(ways in ways()) {
        let rank = |state: &ToolState| match state {
            ToolState::Pending(_) => 0,
            ToolState::Running(_) => 1,
            ToolState::Completed(_) => 2,
            ToolState::Error(_) => 3,
        };
        let mut call = ToolPart::new(CallId::from_raw("c"), "t");
        for (at, way) in (0..).zip(ways) {
            let before = call.clone();
            let took = match way {
                Way::Arguments => call.arguments("x"),
                Way::Start => call.start(json!({}), at),
                Way::Progress => call.progress(None, Map::new()),
                Way::Complete => call.complete(Report::new("t", "o"), Vec::new(), at),
                Way::Fail => call.fail("no", at),
                Way::Interrupt => call.interrupt("cut", at),
                Way::Compact => call.compact(at),
            };
            let (from, to) = (rank(before.state()), rank(call.state()));
            prop_assert!(from <= to && (from < 2 || from == to), "{:?} → {:?}", before.state(), call.state());
            prop_assert!(took || before == call, "a refused step changed the call");
            prop_assert!(from < 2 || matches!(way, Way::Compact) || !took);
        }
    }
}
