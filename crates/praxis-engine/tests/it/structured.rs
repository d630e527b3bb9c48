//! Answers that must fit a schema.

use praxis_engine::prompt::PromptInput;
use praxis_engine::{Ended, Outcome};
use praxis_proto::{AnswerFormat, Failure};
use serde_json::json;

use crate::lab::{Lab, Plan};

async fn ask(lab: &Lab, retry_count: Option<u64>) -> Outcome {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let format = Some(AnswerFormat::JsonSchema { schema, retry_count });
    let input = PromptInput { format, ..PromptInput::text(lab.session.clone(), "how many?") };
    lab.engine.prompt(input, Default::default()).await.unwrap()
}

#[tokio::test]
async fn a_fitting_answer_ends_the_run() {
    let lab = Plan::new(
        "
turns:
  - { expect: { tools: [StructuredOutput, read] }, call: { read: { filePath: a } } }
  - call: { StructuredOutput: { n: 3 } }
",
    )
    .file("a", "x")
    .start()
    .await;
    let outcome = ask(&lab, None).await;
    assert_eq!(outcome.ended, Ended::Done);
    let message = outcome.message.unwrap();
    assert_eq!((message.structured, message.finish.as_deref()), (Some(json!({ "n": 3 })), Some("stop")));
    lab.is_at_rest().await;
}

#[tokio::test]
async fn a_misfit_is_told_and_tried_again() {
    let lab = Plan::new(
        "
turns:
  - call: { StructuredOutput: { m: many } }
  - say: Three.
  - { expect: { user: still missing }, call: { StructuredOutput: { n: 3 } } }
",
    )
    .start()
    .await;
    let outcome = ask(&lab, None).await;
    assert_eq!(outcome.message.unwrap().structured, Some(json!({ "n": 3 })));
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}

#[tokio::test]
async fn a_model_that_never_fits_fails_after_its_retries() {
    let lab = Plan::new("{ turns: [{ say: Three. }], after: repeat }").start().await;
    let outcome = ask(&lab, Some(1)).await;
    let message = "the model did not give a structured answer".to_owned();
    assert_eq!(outcome.ended, Ended::Failed(Box::new(Failure::StructuredOutput { message, retries: 1 })));
    assert_eq!(outcome.steps, 2);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn of_several_answers_the_first_counts_and_it_counts_though_the_stream_breaks_off() {
    let lab = Plan::new(
        "
turns:
  - parts: [{ call: { StructuredOutput: { m: 1 } } }, { call: { StructuredOutput: { n: 2 } } }, { call: { StructuredOutput: { n: 3 } } }, { say: And }]
    fail: { error: overloaded, code: overloaded_error }
",
    )
    .start()
    .await;
    let outcome = ask(&lab, None).await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 1));
    assert_eq!(outcome.message.unwrap().structured, Some(json!({ "n": 2 })));
    lab.is_at_rest().await;
}
