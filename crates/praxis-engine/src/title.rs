//! The title of a session, made up beside its first answer. Nobody waits for it, and nobody minds if there is none.

use std::ops::ControlFlow;
use std::time::Duration;

use praxis_llm::turn::{Heard, Listener, Status};
use praxis_llm::{Event, Message as Said, Request};
use praxis_policy::BuiltIn;
use praxis_proto::{Event as Told, UserMessage};
use praxis_store::Change;
use tokio_util::sync::CancellationToken;

use crate::engine::Inner;
use crate::hooks::Asking;
use crate::model::{Answerer, SCRIPTED, Size};
use crate::{prompts, system};

/// Characters of a title.
const MOST_CHARS: usize = 100;
/// How long a title may take.
const DEADLINE: Duration = Duration::from_secs(60);
/// Bytes of what is read of an answer that should be one line.
const MOST_BYTES: usize = 16 << 10;

/// Makes a title for a session whose first message is `said`, unless it has one meanwhile.
pub(crate) async fn make(
    engine: &Inner,
    session: &praxis_proto::SessionId,
    user: &UserMessage,
    said: Vec<Said>,
    beside: &Answerer,
    cancel: CancellationToken,
) {
    let making = async {
        let title = ask(engine, session, user, said, beside, &cancel).await?;
        let known = engine.store.session(session).await.ok()?;
        if !known.has_default_title() {
            return None;
        }
        let changed = engine.store.change(session, vec![Change::Title(title)]).await.ok()?;
        engine.workbench.bus.publish(Told::SessionUpdated(changed.into()));
        Some(())
    };
    let made = tokio::select! {
        () = cancel.cancelled() => None,
        made = tokio::time::timeout(DEADLINE, making) => made.ok().flatten(),
    };
    if made.is_none() {
        tracing::debug!(%session, "no title was made");
    }
}

async fn ask(
    engine: &Inner,
    session: &praxis_proto::SessionId,
    user: &UserMessage,
    said: Vec<Said>,
    beside: &Answerer,
    cancel: &CancellationToken,
) -> Option<String> {
    let agent = engine.workbench.agents.get(Some(BuiltIn::Title.name())).ok()?;
    let own = agent.model.as_deref().and_then(|model| praxis_llm::provider::Choice::parse(model).ok());
    let choice = match own {
        Some(own) => own,
        None => match engine.small_model(&beside.choice).await {
            Some(small) => small,
            // A script answers in order: a title would take the turn of somebody else.
            None if beside.choice.provider == SCRIPTED => return None,
            None => beside.choice.clone(),
        },
    };
    let answerer = engine.models.get(&choice).ok()?;
    let asking = Asking { session, agent: &agent.name, model: &answerer.choice, message: user };
    let mut params = answerer.params(session, agent, None, Size::Small);
    engine.hooks.params(asking, &mut params).await;
    let mut headers = Vec::new();
    engine.hooks.headers(asking, &mut headers).await;
    let system = system::bare_blocks(agent, answerer.facts(), None);
    let request = Request {
        system: engine.hooks.system_blocks(session, &answerer.choice, system).await,
        messages: [Said::User(vec![praxis_llm::UserPart::Text(prompts::TITLE_REQUEST.trim_end().into())])]
            .into_iter()
            .chain(said)
            .collect(),
        sampling: params.sampling,
        options: params.options,
        ..Request::default()
    };
    let mut heard = Text(String::new());
    let answered = answerer.chain(&agent.name, &headers).stream(&request, &mut heard, cancel).await;
    // Of one that talks on and on, the beginning is enough.
    if answered.is_err() && !heard.is_full() {
        return None;
    }
    line(&heard.0)
}

/// The text of an answer that should be one line.
struct Text(String);

impl Text {
    fn is_full(&self) -> bool {
        self.0.len() >= MOST_BYTES
    }
}

impl Listener for Text {
    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        match heard {
            Heard::Event(Event::TextDelta { delta, .. }) => self.0.push_str(&delta),
            Heard::Status(Status::Restarted) => self.0.clear(),
            _ => {}
        }
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The first line that says something, without thoughts, cut to length.
fn line(text: &str) -> Option<String> {
    let mut told = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<think>") {
        told.push_str(before);
        rest = behind.split_once("</think>").map_or("", |(_, after)| after);
    }
    told.push_str(rest);
    let line = told.lines().map(str::trim).find(|line| !line.is_empty())?;
    if line.chars().count() <= MOST_CHARS {
        return Some(line.to_owned());
    }
    Some(line.chars().take(MOST_CHARS - 3).chain("...".chars()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_without_thoughts_and_not_too_long() {
        assert_eq!(line("<think>hm\nhm</think>\n\n  A title \nmore"), Some("A title".into()));
        assert_eq!(line("Before <think>cut off"), Some("Before".into()));
        assert_eq!(line(" \n<think>x</think>"), None);
        assert_eq!(line(&"ä".repeat(100)), Some("ä".repeat(100)));
        assert_eq!(line(&"ä".repeat(101)), Some(format!("{}...", "ä".repeat(97))));
    }
}
