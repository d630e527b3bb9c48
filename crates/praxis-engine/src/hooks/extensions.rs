//! The extensions of an engine, each under guard, asked one after the other.

use std::sync::Arc;

use praxis_llm::SystemBlock;
use praxis_llm::provider::Choice;
use praxis_proto::{Event, MessageWithParts, Part, SessionId, UserMessage};
use praxis_tools::{Bus, Guard};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::{Asking, Params, SessionHooks, TextPlace};
use crate::prompt::PromptPart;

/// Lets each extension change a draft of the value; one that does not end well changes nothing.
macro_rules! each {
    ($self:ident, $point:literal, $session:expr, $value:expr, |$hooks:ident, $draft:ident| $work:expr) => {
        for guard in &$self.guards {
            let mut $draft = $value.clone();
            if guard.attempt($point, Some($session), |$hooks| $work).await.is_some() {
                *$value = $draft;
            }
        }
    };
}

/// The extensions, in their order.
#[derive(Default)]
pub(crate) struct Extensions {
    guards: Vec<Guard<dyn SessionHooks>>,
}

impl Extensions {
    /// Guards them; what goes wrong with one is told on the bus.
    pub(crate) fn new(hooks: Vec<Arc<dyn SessionHooks>>, bus: &Bus) -> Self {
        Self { guards: hooks.into_iter().map(|hooks| Guard::new(hooks, bus.clone())).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }

    /// Whether one of them may change what the model is told of the conversation.
    pub(crate) fn change_messages(&self) -> bool {
        self.guards.iter().any(|guard| guard.hooks().changes_messages())
    }

    /// Whether one of them wants to hear what happens.
    pub(crate) fn hear_events(&self) -> bool {
        self.guards.iter().any(|guard| guard.hooks().hears_events())
    }

    /// `chat.message`. Whatever was changed, the message and its parts are still those of this session.
    pub(crate) async fn message(&self, message: &mut UserMessage, parts: &mut Vec<Part>) {
        if self.is_empty() {
            return;
        }
        let (id, session) = (message.id.clone(), message.session.clone());
        let mut whole = (message.clone(), std::mem::take(parts));
        each!(self, "chat.message", &session, &mut whole, |hooks, draft| {
            hooks.message(&mut draft.0, &mut draft.1)
        });
        (*message, *parts) = whole;
        (message.id, message.session) = (id.clone(), session.clone());
        for part in parts {
            (part.message, part.session) = (id.clone(), session.clone());
        }
    }

    /// `chat.params`.
    pub(crate) async fn params(&self, asking: Asking<'_>, params: &mut Params) {
        each!(self, "chat.params", asking.session, params, |hooks, draft| hooks.params(asking, &mut draft));
    }

    /// `chat.headers`.
    pub(crate) async fn headers(&self, asking: Asking<'_>, headers: &mut Vec<(String, String)>) {
        each!(self, "chat.headers", asking.session, headers, |hooks, draft| hooks
            .headers(asking, &mut draft));
    }

    /// `command.execute.before`.
    pub(crate) async fn command(
        &self,
        session: &SessionId,
        name: &str,
        arguments: &str,
        parts: &mut Vec<PromptPart>,
    ) {
        each!(self, "command.execute.before", session, parts, |hooks, draft| {
            hooks.command(session, name, arguments, &mut draft)
        });
    }

    /// `experimental.chat.messages.transform`.
    pub(crate) async fn messages(&self, session: &SessionId, messages: &mut Vec<MessageWithParts>) {
        each!(self, "experimental.chat.messages.transform", session, messages, |hooks, draft| {
            hooks.messages(&mut draft)
        });
    }

    /// `experimental.chat.system.transform`. Behind the first block everything becomes one block, so that the first
    /// stays in the provider's cache.
    pub(crate) async fn system_blocks(
        &self,
        session: &SessionId,
        model: &Choice,
        blocks: Vec<SystemBlock>,
    ) -> Vec<SystemBlock> {
        if self.is_empty() {
            return blocks;
        }
        let mut texts: Vec<String> = blocks.iter().map(|block| block.0.to_string()).collect();
        each!(self, "experimental.chat.system.transform", session, &mut texts, |hooks, draft| {
            hooks.system(session, model, &mut draft)
        });
        let Some((first, rest)) = texts.split_first() else { return Vec::new() };
        let rest = rest.join("\n");
        let texts = [first.as_str(), rest.as_str()].into_iter().filter(|text| !text.is_empty());
        texts.map(|text| SystemBlock(text.into())).collect()
    }

    /// `experimental.text.complete`.
    pub(crate) async fn text(&self, place: TextPlace<'_>, text: &mut String) {
        each!(self, "experimental.text.complete", place.session, text, |hooks, draft| {
            hooks.text(place, &mut draft)
        });
    }

    /// `experimental.provider.small_model`; the first that chooses decides.
    pub(crate) async fn small_model(&self, provider: &str) -> Option<Choice> {
        for guard in &self.guards {
            let point = "experimental.provider.small_model";
            let chosen = guard.attempt(point, None, |hooks| hooks.small_model(provider)).await;
            if let Some(choice) = chosen.flatten() {
                return Some(choice);
            }
        }
        None
    }

    /// `event`: passes on what happens until the engine closes and all that was said before has been passed on.
    ///
    /// What goes wrong here goes to the log alone: told on the bus, it would come back as an event.
    pub(crate) async fn follow(&self, mut events: Receiver<Event>, closing: CancellationToken) {
        loop {
            let event = tokio::select! {
                biased;
                event = events.recv() => event,
                () = closing.cancelled() => return,
            };
            match event {
                Ok(event) => self.hear(&event).await,
                Err(RecvError::Lagged(missed)) => {
                    tracing::warn!(missed, "extensions did not hear all events")
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    async fn hear(&self, event: &Event) {
        for guard in self.guards.iter().filter(|guard| guard.hooks().hears_events()) {
            if let Err(trouble) = guard.run(|hooks| hooks.event(event)).await {
                tracing::warn!("{}", guard.told("event", &trouble));
            }
        }
    }

    /// `dispose`: the engine closes.
    pub(crate) async fn dispose(&self) {
        for guard in &self.guards {
            guard.attempt("dispose", None, |hooks| hooks.dispose()).await;
        }
    }
}
