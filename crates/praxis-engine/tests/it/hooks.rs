//! Extensions that take part in a session.

mod broken;
mod calls;

use std::sync::{Arc, Mutex};

use praxis_engine::prompt::{PromptInput, PromptPart};
use praxis_engine::{
    Asking, CommandPrompt, Ended, EngineError, Limits, Params, SessionHooks, Snapshots, TextPlace,
};
use praxis_llm::provider::Choice;
use praxis_proto::{Event, FilePart, MessageId, MessageWithParts, Part, PartBody, SessionId, UserMessage};
use praxis_testkit::Format;
use praxis_tools::{Boxed, Extension, Hooked};
use serde_json::json;

use crate::lab::Plan;

struct Meddler;

impl Extension for Meddler {
    fn name(&self) -> &str {
        "meddler"
    }
}

impl SessionHooks for Meddler {
    fn message<'a>(&'a self, message: &'a mut UserMessage, parts: &'a mut Vec<Part>) -> Hooked<'a> {
        Box::pin(async move {
            // Ids are not its business.
            message.id = MessageId::from_raw("msg_forged");
            parts[0].message = MessageId::from_raw("msg_forged");
            say(parts, "louder");
            Ok(())
        })
    }

    fn params<'a>(&'a self, asking: Asking<'a>, params: &'a mut Params) -> Hooked<'a> {
        assert_eq!((asking.agent, asking.model.to_string()), ("build", "lab/model".to_owned()));
        Box::pin(async move {
            params.sampling.top_p = Some(0.5);
            params.sampling.max_output_tokens = Some(77);
            params.options.insert("mine".into(), json!(true));
            Ok(())
        })
    }

    fn headers<'a>(&'a self, _: Asking<'a>, headers: &'a mut Vec<(String, String)>) -> Hooked<'a> {
        Box::pin(async move {
            headers.push(("x-mine".into(), "yes".into()));
            Ok(())
        })
    }

    fn changes_messages(&self) -> bool {
        true
    }

    fn messages<'a>(&'a self, messages: &'a mut Vec<MessageWithParts>) -> Hooked<'a> {
        Box::pin(async move {
            say(&mut messages[0].parts, "changed");
            Ok(())
        })
    }

    fn system<'a>(&'a self, _: &'a SessionId, _: &'a Choice, blocks: &'a mut Vec<String>) -> Hooked<'a> {
        Box::pin(async move {
            blocks.push("And sing.".into());
            Ok(())
        })
    }

    fn text<'a>(&'a self, _: TextPlace<'a>, text: &'a mut String) -> Hooked<'a> {
        Box::pin(async move {
            text.push('!');
            Ok(())
        })
    }
}

fn say(parts: &mut [Part], more: &str) {
    for part in parts {
        if let PartBody::Text(text) = &mut part.body {
            text.text = format!("{} {more}", text.text);
        }
    }
}

