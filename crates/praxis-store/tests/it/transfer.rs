//! Whole sessions, out and in.

use praxis_store::{Existing, Store, StoreError, Transfer};
use serde_json::{Value, json};

use crate::lab::{Lab, NOW, user};

/// As OpenCode writes it, with fields and kinds that we do not know.
fn foreign() -> Value {
    let ids = |id: &str| json!({ "id": id, "sessionID": "ses_47ffABC", "messageID": "msg_b800x" });
    let with = |id: &str, body: Value| {
        let mut part = ids(id);
        part.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        part
    };
    json!({
        "info": { "id": "ses_47ffABC", "slug": "bold-otter", "projectID": "global", "directory": "/w", "cost": 0.5,
            "tokens": { "input": 7, "output": 2, "reasoning": 0, "cache": { "read": 0, "write": 0 } },
            "title": "Their session", "version": "1.18.3", "time": { "created": 10, "updated": 20 }, "future": { "a": 1 } },
        "messages": [
            { "info": { "role": "user", "id": "msg_b801x", "sessionID": "ses_47ffABC", "time": { "created": 11 },
                "agent": "build", "model": { "providerID": "p", "modelID": "m" } }, "parts": [] },
            { "info": { "role": "assistant", "id": "msg_b800x", "sessionID": "ses_47ffABC",
                "time": { "created": 12, "completed": 13 }, "parentID": "msg_b801x", "modelID": "m", "providerID": "p",
                "mode": "build", "agent": "build", "path": { "cwd": "/w", "root": "/" }, "cost": 0.5,
                "tokens": { "input": 7, "output": 2, "reasoning": 0, "cache": { "read": 0, "write": 0 } }, "finish": "stop" },
              "parts": [
                with("prt_2", json!({ "type": "text", "text": "big ".repeat(10_000), "future": true })),
                with("prt_1", json!({ "type": "hologram", "depth": 3 })),
                with("prt_3", json!({ "type": "step-finish", "reason": "stop", "cost": 0.5,
                    "tokens": { "input": 7, "output": 2, "reasoning": 0, "cache": { "read": 0, "write": 0 } } })),
            ] },
        ],
    })
}

#[tokio::test]
async fn a_session_of_opencode_is_the_same_after_import_and_export() {
    let lab = Lab::new();
    let transfer: Transfer = serde_json::from_value(foreign()).unwrap();
    let session = lab.store.import(transfer, Existing::Keep).await.unwrap();
    let out = lab.store.export(&session.id).await.unwrap();
    assert_eq!(serde_json::to_value(&out).unwrap(), foreign());
}

#[tokio::test]
async fn nothing_is_overwritten_unless_asked_and_totals_come_from_the_steps() {
    let lab = Lab::new();
    let read = |value: Value| serde_json::from_value::<Transfer>(value).unwrap();
    lab.store.import(read(foreign()), Existing::Keep).await.unwrap();
    let mut other = foreign();
    other["info"]["title"] = json!("Changed");
    other["info"]["cost"] = json!(99.0);
    let refused = lab.store.import(read(other.clone()), Existing::Keep).await;
    assert!(matches!(refused, Err(StoreError::Exists(_))));
    let session = lab.store.import(read(other.clone()), Existing::Replace).await.unwrap();
    assert_eq!((session.title.as_str(), session.cost), ("Changed", 0.5));
    let _held = lab.store.open(&session.id).await.unwrap();
    let busy = lab.store.import(read(other), Existing::Replace).await;
    assert!(matches!(busy, Err(StoreError::InUse { .. })));
}

#[tokio::test]
async fn what_does_not_fit_together_is_told_and_nothing_is_taken_in() {
    let lab = Lab::new();
    for (pointer, value, told) in [
        ("/info/id", json!("x_1"), "the session's id `x_1` does not begin with `ses`"),
        ("/messages/0/info/id", json!("x_1"), "the message id `x_1` does not begin with `msg`"),
        ("/messages/0/info/sessionID", json!("ses_2"), "message `msg_b801x` belongs to session `ses_2`"),
        ("/messages/0/info/id", json!("msg_b800x"), "message `msg_b800x` is there twice"),
        ("/messages/1/parts/0/id", json!("prt_3"), "part `prt_3` is there twice"),
        ("/messages/1/parts/0/id", json!("p"), "the part id `p` does not begin with `prt`"),
        (
            "/messages/1/parts/1/messageID",
            json!("msg_7"),
            "part `prt_1` belongs to message `msg_7` of `ses_47ffABC`",
        ),
    ] {
        let mut broken = foreign();
        *broken.pointer_mut(pointer).unwrap() = value;
        let error =
            lab.store.import(serde_json::from_value(broken).unwrap(), Existing::Keep).await.unwrap_err();
        assert_eq!(error.to_string(), format!("this is no whole session: {told}"));
    }
    let mut malformed = foreign();
    malformed["messages"][1]["parts"][0].as_object_mut().unwrap().remove("text");
    let error =
        lab.store.import(serde_json::from_value(malformed).unwrap(), Existing::Keep).await.unwrap_err();
    assert_eq!(error.to_string(), "part `prt_2` does not have the form of a part of type `text`");
    assert_eq!(lab.store.list(praxis_store::Filter::default()).await.unwrap(), []);
}

#[tokio::test]
async fn an_imported_session_goes_on_in_order() {
    let lab = Lab::new();
    let session = lab.store.import(serde_json::from_value(foreign()).unwrap(), Existing::Keep).await.unwrap();
    let opened = lab.store.open(&session.id).await.unwrap();
    assert_eq!(opened.newest, ["msg_b801x", "prt_3"]);
    lab.store.put_message(&opened.lease, user(&session.id, "msg_01a0", NOW)).await.unwrap();
    let ids: Vec<String> =
        lab.history(&session.id).await.iter().map(|one| one.info.id().to_string()).collect();
    assert_eq!(ids, ["msg_b801x", "msg_b800x", "msg_01a0"]);
}
