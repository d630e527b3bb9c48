//! Extensions that take part in a session.

use praxis_engine::{Asking, Params, SessionHooks, TextPlace};
use praxis_llm::provider::Choice;
use praxis_proto::{MessageWithParts, Part, PartBody, SessionId, UserMessage};
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
