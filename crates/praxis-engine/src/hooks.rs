//! Where extensions take part in a session. Those of the tool layer are in [`praxis_tools::Hooks`].

mod extensions;

use praxis_llm::Sampling;
use praxis_llm::provider::Choice;
use praxis_proto::{Event, MessageId, MessageWithParts, Part, PartId, SessionId, UserMessage};
use praxis_tools::{Extension, Hooked};
use serde_json::{Map, Value};

pub(crate) use extensions::Extensions;

/// Who asks which model, as hooks see it.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The agent.
    pub agent: &'a str,
    /// The model.
    pub model: &'a Choice,
    /// The message that is answered.
    pub message: &'a UserMessage,
}

/// How a request is made, before it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// How words are chosen.
    pub sampling: Sampling,
    /// Options of the provider.
    pub options: Map<String, Value>,
}

/// What a compaction is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compacting {
    /// More to bear in mind.
    pub context: Vec<String>,
    /// Another prompt than ours.
    pub prompt: Option<String>,
}

/// Where a text part is.
#[derive(Debug, Clone, Copy)]
pub struct TextPlace<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The message.
    pub message: &'a MessageId,
    /// The part.
    pub part: &'a PartId,
}

/// The hook points of a session. Everything has a default, so that an extension writes only what it needs.
///
/// A hook changes a draft, which counts when the hook ends well and within the extension's deadline. Otherwise the run
/// goes on as if the hook were not there, and people are told.
pub trait SessionHooks: Extension {
    /// Whether [`SessionHooks::event`] does anything.
    fn hears_events(&self) -> bool {
        false
    }

    /// `event`: hears everything that happens in the project. Nobody waits for it; one that is slow misses some.
    fn event<'a>(&'a self, event: &'a Event) -> Hooked<'a> {
        let _ = event;
        nothing()
    }

    /// `dispose`: the engine closes.
    fn dispose(&self) -> Hooked<'_> {
        nothing()
    }

    /// `chat.message`: may change a user message before it is stored. Its ids stay as they are.
    fn message<'a>(&'a self, message: &'a mut UserMessage, parts: &'a mut Vec<Part>) -> Hooked<'a> {
        let _ = (message, parts);
        nothing()
    }

    /// `chat.params`: may change how a request is made.
    fn params<'a>(&'a self, asking: Asking<'a>, params: &'a mut Params) -> Hooked<'a> {
        let _ = (asking, params);
        nothing()
    }

    /// `chat.headers`: may change the headers of a request.
    fn headers<'a>(&'a self, asking: Asking<'a>, headers: &'a mut Vec<(String, String)>) -> Hooked<'a> {
        let _ = (asking, headers);
        nothing()
    }

    /// `command.execute.before`: may change what a slash command became.
    fn command<'a>(
        &'a self,
        session: &'a SessionId,
        name: &'a str,
        arguments: &'a str,
        parts: &'a mut Vec<crate::prompt::PromptPart>,
    ) -> Hooked<'a> {
        let _ = (session, name, arguments, parts);
        nothing()
    }

    /// Whether [`SessionHooks::messages`] does anything: the conversation is read anew for every step then.
    fn changes_messages(&self) -> bool {
        false
    }

    /// `experimental.chat.messages.transform`: may change what the model is told of the conversation.
    fn messages<'a>(&'a self, messages: &'a mut Vec<MessageWithParts>) -> Hooked<'a> {
        let _ = messages;
        nothing()
    }

    /// `experimental.chat.system.transform`: may change the system text, block by block.
    fn system<'a>(
        &'a self,
        session: &'a SessionId,
        model: &'a Choice,
        blocks: &'a mut Vec<String>,
    ) -> Hooked<'a> {
        let _ = (session, model, blocks);
        nothing()
    }

    /// `experimental.provider.small_model`: may choose the model for small work.
    fn small_model<'a>(&'a self, provider: &'a str) -> Hooked<'a, Option<Choice>> {
        let _ = provider;
        Box::pin(std::future::ready(Ok(None)))
    }

    /// `experimental.session.compacting`: may change what a compaction is told.
    fn compacting<'a>(&'a self, session: &'a SessionId, compacting: &'a mut Compacting) -> Hooked<'a> {
        let _ = (session, compacting);
        nothing()
    }

    /// `experimental.compaction.autocontinue`: whether the run goes on by itself after a compaction; `overflow` says
    /// that the conversation had grown too long already.
    fn goes_on<'a>(&'a self, asking: Asking<'a>, overflow: bool) -> Hooked<'a, bool> {
        let _ = (asking, overflow);
        Box::pin(std::future::ready(Ok(true)))
    }

    /// `experimental.text.complete`: may replace a text that is complete.
    fn text<'a>(&'a self, place: TextPlace<'a>, text: &'a mut String) -> Hooked<'a> {
        let _ = (place, text);
        nothing()
    }
}

fn nothing<'a>() -> Hooked<'a> {
    Box::pin(std::future::ready(Ok(())))
}
