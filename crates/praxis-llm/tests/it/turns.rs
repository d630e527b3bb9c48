//! Turns: retries, other models, cancelling, and whoever listens.

use std::ops::ControlFlow;
use std::sync::Arc;

use praxis_llm::failure::{Class, Failure};
use praxis_llm::retry::Policy;
use praxis_llm::script::{Player, Script};
use praxis_llm::turn::{Chain, Heard, Listener, Model, Summary};
use praxis_llm::{Event, FinishReason};
use praxis_testkit::{Format, ModelServer};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::served::{ask, hello, model, told};

/// The script as a served model and as one without HTTP; both must do the same.
async fn both(script: &str) -> Vec<(Option<ModelServer>, Model)> {
    let player = Player::new(Script::parse("script", script).unwrap());
    let mut models = vec![(None, Model::scripted(Arc::new(player)))];
    for format in Format::ALL {
        let server = ModelServer::play(script).await;
        let model = model(format, &server.url());
        models.push((Some(server), model));
    }
    models
}

async fn take(chain: &Chain) -> (String, Result<Summary, Failure>) {
    let mut heard = Vec::new();
    let outcome = chain.stream(&hello(), &mut heard, &CancellationToken::new()).await;
    (told(&heard), outcome)
}

#[tokio::test]
async fn an_answer_is_heard_the_same_from_everyone() {
    let script = "turns: [{ say: I look, call: { read: { filePath: a } }, usage: { input: 3, output: 4 } }]";
    for (_server, model) in both(script).await {
        let (heard, outcome) = ask(&model).await;
        assert_eq!(told(&heard), "I look [call read] [ToolCalls]", "{model:?}");
        let summary = outcome.unwrap();
        assert_eq!((summary.finish_reason, summary.usage.total_tokens), (FinishReason::ToolCalls, Some(7)));
        assert_eq!(summary.model, model.name());
    }
}

#[tokio::test]
async fn a_failed_request_is_made_again_and_said_so() {
    let script = "turns:
  - fail: { status: 429, message: slow down, retry_after_ms: 0 }
  - fail: { status: 529, message: busy, retry_after_ms: 1 }
  - say: Hello";
    for (server, model) in both(script).await {
        let (told, outcome) = take(&Chain::new(model.clone(), Policy::default())).await;
        let provider = model.provider();
        assert_eq!(
            told,
            format!(
                " [wait 1: `{provider}` limits how often it may be asked]  [wait 2: `{provider}` is overloaded] Hello [Stop]"
            )
        );
        outcome.unwrap();
        if let Some(server) = server {
            server.finish();
        }
    }
}

#[tokio::test]
async fn what_was_heard_before_a_failure_is_declared_void() {
    let policy = Policy { first: std::time::Duration::ZERO, ..Policy::default() };
    let script = "turns:
  - { say: Half an, fail: { error: Overloaded, code: overloaded_error } }
  - say: A whole answer";
    for (_server, model) in both(script).await {
        let (told, outcome) = take(&Chain::new(model.clone(), policy)).await;
        assert!(
            told.starts_with("Half an [wait 1: ") && told.ends_with("] [restart] A whole answer [Stop]"),
            "{told}"
        );
        outcome.unwrap();
    }
}

#[tokio::test]
async fn nothing_is_tried_again_once_a_call_was_handed_out() {
    let policy = Policy { first: std::time::Duration::ZERO, ..Policy::default() };
    let script = "turns:
  - { parts: [{ call: { read: { filePath: a } } }, { say: and then }], fail: { error: Overloaded, code: overloaded_error } }
  - say: never";
    // These formats tell when a call is whole; the others only at the end of an answer.
    for format in [Format::Anthropic, Format::Responses, Format::Gemini] {
        let server = ModelServer::play(script).await;
        let spare = ModelServer::play("turns: [{ say: never }]").await;
        let chain = Chain::new(model(format, &server.url()), policy).or(model(format, &spare.url()));
        let (told, outcome) = take(&chain).await;
        let failure = outcome.unwrap_err();
        assert_eq!((failure.class, failure.retryable), (Class::Overload, true), "{format:?}");
        assert!(told.contains("[call read]") && !told.contains("never"), "{format:?}: {told}");
        assert_eq!((server.requests().len(), spare.requests().len()), (1, 0));
    }
}

#[tokio::test]
async fn retries_end() {
    let script = "turns: [{ when: {}, fail: { status: 500, message: no, retry_after_ms: 0 } }]";
    for (server, model) in both(script).await {
        let (told, outcome) = take(&Chain::new(model, Policy::default())).await;
        assert_eq!((told.matches("[wait ").count(), outcome.unwrap_err().class), (5, Class::Overload));
        if let Some(server) = server {
            assert_eq!(server.requests().len(), 6);
        }
    }
}

#[tokio::test]
async fn what_waiting_cannot_mend_is_said_at_once() {
    for (status, class) in [(401, Class::Auth), (400, Class::BadRequest), (413, Class::Overflow)] {
        let server = ModelServer::play(&format!("turns: [{{ fail: {{ status: {status} }} }}]")).await;
        let spare = ModelServer::play("turns: [{ say: never }]").await;
        let chain = Chain::new(model(Format::Chat, &server.url()), Policy::default())
            .or(model(Format::Chat, &spare.url()));
        let (told, outcome) = take(&chain).await;
        assert_eq!((told.as_str(), outcome.unwrap_err().class), ("", class));
        assert_eq!((server.requests().len(), spare.requests().len()), (1, 0));
    }
}

