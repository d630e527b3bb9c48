//! Extensions that take part in a session.

use praxis_engine::prompt::PromptInput;
use praxis_engine::{Asking, Ended, EngineError, Params, SessionHooks, TextPlace};
use praxis_llm::provider::Choice;
use praxis_proto::{Event, FilePart, MessageWithParts, Part, PartBody, SessionId, UserMessage};
use praxis_testkit::Format;
use praxis_tools::Boxed;

use crate::lab::Plan;

struct Meddler;

impl SessionHooks for Meddler {
    fn message<'a>(&'a self, _: &'a mut UserMessage, parts: &'a mut Vec<Part>) -> Boxed<'a, ()> {
        Box::pin(async move { say(parts, "louder") })
    }

    fn params<'a>(&'a self, asking: Asking<'a>, params: &'a mut Params) -> Boxed<'a, ()> {
        assert_eq!((asking.agent, asking.model.to_string()), ("build", "lab/model".to_owned()));
        Box::pin(async move { params.sampling.top_p = Some(0.5) })
    }

    fn headers<'a>(&'a self, _: Asking<'a>, headers: &'a mut Vec<(String, String)>) -> Boxed<'a, ()> {
        Box::pin(async move { headers.push(("x-mine".into(), "yes".into())) })
    }

    fn changes_messages(&self) -> bool {
        true
    }

    fn messages<'a>(&'a self, messages: &'a mut Vec<MessageWithParts>) -> Boxed<'a, ()> {
        Box::pin(async move { say(&mut messages[0].parts, "changed") })
    }

    fn system<'a>(&'a self, _: &'a SessionId, _: &'a Choice, blocks: &'a mut Vec<String>) -> Boxed<'a, ()> {
        Box::pin(async move { blocks.push("And sing.".into()) })
    }

    fn text<'a>(&'a self, _: TextPlace<'a>, text: &'a mut String) -> Boxed<'a, ()> {
        Box::pin(async move { text.push('!') })
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
async fn every_hook_changes_what_it_may() {
    let lab = Plan::new("turns: [{ say: Yes }]").over(Format::Chat).hook(Meddler).start().await;
    lab.prompt("sing").await;
    let request = lab.server().request(0);
    assert_eq!(request.header("x-mine"), Some("yes"));
    assert_eq!(request.header("x-session-id"), Some(lab.session.as_str()));
    assert_eq!(request.body["top_p"], 0.5);
    assert_eq!(request.seen.last_user(), "sing louder changed");
    assert!(request.seen.system.ends_with("And sing."));
    insta::assert_snapshot!(lab.transcript().await, @r"
    > sing louder
    Yes!
    ");
}

/// Panics in its first text.
#[derive(Default)]
struct Bomb(std::sync::atomic::AtomicBool);

impl SessionHooks for Bomb {
    fn text<'a>(&'a self, _: TextPlace<'a>, _: &'a mut String) -> Boxed<'a, ()> {
        let used = self.0.swap(true, std::sync::atomic::Ordering::SeqCst);
        Box::pin(async move { assert!(used, "boom") })
    }
}

#[tokio::test]
async fn a_run_that_panics_leaves_the_session_idle_and_nothing_open() {
    let lab = Plan::new("{ turns: [{ say: Yes. }], after: repeat }").hook(Bomb::default()).start().await;
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

impl SessionHooks for Painter {
    fn message<'a>(&'a self, message: &'a mut UserMessage, parts: &'a mut Vec<Part>) -> Boxed<'a, ()> {
        let url = "data:image/bmp;base64,Qk0=".to_owned();
        let body = PartBody::File(FilePart { mime: "image/bmp".into(), url, ..FilePart::default() });
        let (session, message) = (message.session.clone(), message.id.clone());
        parts.push(Part { id: praxis_proto::PartId::from_raw("prt_painted"), session, message, body });
        Box::pin(std::future::ready(()))
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