#[tokio::test]
async fn every_hook_changes_what_it_may_in_every_request() {
    let script = "turns: [{ say: Yes, call: { glob: { pattern: '*' } } }, { say: Done }]";
    let lab = Plan::new(script).over(Format::Chat).hook(Meddler).start().await;
    lab.prompt("sing").await;
    for number in 0..2 {
        let request = lab.server().request(number);
        assert_eq!(request.header("x-mine"), Some("yes"));
        assert_eq!(request.header("x-session-id"), Some(lab.session.as_str()));
        assert_eq!(
            (&request.body["top_p"], &request.body["max_tokens"], &request.body["mine"]),
            (&json!(0.5), &json!(77), &json!(true))
        );
        assert_eq!(request.seen.last_user(), "sing louder changed");
        assert_eq!(request.seen.system.matches("And sing.").count(), 1);
    }
    insta::assert_snapshot!(lab.transcript().await, @r"
    > sing louder
    Yes!
    ✓ glob No files found
    Done!
    ");
}

/// Panics when it is first used.
#[derive(Default)]
struct Bomb(std::sync::atomic::AtomicBool);

impl Snapshots for Bomb {
    fn take(&self) -> Boxed<'_, Option<String>> {
        let used = self.0.swap(true, std::sync::atomic::Ordering::SeqCst);
        Box::pin(async move {
            assert!(used, "boom");
            None
        })
    }

    fn changed<'a>(&'a self, _: &'a str) -> Boxed<'a, Vec<std::path::PathBuf>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

#[tokio::test]
async fn a_run_that_panics_leaves_the_session_idle_and_nothing_open() {
    let lab = Plan::new("{ turns: [{ say: Yes. }], after: repeat }").snapshots(Bomb::default()).start().await;
    let mut ear = lab.listen();
    let input = PromptInput::text(lab.session.clone(), "hi");
    let crashed = lab.engine.prompt(input, Default::default()).await.unwrap_err();
    assert!(matches!(crashed, EngineError::Crashed(_)), "{crashed}");
    ear.until("the end", |event| matches!(event, Event::SessionIdle { .. }).then_some(())).await;
    lab.engine.wait(&lab.session).await.unwrap();
    let messages = lab.messages().await;
    assert!(messages.iter().all(|message| !message.info.is_open()), "{messages:?}");
    assert_eq!(lab.prompt("again").await.ended, Ended::Done);
    lab.engine.close().await;
    lab.is_at_rest().await;
}

/// Attaches what no model can be shown.
struct Painter;

impl Extension for Painter {
    fn name(&self) -> &str {
        "painter"
    }
}

impl SessionHooks for Painter {
    fn message<'a>(&'a self, message: &'a mut UserMessage, parts: &'a mut Vec<Part>) -> Hooked<'a> {
        let url = "data:image/bmp;base64,Qk0=".to_owned();
        let body = PartBody::File(FilePart { mime: "image/bmp".into(), url, ..FilePart::default() });
        let (session, message) = (message.session.clone(), message.id.clone());
        parts.push(Part { id: praxis_proto::PartId::from_raw("prt_painted"), session, message, body });
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_picture_that_an_extension_adds_is_fitted_too() {
    let lab = Plan::new("turns: [{ say: Yes }]").hook(Painter).start().await;
    lab.prompt("look").await;
    insta::assert_snapshot!(lab.transcript().await, @r"
    > look
    > A picture of the user is left out: it is no PNG, JPEG, GIF or WebP picture
    Yes
    ");
}

/// Adds a line to what a slash command became.
struct Signs;

impl Extension for Signs {
    fn name(&self) -> &str {
        "signs"
    }
}

impl SessionHooks for Signs {
    fn command<'a>(
        &'a self,
        _: &'a SessionId,
        name: &'a str,
        arguments: &'a str,
        parts: &'a mut Vec<PromptPart>,
    ) -> Hooked<'a> {
        Box::pin(async move {
            parts.push(PromptPart::text(format!("({name} with {arguments})")));
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_hook_changes_what_a_slash_command_became() {
    let config = json!({ "command": { "greet": { "template": "Greet $1." } } });
    let lab = Plan::new("turns: [{ say: Hello }]").config(config).hook(Signs).start().await;
    let prompt = CommandPrompt {
        session: lab.session.clone(),
        name: "greet".into(),
        arguments: "Ann".into(),
        agent: None,
        model: None,
        parts: Vec::new(),
    };
    lab.engine.command(prompt, Limits::default()).await.unwrap();
    insta::assert_snapshot!(lab.transcript().await, @r"
    > Greet Ann.
    > (greet with Ann)
    Hello
    ");
}

/// Chooses the model for titles.
struct Chooses;

impl Extension for Chooses {
    fn name(&self) -> &str {
        "chooses"
    }
}

impl SessionHooks for Chooses {
    fn small_model<'a>(&'a self, provider: &'a str) -> Hooked<'a, Option<Choice>> {
        assert_eq!(provider, "scripted");
        let choice = Choice { provider: "scripted".into(), model: "title".into() };
        Box::pin(async { Ok(Some(choice)) })
    }
}

#[tokio::test]
async fn a_hook_chooses_the_model_for_small_work() {
    let config =
        json!({ "provider": { "scripted": { "options": { "scripts": { "title": "title.yaml" } } } } });
    let plan = Plan::new("turns: [{ say: Hello }]").file("title.yaml", "[A chosen title]").config(config);
    let lab = plan.hook(Chooses).start().await;
    let mut ear = lab.listen();
    lab.prompt("hello").await;
    ear.until("the title", |event| match event {
        Event::SessionUpdated(changed) if changed.info.title == "A chosen title" => Some(()),
        _ => None,
    })
    .await;
}

/// Writes down what it hears.
struct Hears(Arc<Mutex<Vec<String>>>);

impl Extension for Hears {
    fn name(&self) -> &str {
        "hears"
    }
}

impl SessionHooks for Hears {
    fn hears_events(&self) -> bool {
        true
    }

    fn event<'a>(&'a self, event: &'a Event) -> Hooked<'a> {
        let kind = serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
        self.0.lock().unwrap().push(kind);
        Box::pin(async { Ok(()) })
    }

    fn dispose(&self) -> Hooked<'_> {
        self.0.lock().unwrap().push("dispose".into());
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn events_are_passed_on_and_the_end_is_told_last() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let lab = Plan::new("turns: [{ say: Yes }]").hook(Hears(Arc::clone(&heard))).start().await;
    lab.prompt("hello").await;
    lab.engine.close().await;
    let heard = heard.lock().unwrap();
    assert_eq!(
        (heard.first().map(String::as_str), heard.last().map(String::as_str)),
        (Some("session.created"), Some("dispose"))
    );
    for kind in ["message.updated", "message.part.updated", "message.part.delta", "session.idle"] {
        assert!(heard.iter().any(|heard| heard == kind), "{kind} {heard:?}");
    }
}
