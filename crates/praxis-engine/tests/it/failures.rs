//! Models that fail, and what is tried again.

use praxis_engine::prompt::{PromptInput, PromptPart};
use praxis_engine::{Ended, Limit};
use praxis_proto::{Event, Failure, MessageModel, SessionStatus};
use praxis_testkit::Format;

use crate::lab::Plan;

#[tokio::test]
async fn a_request_that_may_succeed_later_is_made_again_and_everybody_is_told() {
    let lab = Plan::new(
        "turns: [{ fail: { status: 429, retry_after_ms: 1 } }, { fail: { status: 529 } }, { say: At last. }]",
    )
    .over(Format::Anthropic)
    .start()
    .await;
    let mut ear = lab.listen();
    assert_eq!(lab.prompt("hi").await.ended, Ended::Done);
    let mut seen = Vec::new();
    ear.until("the end", |event| {
        let Event::SessionStatus { status, .. } = event else { return None };
        seen.push(match status {
            SessionStatus::Idle => "idle".to_owned(),
            SessionStatus::Busy => "busy".to_owned(),
            SessionStatus::Retry { attempt, .. } => format!("retry {attempt}"),
        });
        (*status == SessionStatus::Idle).then_some(())
    })
    .await;
    assert_eq!(seen, ["busy", "retry 1", "retry 2", "busy", "idle"]);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > hi
    At last.
    ");
}

