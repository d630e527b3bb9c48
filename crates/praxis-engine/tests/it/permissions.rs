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

fn asked(event: &Event) -> Option<String> {
    match event {
        Event::PermissionAsked(request) => Some(request.id.clone()),
        _ => None,
    }
}
