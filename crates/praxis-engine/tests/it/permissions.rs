//! What a yes, a no and a rule do to a run.

use praxis_engine::Ended;
use praxis_proto::{Event, Reply};
use serde_json::json;

use crate::lab::Plan;

const WRITES: &str = "
turns:
  - call: { write: { filePath: a.md, content: x } }
  - say: So be it.
";

#[tokio::test]
async fn a_rule_that_denies_tells_the_model_and_the_run_goes_on() {
    let lab = Plan::new(WRITES).config(json!({ "permission": { "edit": { "*.md": "deny" } } })).start().await;
    assert_eq!(lab.prompt("write").await.ended, Ended::Done);
    assert!(!lab.has("a.md"));
    let transcript = lab.transcript().await;
    assert!(
        transcript.contains("✗ write A permission rule prevents this call: edit is denied by"),
        "{transcript}"
    );
    assert!(transcript.ends_with("So be it."), "{transcript}");
}

#[tokio::test]
async fn a_no_ends_the_run_after_the_step_and_a_no_with_words_does_not() {
    for (words, ended, says) in [
        (None, Ended::Blocked, "✗ write The user rejected permission to use this tool."),
        (Some("use b.md".to_owned()), Ended::Done, "So be it."),
    ] {
        let lab = Plan::new(WRITES).config(json!({ "permission": { "edit": "ask" } })).start().await;
        let mut ear = lab.listen();
        let run = lab.begin("write");
        let request = ear.until("a question", asked).await;
        lab.engine.workbench().permissions.reply(&request, Reply::Reject(words)).unwrap();
        assert_eq!(run.await.unwrap().ended, ended);
        assert_eq!(lab.transcript().await.lines().last().unwrap(), says);
        lab.is_at_rest().await;
    }
}

#[tokio::test]
async fn a_no_does_not_end_the_run_where_the_configuration_says_so() {
    let lab = Plan::new(WRITES)
        .config(json!({ "permission": { "edit": "ask" }, "experimental": { "continue_loop_on_deny": true } }))
        .start()
        .await;
    let mut ear = lab.listen();
    let run = lab.begin("write");
    let request = ear.until("a question", asked).await;
    lab.engine.workbench().permissions.reply(&request, Reply::Reject(None)).unwrap();
    assert_eq!(run.await.unwrap().ended, Ended::Done);
}

#[tokio::test]
async fn a_sessions_own_rules_come_last() {
    use praxis_engine::prompt::PromptInput;
    let lab = Plan::new(WRITES).start().await;
    let tools = [("edit".to_owned(), false)].into_iter().collect();
    let input = PromptInput { tools: Some(tools), ..PromptInput::text(lab.session.clone(), "write") };
    assert_eq!(lab.engine.prompt(input, Default::default()).await.unwrap().ended, Ended::Done);
    assert!(!lab.has("a.md"));
}

#[tokio::test]
async fn a_question_that_is_waved_away_ends_the_run_after_the_step() {
    let question = "{ question: Why?, header: Why, options: [{ label: So, description: because }] }";
    let script = format!(
        "turns: [{{ calls: [{{ tool: question, args: {{ questions: [{question}] }} }}, \
         {{ tool: write, args: {{ filePath: b, content: x }} }}] }}, {{ say: never }}]"
    );
    let lab = Plan::new(&script).start().await;
    let mut ear = lab.listen();
    let run = lab.begin("ask");
    let id = ear
        .until("a question", |event| match event {
            Event::QuestionAsked(request) => Some(request.id.clone()),
            _ => None,
        })
        .await;
    assert!(lab.engine.workbench().questions.reject(&id));
    let outcome = run.await.unwrap();
    assert_eq!((outcome.ended, outcome.steps), (Ended::Blocked, 1));
    // The calls beside it come to their ends.
    insta::assert_snapshot!(lab.transcript().await, @r"
    > ask
    ✗ question The user dismissed this question
    ✓ write Wrote file successfully.
    ");
    lab.is_at_rest().await;
}

#[tokio::test]
async fn one_no_leaves_the_questions_beside_it_and_one_always_answers_them() {
    let write = |name: &str| format!("{{ tool: write, args: {{ filePath: {name}, content: x }} }}");
    let script =
        format!("turns: [{{ calls: [{}, {}, {}] }}, {{ say: Done. }}]", write("a"), write("b"), write("c"));
    let lab = Plan::new(&script).config(json!({ "permission": { "edit": "ask" } })).start().await;
    let mut ear = lab.listen();
    let run = lab.begin("write");
    let mut requests = Vec::new();
    for _ in 0..3 {
        requests.push(ear.until("a question", asked).await);
    }
    let permissions = &lab.engine.workbench().permissions;
    permissions.reply(&requests[0], Reply::Reject(Some("not this one".into()))).unwrap();
    assert_eq!(permissions.pending().len(), 2);
    permissions.reply(&requests[1], Reply::Always(Some(vec!["*".into()]))).unwrap();
    assert_eq!(run.await.unwrap().ended, Ended::Done);
    assert_eq!(["a", "b", "c"].iter().filter(|name| lab.has(name)).count(), 2);
    lab.is_at_rest().await;
}

fn asked(event: &Event) -> Option<String> {
    match event {
        Event::PermissionAsked(request) => Some(request.id.clone()),
        _ => None,
    }
}
