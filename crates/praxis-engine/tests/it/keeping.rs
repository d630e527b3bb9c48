//! Sessions copied and deleted.

use praxis_engine::NewSession;
use praxis_proto::{Action, Event, SessionId, SessionRule};
use serde_json::json;

use crate::lab::{Lab, Plan};

/// The ids of sessions that were said to be gone, in order.
fn gone(events: &mut tokio::sync::broadcast::Receiver<Event>) -> Vec<SessionId> {
    let mut gone = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::SessionDeleted(session) = event {
            gone.push(session.info.id.clone());
        }
    }
    gone
}

async fn child_of(lab: &Lab, parent: &SessionId) -> SessionId {
    let new = NewSession { parent: Some(parent.clone()), ..NewSession::default() };
    lab.engine.create(new).await.unwrap().id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_session_stops_and_takes_its_children_and_jobs_along() {
    let script = "
- { calls: [{ tool: bash, args: { command: sleep 600, background: true } }, { tool: bash, args: { command: sleep 600 } }] }
";
    let lab = Plan::new(script).config(json!({ "permission": { "bash": "allow" } })).start().await;
    let child = child_of(&lab, &lab.session).await;
    let grandchild = child_of(&lab, &child).await;
    let other = lab.engine.create(NewSession::default()).await.unwrap().id;
    let mut ear = lab.listen();
    let running = lab.begin("wait");
    ear.until_call("bash", "completed").await;
    let jobs = lab.engine.workbench().shell.jobs();
    assert_eq!(jobs.of(&lab.session).len(), 1);

    let mut events = lab.engine.subscribe();
    let deleted = lab.engine.delete(&lab.session).await.unwrap();
    assert_eq!(deleted, [grandchild, child, lab.session.clone()]);
    assert_eq!(gone(&mut events), deleted);
    assert_eq!(running.await.unwrap().ended, praxis_engine::Ended::Cancelled);
    assert_eq!(jobs.of(&lab.session).len(), 0);
    assert!(lab.engine.store().session(&lab.session).await.is_err());
    assert_eq!(lab.engine.store().session(&other).await.unwrap().id, other);
}

#[tokio::test]
async fn a_copy_goes_on_by_itself_with_the_same_agent_and_rules() {
    let script = "
- { when: { anywhere: third }, expect: { anywhere: first }, say: Copied. }
- { when: { user: second }, say: Two. }
- { when: { user: first }, say: One. }
";
    let mut lab = Plan::new(script).start().await;
    let rule = SessionRule { permission: "edit".into(), pattern: "*".into(), action: Action::Deny };
    let rules = vec![praxis_store::Change::Permission(Some(vec![rule]))];
    lab.engine.store().change(&lab.session, rules).await.unwrap();
    lab.prompt("first").await;
    lab.prompt("second").await;
    let original = lab.session().await;
    let second = lab.messages().await[2].info.id().clone();

    let mut events = lab.engine.subscribe();
    let copy = lab.engine.fork(&lab.session, Some(&second)).await.unwrap();
    assert_eq!(
        (&copy.agent, &copy.model, &copy.permission),
        (&original.agent, &original.model, &original.permission)
    );
    assert!(matches!(events.try_recv(), Ok(Event::SessionCreated(made)) if *made.info == copy));
    lab.session = copy.id;
    lab.prompt("third").await;
    insta::assert_snapshot!(lab.transcript().await, @r"
    > first
    One.
    > third
    Copied.
    ");
}
