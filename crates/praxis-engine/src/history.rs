//! A session's conversation as the model is told it, kept in memory and only ever appended to.
//!
//! A run reads the stored messages once. From then on every message is turned into what the model reads when it is
//! complete, so a step costs the same whether it is the first or the three hundredth, and the beginning of a request
//! stays the same, byte for byte.

mod convert;
mod visible;

use praxis_llm::Message as Said;
use praxis_llm::provider::Choice;
use praxis_llm::turn::Told;
use praxis_proto::{
    AssistantMessage, Message, MessageId, MessageWithParts, PartBody, SessionId, UserMessage,
};
use praxis_store::{Cut, Store, StoreError};

use crate::changes::Changes;
use crate::reminders::reminder;

/// Messages read from the store at once.
const PAGE: usize = 200;

/// The conversation so far.
pub(crate) struct History {
    /// Which model reads it: only its own signatures are given back to it.
    reader: Choice,
    /// What it has not read yet.
    pub(crate) said: Vec<Said>,
    /// What it has read, in its own form, once it was asked.
    pub(crate) told: Option<Told>,
    /// The newest user message.
    pub(crate) user: Option<UserMessage>,
    /// The newest answer, and whether it ended with calls whose results nobody has read.
    pub(crate) answer: Option<(AssistantMessage, bool)>,
    /// Messages the user really wrote, for whoever makes titles.
    pub(crate) written: usize,
    /// Messages that were waiting for a run of their own when this was read; the model does not hear them.
    pub(crate) queued: Vec<MessageId>,
    /// What was changed in the project's files.
    pub(crate) changes: Changes,
    /// Whether a model made a call as its wire format has it, also where that was summed up since.
    pub(crate) called: bool,
}

impl History {
    /// Reads what is stored of a session and visible to the model; without a reader it is the model that is asked last.
    pub(crate) async fn load(
        store: &dyn Store,
        session: &SessionId,
        reader: Option<Choice>,
    ) -> Result<Self, StoreError> {
        let Conversation { messages, newest, queued, changes, called } = told(store, session).await?;
        let asked = newest
            .as_ref()
            .map(|user| Choice { provider: user.model.provider.clone(), model: user.model.model.clone() });
        let none = || Choice { provider: String::new(), model: String::new() };
        let mut history = Self::empty(reader.or(asked).unwrap_or_else(none));
        messages.iter().for_each(|message| history.push(message));
        // A tail that compaction keeps was pushed behind what is newer than it.
        history.user = newest;
        (history.queued, history.changes, history.called) = (queued, changes, called);
        Ok(history)
    }

    /// A conversation in which nothing has been said.
    pub(crate) fn empty(reader: Choice) -> Self {
        Self {
            reader,
            said: Vec::new(),
            told: None,
            user: None,
            answer: None,
            written: 0,
            queued: Vec::new(),
            changes: Changes::default(),
            called: false,
        }
    }

    /// Whom it was turned into messages for.
    pub(crate) fn reader(&self) -> &Choice {
        &self.reader
    }

    /// Appends a message that will not change any more.
    pub(crate) fn push(&mut self, MessageWithParts { info, parts }: &MessageWithParts) {
        match info {
            Message::User(message) => {
                let before = self.answer.as_ref().map(|(answer, _)| answer.agent.as_str());
                convert::user(parts, reminder(&message.agent, before), &mut self.said);
                self.written += usize::from(parts.iter().any(|part| is_written(&part.body)));
                self.user = Some(message.clone());
            }
            Message::Assistant(message) => {
                let same = message.provider == self.reader.provider && message.model == self.reader.model;
                convert::answer(message, parts, same, &mut self.said);
                let live = parts.iter().any(|part| convert::is_live(&part.body));
                self.answer = Some((message.clone(), live));
            }
        }
    }

    /// The answer that ends the conversation for now: nothing is left to be said to the newest user message.
    pub(crate) fn settled(&self) -> Option<&AssistantMessage> {
        let (user, (answer, live)) = (self.user.as_ref()?, self.answer.as_ref()?);
        let ended = answer.finish.as_deref().is_some_and(|finish| finish != "tool-calls");
        (ended && !live && answer.parent == user.id).then_some(answer)
    }
}

/// What is stored of a session.
pub(crate) struct Conversation {
    /// The messages that the model is told, oldest first.
    pub(crate) messages: Vec<MessageWithParts>,
    /// The newest message of the user among them.
    newest: Option<UserMessage>,
    /// Those that still wait to be.
    queued: Vec<MessageId>,
    /// What was changed in the project's files.
    changes: Changes,
    /// Whether a model made a call as its wire format has it.
    called: bool,
}

/// Reads what is stored of a session.
pub(crate) async fn told(store: &dyn Store, session: &SessionId) -> Result<Conversation, StoreError> {
    let is_queued = |message: &mut MessageWithParts| match &message.info {
        Message::User(user) => user.is_queued(),
        Message::Assistant(_) => false,
    };
    let mut messages = stored(store, session).await?;
    let queued = messages.extract_if(.., is_queued).map(|message| message.info.id().clone()).collect();
    let changes = Changes::of(&messages);
    // The last in the order of saying: a clock that went back tells nothing about it.
    let newest = messages.iter().rev().find_map(|message| match &message.info {
        Message::User(user) => Some(user.clone()),
        Message::Assistant(_) => None,
    });
    let called =
        messages.iter().flat_map(|message| &message.parts).any(|part| convert::is_native(&part.body));
    Ok(Conversation { messages: visible::filter(messages), newest, queued, changes, called })
}

async fn stored(store: &dyn Store, session: &SessionId) -> Result<Vec<MessageWithParts>, StoreError> {
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = store.history(session, Cut { before, limit: PAGE, ..Cut::default() }).await?;
        before = page.messages.first().map(|message| message.info.id().clone());
        let more = page.more && !page.messages.is_empty();
        pages.push(page.messages);
        if !more {
            break;
        }
    }
    Ok(pages.into_iter().rev().flatten().collect())
}

/// Whether the user, and not the program, wrote it.
fn is_written(body: &PartBody) -> bool {
    match body {
        PartBody::Text(text) => text.synthetic != Some(true),
        PartBody::File(_) | PartBody::Agent(_) | PartBody::Subtask(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