#[tokio::test]
async fn another_model_takes_the_turn_and_it_is_said() {
    let broke = ModelServer::play("turns: [{ fail: { status: 402, message: no money } }]").await;
    let busy =
        ModelServer::play("turns: [{ fail: { status: 429, message: later, retry_after_seconds: 60 } }]")
            .await;
    let player = Arc::new(Player::new(Script::parse("script", "turns: [{ say: Hello }]").unwrap()));
    let chain = Chain::new(model(Format::Anthropic, &broke.url()), Policy::default())
        .or(model(Format::Chat, &busy.url()))
        .or(Model::scripted(player));
    let (told, outcome) = take(&chain).await;
    assert_eq!(told, " [acme/m-1 → acme/m-1: Quota]  [acme/m-1 → scripted/scripted: Rate] Hello [Stop]");
    assert_eq!(outcome.unwrap().model, "scripted/scripted");
}

#[tokio::test]
async fn cancelling_closes_the_connection() {
    let server =
        ModelServer::play("turns: [{ parts: [{ say: Half }, { hold: here }, { say: more }] }]").await;
    let model = model(Format::Anthropic, &server.url());
    let cancel = CancellationToken::new();
    let mut heard = Vec::new();
    let request = hello();
    let (outcome, ()) = tokio::join!(model.stream(&request, &mut heard, &cancel), async {
        server.until_held("here").await;
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap_err(), Failure::cancelled("acme"));
    server.until_gone(1).await;
}

#[tokio::test]
async fn cancelling_ends_a_wait_between_attempts() {
    let server = ModelServer::play("turns: [{ fail: { status: 500, retry_after_seconds: 500 } }]").await;
    let chain = Chain::new(model(Format::Anthropic, &server.url()), Policy::default());
    let (sender, mut receiver) = mpsc::channel(1);
    let cancel = CancellationToken::new();
    let (mut listener, request) = (sender, hello());
    let (outcome, ()) = tokio::join!(chain.stream(&request, &mut listener, &cancel), async {
        assert!(matches!(receiver.recv().await, Some(Heard::Status(_))));
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap_err().class, Class::Cancelled);
}

#[tokio::test]
async fn a_listener_that_goes_closes_the_connection() {
    let server =
        ModelServer::play("turns: [{ parts: [{ say: { text: x, times: 1000 } }, { hold: here }] }]").await;
    let model = model(Format::Anthropic, &server.url());
    let (mut sender, mut receiver) = mpsc::channel(4);
    let request = hello();
    let cancel = CancellationToken::new();
    let (outcome, ()) = tokio::join!(model.stream(&request, &mut sender, &cancel), async move {
        assert!(receiver.recv().await.is_some());
        drop(receiver);
    });
    assert_eq!(outcome.unwrap_err().class, Class::Cancelled);
    server.until_gone(1).await;
}

/// Counts deltas and keeps nothing.
#[derive(Default)]
struct Counting(usize);

impl Listener for Counting {
    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        self.0 += usize::from(matches!(heard, Heard::Event(Event::TextDelta { .. })));
        ControlFlow::Continue(())
    }
}

#[tokio::test]
async fn drops_of_a_byte_make_a_whole_answer() {
    for format in Format::ALL {
        let server = ModelServer::play("turns: [{ say: { text: 'é ', times: 50 }, drip_bytes: 1 }]").await;
        let mut counting = Counting::default();
        let cancel = CancellationToken::new();
        model(format, &server.url()).stream(&hello(), &mut counting, &cancel).await.unwrap();
        assert_eq!(counting.0, 50, "{format:?}");
    }
}

#[tokio::test]
async fn printed_calls_and_thoughts_of_chat_servers_are_understood() {
    let say = r#"<think>hm</think><tool_call>{"name":"read","arguments":{"filePath":"a"}}</tool_call>"#;
    let script = format!("turns: [{{ say: '{say}', chunks: 7 }}]");
    let server = ModelServer::play(&script).await;
    let (heard, outcome) = ask(&model(Format::Chat, &server.url())).await;
    assert_eq!(told(&heard), " [call read] [ToolCalls]");
    assert_eq!(outcome.unwrap().finish_reason, FinishReason::ToolCalls);
    let server = ModelServer::play(&script).await;
    let (heard, _) = ask(&model(Format::Anthropic, &server.url())).await;
    assert!(told(&heard).contains("<tool_call>"));
}

#[tokio::test]
async fn betas_of_the_configuration_join_those_of_the_wire() {
    let server = ModelServer::play("turns: [{ say: Hello }]").await;
    let secret = praxis_llm::Secret::new("mine-1").unwrap();
    let model = model(Format::Anthropic, &server.url()).with_header("anthropic-beta", secret);
    ask(&model).await.1.unwrap();
    let request = server.request(0);
    let betas = request.header("anthropic-beta").unwrap();
    assert!(betas.ends_with("mine-1"), "{betas}");
    assert_eq!(request.header("x-api-key"), Some(crate::served::KEY));
    assert_eq!(request.headers.iter().filter(|(name, _)| name == "content-type").count(), 1);
}
