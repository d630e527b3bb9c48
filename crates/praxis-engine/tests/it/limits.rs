//! What a run may use.

use std::time::Duration;

use praxis_engine::{Ended, Limit, Limits};
use praxis_testkit::Format;
use serde_json::json;

use crate::lab::Plan;

/// Reads for ever, each time another file, so that nobody takes it for going in circles.
fn endless(steps: usize) -> String {
    let turns: Vec<String> = (0..steps)
        .map(|n| {
            format!("{{ call: {{ read: {{ filePath: f{n} }} }}, usage: {{ input: 1000000, output: 0 }} }}")
        })
        .collect();
    format!("turns: [{}]", turns.join(", "))
}

#[tokio::test]
async fn an_agents_last_step_offers_no_tools() {
    let lab = Plan::new(
        "
turns:
  - { expect: { tools: [read] }, call: { read: { filePath: a } } }
  - { expect: { tools: none, user: last step }, say: That is all. }
",
    )
    .config(json!({ "agent": { "build": { "steps": 2 } } }))
    .file("a", "x")
    .over(Format::Anthropic)
    .start()
    .await;
    let outcome = lab.prompt("go").await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 2));
    lab.server.unwrap().finish();
}

#[tokio::test]
async fn a_call_in_the_last_step_is_refused() {
    let lab = Plan::new("turns: [{ call: { write: { filePath: a, content: x } } }]")
        .config(json!({ "agent": { "build": { "steps": 1 } } }))
        .start()
        .await;
    lab.prompt_within("go", Limits { steps: Some(1), ..Limits::default() }).await;
    assert!(!lab.has("a"));
    insta::assert_snapshot!(lab.transcript().await, @r"
    > go
    ✗ write This step offers no tools: answer in text now.
    ");
}

#[tokio::test]
async fn a_model_that_calls_on_after_its_last_step_is_not_asked_for_ever() {
    let lab = Plan::new("{ turns: [{ call: { write: { filePath: a, content: x } } }], after: repeat }")
        .config(json!({ "agent": { "build": { "steps": 2 } } }))
        .start()
        .await;
    let outcome = lab.prompt("go").await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Limit(Limit::Steps(2)), 2));
    lab.is_at_rest().await;
}

#[tokio::test]
async fn a_run_ends_after_so_many_steps() {
    let lab = Plan::new(&endless(3)).start().await;
    let outcome = lab.prompt_within("go", Limits { steps: Some(2), ..Limits::default() }).await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Limit(Limit::Steps(2)), 2));
    lab.is_at_rest().await;
}

#[tokio::test]
async fn a_run_ends_when_its_money_is_spent() {
    let lab = Plan::new(&endless(5)).over(Format::Chat).start().await;
    let outcome = lab.prompt_within("go", Limits { budget: Some(1.5), ..Limits::default() }).await;
    // A dollar for each step.
    assert_eq!((outcome.ended, outcome.steps, outcome.cost), (Ended::Limit(Limit::Budget(1.5)), 2, 2.0));
}

#[tokio::test]
async fn a_run_ends_at_its_deadline_in_the_middle_of_an_answer() {
    let lab = Plan::new("turns: [{ say: Well, fail: { stall_after_bytes: 4 } }]").start().await;
    let time = Duration::from_millis(50);
    let outcome = lab.prompt_within("go", Limits { deadline: Some(time), ..Limits::default() }).await;
    assert_eq!(outcome.ended, Ended::Limit(Limit::Deadline(time)));
    insta::assert_snapshot!(lab.transcript().await, @r"
    > go
    Well
    ! MessageAbortedError: the run did not end within 50ms
    ");
    lab.is_at_rest().await;
}
