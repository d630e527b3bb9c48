//! Extensions that fail, hang or panic wherever they may take part.

use std::time::Duration;

use praxis_engine::prompt::PromptPart;
use praxis_engine::{Asking, CommandPrompt, Ended, Limits, Params, SessionHooks, TextPlace};
use praxis_llm::provider::Choice;
use praxis_proto::{Event, MessageWithParts, Part, SessionId, UserMessage};
use praxis_tools::{Extension, HookFailure, Hooked};
use serde_json::json;

use crate::lab::Plan;

#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Fails,
    Hangs,
    Panics,
}

impl Broken {
    fn behave<'a, T: 'a>(self) -> Hooked<'a, T> {
        Box::pin(async move {
            match self {
                Self::Fails => Err(HookFailure("out of order".into())),
                Self::Hangs => std::future::pending().await,
                Self::Panics => panic!("out of its mind"),
            }
        })
    }
}

impl Extension for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(10)
    }
}

impl SessionHooks for Broken {
    fn hears_events(&self) -> bool {
        // One that hangs here would soon be asked no more, and the other points are to be seen.
        *self != Self::Hangs
    }

    fn event<'a>(&'a self, _: &'a Event) -> Hooked<'a> {
        self.behave()
    }

    fn dispose(&self) -> Hooked<'_> {
        self.behave()
    }

    fn message<'a>(&'a self, _: &'a mut UserMessage, parts: &'a mut Vec<Part>) -> Hooked<'a> {
        parts.clear();
        self.behave()
    }

    fn params<'a>(&'a self, _: Asking<'a>, params: &'a mut Params) -> Hooked<'a> {
        params.options.insert("broken".into(), json!(true));
        self.behave()
    }

    fn headers<'a>(&'a self, _: Asking<'a>, headers: &'a mut Vec<(String, String)>) -> Hooked<'a> {
        headers.clear();
        self.behave()
    }

    fn command<'a>(
        &'a self,
        _: &'a SessionId,
        _: &'a str,
        _: &'a str,
        parts: &'a mut Vec<PromptPart>,
    ) -> Hooked<'a> {
        parts.clear();
        self.behave()
    }

    fn changes_messages(&self) -> bool {
        true
    }

    fn messages<'a>(&'a self, messages: &'a mut Vec<MessageWithParts>) -> Hooked<'a> {
        messages.clear();
        self.behave()
    }

    fn system<'a>(&'a self, _: &'a SessionId, _: &'a Choice, blocks: &'a mut Vec<String>) -> Hooked<'a> {
        blocks.clear();
        self.behave()
    }

    fn small_model<'a>(&'a self, _: &'a str) -> Hooked<'a, Option<Choice>> {
        self.behave()
    }

    fn text<'a>(&'a self, _: TextPlace<'a>, text: &'a mut String) -> Hooked<'a> {
        text.clear();
        self.behave()
    }
}

async fn a_run_with(broken: Broken) -> Vec<String> {
    let mut config = json!({ "command": { "greet": { "template": "Greet $1." } } });
    // A title is made beside the run, so it would miss deadlines at any moment.
    if broken == Broken::Hangs {
        config["agent"]["title"] = json!({ "disable": true });
    }
    let script = "turns: [{ expect: { user: Greet Ann. }, say: Hello }]";
    let lab = Plan::new(script).config(config).hook(broken).start().await;
    let mut events = lab.engine.subscribe();
    let prompt = CommandPrompt {
        session: lab.session.clone(),
        name: "greet".into(),
        arguments: "Ann".into(),
        agent: None,
        model: None,
        parts: Vec::new(),
    };
    let outcome = lab.engine.command(prompt, Limits::default()).await.unwrap();
    assert_eq!(outcome.ended, Ended::Done);
    assert_eq!(lab.transcript().await, "> Greet Ann.\nHello");
    lab.engine.close().await;
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::SessionError { error: Some(error), .. } = event {
            let message = error.message().strip_prefix("the extension `broken` had no effect at ");
            told.push(message.unwrap_or(error.message()).to_owned());
        }
    }
    told
}

#[tokio::test]
async fn a_run_goes_on_without_hooks_that_fail_and_people_are_told() {
    let mut told = a_run_with(Broken::Fails).await;
    told.sort_unstable();
    insta::assert_snapshot!(told.join("\n"), @r"
    `chat.headers`: out of order
    `chat.message`: out of order
    `chat.params`: out of order
    `command.execute.before`: out of order
    `dispose`: out of order
    `experimental.chat.messages.transform`: out of order
    `experimental.chat.system.transform`: out of order
    `experimental.provider.small_model`: out of order
    `experimental.text.complete`: out of order
    ");
}

#[tokio::test]
async fn a_run_goes_on_without_hooks_that_panic_and_people_are_told() {
    let told = a_run_with(Broken::Panics).await;
    assert!(told.iter().all(|told| told.ends_with("it panicked: out of its mind")), "{told:?}");
}

#[tokio::test]
async fn hooks_that_hang_hold_a_run_up_three_times_at_most() {
    insta::assert_snapshot!(a_run_with(Broken::Hangs).await.join("\n"), @r"
    `command.execute.before`: it took longer than 10ms
    `chat.message`: it took longer than 10ms
    `chat.params`: it did not answer 3 times in a row, and is not asked for a minute
    ");
}
