//! Cancelling at every point of a run.

use praxis_engine::{Ended, ShellPrompt};
use praxis_proto::{Event, SessionStatus};
use praxis_testkit::Format;
use serde_json::json;

use crate::lab::{Lab, Plan};

async fn cancelled(lab: &Lab, run: tokio::task::JoinHandle<praxis_engine::Outcome>) -> String {
    let outcome = lab.engine.cancel(&lab.session).await.unwrap().unwrap();
    assert_eq!(outcome.ended, Ended::Cancelled);
    assert_eq!(run.await.unwrap(), outcome);
    lab.is_at_rest().await;
    lab.transcript().await
}

#[tokio::test]
async fn while_the_request_waits_for_an_answer() {
    let lab = Plan::new("turns: [{ say: Hello. }]").over(Format::Chat).start().await;
    lab.server().hold();
    let run = lab.begin("hi");
    lab.server().until_requests(1).await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    ! MessageAbortedError: the user cancelled the run
    ");
    lab.server().until_gone(1).await;
}

#[tokio::test]
async fn in_the_middle_of_a_text() {
    let lab = Plan::new("turns: [{ parts: [{ say: Hel }, { hold: here }, { say: lo } ] }]")
        .over(Format::Anthropic)
        .start()
        .await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("a delta", |event| matches!(event, Event::PartDelta { .. }).then_some(())).await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    Hel
    ! MessageAbortedError: the user cancelled the run
    ");
}

#[tokio::test]
async fn in_the_middle_of_arguments() {
    let script = "turns: [{ calls: [{ tool: write, args: { filePath: a, content: 0123456789 } }], chunks: 10, fail: { stall_after_bytes: 20 } }]";
    let lab = Plan::new(script).start().await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until_call("write", "pending").await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    … write Tool execution aborted
    ! MessageAbortedError: the user cancelled the run
    ");
    assert!(!lab.has("a"));
}

#[tokio::test]
async fn while_a_command_runs_whose_words_so_far_are_kept() {
    let script =
        "turns: [{ call: { bash: { command: 'echo begun; sleep 60; echo never', description: wait } } }]";
    let lab = Plan::new(script).start().await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("output", |event| match event {
        Event::PartUpdated { part, .. } => {
            serde_json::to_string(part).unwrap().contains("begun\\n").then_some(())
        }
        _ => None,
    })
    .await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    ✓ bash begun
    ! MessageAbortedError: the user cancelled the run
    ");
}

#[tokio::test]
async fn while_a_permission_is_waited_for() {
    let lab = Plan::new("turns: [{ call: { write: { filePath: a, content: x } } }]")
        .config(json!({ "permission": { "edit": "ask" } }))
        .start()
        .await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("a question", |event| matches!(event, Event::PermissionAsked(_)).then_some(())).await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    … write Tool execution aborted
    ! MessageAbortedError: the user cancelled the run
    ");
    assert!(!lab.has("a"));
}

#[tokio::test]
async fn while_a_retry_is_waited_for() {
    let lab = Plan::new("turns: [{ fail: { status: 429, retry_after_seconds: 60 } }]").start().await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("a retry", |event| {
        matches!(event, Event::SessionStatus { status: SessionStatus::Retry { .. }, .. }).then_some(())
    })
    .await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    ! MessageAbortedError: the user cancelled the run
    ");
}

#[tokio::test]
async fn while_the_users_own_command_runs() {
    let lab = Plan::new("turns: [{ say: never }]").start().await;
    let mut ear = lab.listen();
    let prompt = ShellPrompt {
        session: lab.session.clone(),
        agent: None,
        model: None,
        command: "echo on; sleep 60".into(),
    };
    let engine = lab.engine.clone();
    let running = tokio::spawn(async move { engine.shell(prompt).await.unwrap() });
    ear.until_call("bash", "running").await;
    let queued = lab.begin("and then?");
    // The prompt is stored at once.
    ear.until("the prompt", |event| match event {
        Event::PartUpdated { part, .. } => {
            serde_json::to_string(part).unwrap().contains("and then?").then_some(())
        }
        _ => None,
    })
    .await;
    lab.engine.cancel(&lab.session).await.unwrap();
    running.await.unwrap();
    assert_eq!(queued.await.unwrap().ended, Ended::Cancelled);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn a_session_that_does_nothing_stays_idle() {
    let lab = Plan::new("turns: []").start().await;
    let mut ear = lab.listen();
    assert_eq!(lab.engine.cancel(&lab.session).await.unwrap(), None);
    assert_eq!(ear.counts()["session.idle"], 1);
}

#[tokio::test]
async fn the_next_prompt_goes_on_from_what_there_is() {
    let lab = Plan::new(
        "
turns:
  - { say: [Hel, lo], fail: { stall_after_bytes: 3 } }
  - { expect: { messages: 3, anywhere: Hel }, say: Where was I? }
",
    )
    .start()
    .await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("a delta", |event| matches!(event, Event::PartDelta { .. }).then_some(())).await;
    cancelled(&lab, run).await;
    assert_eq!(lab.prompt("go on").await.ended, Ended::Done);
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}
