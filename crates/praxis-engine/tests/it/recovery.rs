//! Sessions that a crash has cut off, and very long ones.

use praxis_engine::{Ended, Limits};
use praxis_proto::{
    AssistantMessage, CallId, Created, Message, MessageId, MessageModel, Part, PartBody, PartId, TextPart,
    ToolPart, UserMessage,
};
use serde_json::json;

use crate::lab::{Lab, Plan};

fn user(lab: &Lab, id: &str, created: u64) -> UserMessage {
    UserMessage {
        id: MessageId::from_raw(id),
        session: lab.session.clone(),
        time: Created { created },
        format: None,
        summary: None,
        agent: "build".into(),
        model: MessageModel { provider: "scripted".into(), model: "lab".into(), variant: None },
        system: None,
        tools: None,
        extra: Default::default(),
    }
}

fn answer(lab: &Lab, id: &str, parent: &str) -> AssistantMessage {
    serde_json::from_value(json!({
        "id": id, "sessionID": lab.session, "time": { "created": 2 }, "parentID": parent, "modelID": "lab",
        "providerID": "scripted", "agent": "build", "mode": "build", "path": { "cwd": "/", "root": "/" },
    }))
    .unwrap()
}

fn part(lab: &Lab, message: &str, id: &str, body: PartBody) -> Part {
    Part {
        id: PartId::from_raw(id),
        session: lab.session.clone(),
        message: MessageId::from_raw(message),
        body,
    }
}

fn text(text: &str) -> PartBody {
    PartBody::Text(TextPart { text: text.into(), ..TextPart::default() })
}

#[tokio::test]
async fn a_call_that_a_crash_cut_off_is_told_as_interrupted_and_the_run_goes_on() {
    let lab = Plan::new(
        "turns: [{ expect: { result: { of: bash, error: true } }, say: I will look whether it ran. }]",
    )
    .start()
    .await;
    {
        let store = lab.engine.store();
        let opened = store.open(&lab.session).await.unwrap();
        store.put_message(&opened.lease, Message::User(user(&lab, "msg_1", 1))).await.unwrap();
        store.put_part(&opened.lease, part(&lab, "msg_1", "prt_1", text("deploy"))).await.unwrap();
        store.put_message(&opened.lease, Message::Assistant(answer(&lab, "msg_2", "msg_1"))).await.unwrap();
        let mut call = ToolPart::new(CallId::from_raw("call_1"), "bash");
        call.start(json!({ "command": "deploy" }), 3);
        store.put_part(&opened.lease, part(&lab, "msg_2", "prt_2", PartBody::Tool(call))).await.unwrap();
    }
    let outcome = lab.engine.resume(&lab.session, Limits::default()).await.unwrap();
    assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 1));
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn a_session_of_many_messages_is_read_once_and_told_in_order() {
    const MESSAGES: usize = 1_000;
    let lab = Plan::new(&format!(
        "turns: [{{ expect: {{ anywhere: [said 0, said {}] }}, say: Yes. }}]",
        MESSAGES - 2
    ))
    .start()
    .await;
    let mut messages = Vec::new();
    for n in (0..MESSAGES).step_by(2) {
        let (asked, said) = (format!("msg_{n:05}"), format!("msg_{:05}", n + 1));
        let mut done = answer(&lab, &said, &asked);
        done.finish = Some("stop".into());
        done.time.completed = Some(3);
        for (id, info) in
            [(&asked, Message::User(user(&lab, &asked, n as u64))), (&said, Message::Assistant(done))]
        {
            let parts = vec![part(&lab, id, &format!("prt_{id}"), text(&format!("said {n}")))];
            messages.push(praxis_proto::MessageWithParts { info, parts });
        }
    }
    let info = lab.session().await;
    let transfer = praxis_store::Transfer { info, messages };
    lab.engine.store().import(transfer, praxis_store::Existing::Replace).await.unwrap();
    assert_eq!(lab.prompt("do you remember?").await.ended, Ended::Done);
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}
