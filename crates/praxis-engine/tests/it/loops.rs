//! Models that go in circles.

use praxis_engine::{Ended, Limit};
use praxis_proto::{Event, Reply};
use serde_json::json;

use crate::lab::{Lab, Plan};

/// The same call in every step, its keys in changing order.
const CIRCLE: &str = "
turns:
  - call: { read: { filePath: a, limit: 5 } }
  - call: { read: { limit: 5, filePath: a } }
after: repeat
";

#[tokio::test]
async fn the_third_same_call_is_a_question_and_no_ends_the_run() {
    let lab = Plan::new(CIRCLE).file("a", "x\n").start().await;
    let mut ear = lab.listen();
    let run = lab.begin("go");
    let request = ear.until("a question", asked).await;
    assert_eq!(
        (&*request.permission, &*request.patterns, &*request.always),
        ("doom_loop", &["read".to_owned()][..], &["read".to_owned()][..])
    );
    assert_eq!(json!(request.metadata), json!({ "tool": "read", "input": { "filePath": "a", "limit": 5 } }));
    lab.engine.workbench().permissions.reply(&request.id, Reply::Reject(None)).unwrap();
    let outcome = run.await.unwrap();
    assert_eq!((outcome.ended, outcome.steps), (Ended::Blocked, 3));
    lab.is_at_rest().await;
}

#[tokio::test]
async fn the_fifth_same_call_with_the_same_result_ends_the_run_whatever_was_answered() {
    let lab = Plan::new(CIRCLE).file("a", "x\n").start().await;
    let outcome = allowing(&lab).await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Limit(Limit::Loop { tool: "read".into() }), 5));
}

#[tokio::test]
async fn a_call_that_gives_something_new_each_time_may_go_on() {
    let lab = Plan::new(
        "
turns:
  - call: &again { bash: { command: date +%N >> log; cat log, description: count } }
  - call: *again
  - call: *again
  - call: *again
  - call: *again
  - call: *again
  - say: Enough.
",
    )
    .start()
    .await;
    let outcome = allowing(&lab).await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 7));
}

#[tokio::test]
async fn where_nobody_answers_the_call_fails_and_then_the_run_ends() {
    let lab = Plan::new(CIRCLE).file("a", "x\n").unattended().start().await;
    let outcome = lab.prompt("go").await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Limit(Limit::Loop { tool: "read".into() }), 5));
    insta::assert_snapshot!(lab.transcript().await, @r#"
    > go
    ✓ read <path>[project]/a</path>
    ✓ read <path>[project]/a</path>
    ✗ read The same call of `read` was made again and again. Try something else, or say what is missing. (Permission `doom_loop` needs an answer and nobody can give one here. Allow it with a rule (`"doom_loop": { "read": "allow" }`), run in a terminal, or choose another way.)
    ✗ read The same call of `read` was made again and again. Try something else, or say what is missing. (Permission `doom_loop` needs an answer and nobody can give one here. Allow it with a rule (`"doom_loop": { "read": "allow" }`), run in a terminal, or choose another way.)
    ✗ read The same call of `read` was made again and again with the same result. Try something else, or say what is missing.
    "#);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn where_nobody_answers_going_round_in_two_calls_ends_the_run_too() {
    let script = "
turns: [{ call: { read: { filePath: a } } }, { call: { read: { filePath: b } } }]
after: repeat
";
    let lab = Plan::new(script).file("a", "x\n").file("b", "y\n").unattended().start().await;
    let outcome = lab.prompt("go").await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Limit(Limit::Loop { tool: "read".into() }), 10));
}

#[tokio::test]
async fn what_the_user_says_meanwhile_ends_the_circle_and_not_the_run() {
    let call = "{ call: { read: { filePath: a } } }";
    let lab = Plan::new(&format!(
        "turns: [{call}, {call}, {call}, {call}, {{ parts: [{call}, {{ hold: here }}] }}, \
         {{ expect: {{ user: look elsewhere }}, say: I will. }}]"
    ))
    .file("a", "x\n")
    .unattended()
    .over(praxis_testkit::Format::Chat)
    .start()
    .await;
    let run = lab.begin("go");
    lab.server().until_held("here").await;
    let mut ear = lab.listen();
    let more = lab.begin("look elsewhere");
    ear.until_said("look elsewhere").await;
    lab.server().pass("here");
    let outcome = run.await.unwrap();
    assert_eq!((&outcome.ended, outcome.steps), (&Ended::Done, 6));
    assert_eq!(more.await.unwrap(), outcome);
    lab.server.unwrap().finish();
}

#[tokio::test]
async fn whoever_allows_repetition_by_a_rule_has_it() {
    let lab = Plan::new(&format!(
        "{}\n",
        CIRCLE.replace("after: repeat", "after: stop").replace("turns:", "turns: &t")
    ))
    .config(json!({ "permission": { "doom_loop": "allow" } }))
    .file("a", "x\n")
    .start()
    .await;
    // Two turns, then the script says nothing.
    assert_eq!(lab.prompt("go").await.ended, Ended::Done);
}

fn asked(event: &Event) -> Option<praxis_proto::PermissionRequest> {
    match event {
        Event::PermissionAsked(request) => Some(request.clone()),
        _ => None,
    }
}

/// Runs a prompt and says yes, once, to everything.
async fn allowing(lab: &Lab) -> praxis_engine::Outcome {
    let mut ear = lab.listen();
    let run = lab.begin("go");
    let permissions = std::sync::Arc::clone(&lab.engine.workbench().permissions);
    let answering = tokio::spawn(async move {
        loop {
            let request = ear.until("a question", asked).await;
            permissions.reply(&request.id, Reply::Once).unwrap();
        }
    });
    let outcome = run.await.unwrap();
    answering.abort();
    outcome
}