#[tokio::test]
async fn a_failure_that_stays_ends_the_run_after_five_retries() {
    let lab = Plan::new("{ turns: [{ fail: { status: 500, message: broken } }], after: repeat }")
        .over(Format::Chat)
        .start()
        .await;
    let outcome = lab.prompt("hi").await;
    let Ended::Failed(failure) = outcome.ended else { panic!("{outcome:?}") };
    let Failure::Api(api) = *failure else { panic!("{failure:?}") };
    assert_eq!((api.status_code, api.is_retryable), (Some(500), true));
    assert_eq!(lab.server().requests().len(), 6);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn a_wrong_key_and_a_conversation_that_is_too_long_are_not_tried_again() {
    for (status, message, name) in [
        (401, "bad key", "ProviderAuthError"),
        (400, "prompt is too long: 9 tokens > 8 maximum", "ContextOverflowError"),
    ] {
        let script =
            format!("{{ turns: [{{ fail: {{ status: {status}, message: '{message}' }} }}], after: repeat }}");
        let lab = Plan::new(&script).over(Format::Anthropic).start().await;
        let outcome = lab.prompt("hi").await;
        let Ended::Failed(failure) = outcome.ended else { panic!("{outcome:?}") };
        assert_eq!(serde_json::to_value(&failure).unwrap()["name"], name);
        assert_eq!(lab.server().requests().len(), 1);
    }
}

#[tokio::test]
async fn text_of_an_answer_that_broke_off_goes_when_it_is_asked_for_again() {
    let lab =
        Plan::new("turns: [{ say: [Wro, ng], fail: { cut_after_bytes: 4 } }, { say: Right. }]").start().await;
    let mut ear = lab.listen();
    assert_eq!(lab.prompt("hi").await.ended, Ended::Done);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > hi
    Right.
    ");
    assert_eq!(ear.counts()["message.part.removed"], 2);
}

#[tokio::test]
async fn a_call_that_has_run_does_not_run_again_when_the_answer_breaks_off() {
    let lab = Plan::new(
        "
turns:
  - parts: [{ call: { bash: { command: echo once >> log, description: note } } }, { say: It is }]
    fail: { error: overloaded, code: overloaded_error }
  - { expect: { result_of: bash }, say: It is noted. }
",
    )
    .start()
    .await;
    assert_eq!(lab.prompt("note it").await.ended, Ended::Done);
    assert_eq!(lab.read("log"), "once\n");
    insta::assert_snapshot!(lab.transcript().await, @r"
    > note it
    ✓ bash (no output)
    It is
    It is noted.
    ");
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}

#[tokio::test]
async fn a_withheld_answer_says_so() {
    let lab = Plan::new("turns: [{ say: Well, finish: content-filter }]").start().await;
    lab.prompt("hi").await;
    insta::assert_snapshot!(lab.transcript().await, @r"
    > hi
    Well
    ! ContentFilterError: the provider withheld the answer; ask in another way
    ");
}

#[tokio::test]
async fn whoever_is_not_there_is_told_to_everybody_with_those_who_may_be_meant() {
    let lab = Plan::new("turns: []").over(Format::Chat).start().await;
    let mut ear = lab.listen();
    let asked = |model: Option<&str>, agent: Option<&str>| PromptInput {
        model: model.map(|model| MessageModel { provider: "lab".into(), model: model.into(), variant: None }),
        agent: agent.map(str::to_owned),
        ..PromptInput::text(lab.session.clone(), "hi")
    };
    let mut errors = Vec::new();
    for input in [asked(None, Some("biuld")), asked(Some("modle"), None)] {
        let error = lab.engine.prompt(input, Default::default()).await.unwrap_err();
        let told = ear.until("the error", |event| match event {
            Event::SessionError { error, .. } => error.as_ref().map(|error| error.message().to_owned()),
            _ => None,
        });
        assert_eq!(told.await, error.to_string());
        errors.push(error.to_string());
    }
    insta::assert_snapshot!(errors.join("\n"), @r"
    there is no agent `biuld`; there are build, explore, general, plan. Did you mean `build`?
    `lab` has no model `modle`; did you mean `model`? `praxis models lab` lists them
    ");
    lab.is_at_rest().await;
}

#[tokio::test]
async fn the_model_is_the_one_asked_for_then_the_agents_the_sessions_the_last_and_the_default() {
    let lab = Plan::new("{ turns: [{ say: Yes. }], after: repeat }")
        .config(serde_json::json!({ "agent": { "own": { "model": "lab/two" } } }))
        .over(Format::Chat)
        .start()
        .await;
    let model = |name: &str| MessageModel { provider: "lab".into(), model: name.into(), variant: None };
    let ask = async |asked: Option<&str>, agent: &str| {
        let input = PromptInput {
            model: asked.map(model),
            agent: Some(agent.to_owned()),
            ..PromptInput::text(lab.session.clone(), "hi")
        };
        lab.engine.prompt(input, Default::default()).await.unwrap().message.unwrap().model
    };
    assert_eq!(ask(None, "build").await, "model");
    assert_eq!(ask(None, "own").await, "two");
    assert_eq!(ask(Some("three"), "own").await, "three");
    assert_eq!(ask(None, "build").await, "three");
    lab.engine.store().change(&lab.session, vec![praxis_store::Change::Model(None)]).await.unwrap();
    assert_eq!(ask(None, "build").await, "three");
}

#[tokio::test]
async fn an_attachment_that_cannot_be_had_is_told_once() {
    let lab =
        Plan::new("turns: [{ expect: { anywhere: could not be had }, say: Where is it? }]").start().await;
    let mut ear = lab.listen();
    let mut input = PromptInput::text(lab.session.clone(), "look");
    input.parts.push(PromptPart::file(&lab.folder().join("missing")));
    lab.engine.prompt(input, Default::default()).await.unwrap();
    assert_eq!(ear.counts()["session.error"], 1);
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}

#[tokio::test]
async fn a_model_that_does_not_exist_is_named_with_those_that_do() {
    let lab = Plan::new("turns: []").config(serde_json::json!({})).start().await;
    let model =
        praxis_proto::MessageModel { provider: "scripted".into(), model: "nobody".into(), variant: None };
    let input = praxis_engine::prompt::PromptInput {
        model: Some(model),
        ..praxis_engine::prompt::PromptInput::text(lab.session.clone(), "hi")
    };
    let error = lab.engine.prompt(input, Default::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no script `nobody`; name its file in `provider.scripted.options.scripts.nobody` or with --script"
    );
    lab.is_at_rest().await;
}

/// A call whose arguments end in the middle, because the answer may not be longer.
const CUT_SHORT: &str =
    "{ calls: [{ tool: write, raw: '{\"filePath\": \"n\", \"content\": \"abc' }], finish: length }";

#[tokio::test]
async fn a_call_that_the_length_limit_cuts_off_fails_and_the_model_goes_on() {
    for format in [Format::Anthropic, Format::Chat, Format::Responses] {
        let expected = "expect: { result: { of: write, text: length limit, error: true } }";
        let script = format!("turns: [{CUT_SHORT}, {{ {expected}, say: In pieces then. }}]");
        let lab = Plan::new(&script).over(format).start().await;
        let outcome = lab.prompt("write it").await;
        assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 2), "{format:?}");
        assert!(!lab.has("n"), "{format:?}");
        lab.is_at_rest().await;
        let transcript = lab.transcript().await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(transcript, @r"
            > write it
            ✗ write The answer reached its length limit in the middle of this call's arguments, so nothing was done. Make the call again with less in it, for example in several smaller pieces.
            In pieces then.
            ");
        }
    }
}

#[tokio::test]
async fn a_model_that_cannot_keep_a_call_short_is_not_asked_for_ever() {
    let lab =
        Plan::new(&format!("{{ turns: [{CUT_SHORT}], after: repeat }}")).over(Format::Chat).start().await;
    let outcome = lab.prompt("write it").await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Limit(Limit::Loop { tool: "write".into() }), 3));
    lab.is_at_rest().await;
}

#[tokio::test]
async fn an_answer_that_ends_with_an_error_is_a_failure() {
    let lab = Plan::new("turns: [{ say: Well, finish: error }]").start().await;
    let outcome = lab.prompt("hi").await;
    let Ended::Failed(failure) = outcome.ended else { panic!("{outcome:?}") };
    assert!(failure.message().starts_with("the provider ended the answer with an error"), "{failure:?}");
    assert_eq!(outcome.message.unwrap().finish.as_deref(), Some("error"));
}
