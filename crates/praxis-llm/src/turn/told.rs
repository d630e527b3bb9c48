//! A conversation on its way to a model, from one request to the next.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::model::wire;
use crate::normalise::{Normaliser, normalise_system};
use crate::provider::WireKind;
use crate::script::Seen;
use crate::wire::{Conversation, Lowered};
use crate::{Message, Request, Target};

/// What a model has been told. It only grows, and what has been said is kept as the bytes that are sent and nowhere else, so
/// a request costs what is new in it.
///
/// [`super::Chain::told`] begins one. The messages of a request come behind it, and are not kept.
#[derive(Default)]
pub struct Told {
    /// What nobody has been told yet.
    new: Vec<Message>,
    /// Everything, where another model may have to read it.
    all: Option<Vec<Message>>,
    /// Whether a model made a call in it as its wire format has it.
    has_native_calls: bool,
    reader: Reader,
}

/// Who has read it so far.
#[derive(Default)]
enum Reader {
    #[default]
    Nobody,
    Served(Served),
    Scripted(Seen),
}

/// A conversation as it was written for a model behind HTTP.
struct Served {
    wire: WireKind,
    target: Target,
    normaliser: Normaliser,
    conversation: Box<dyn Conversation>,
}

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Told").field("new", &self.new).finish_non_exhaustive()
    }
}

impl Told {
    /// Nothing so far. With `others`, more than one model may have to read it.
    pub(super) fn to(others: bool) -> Self {
        Self { all: others.then(Vec::new), ..Self::default() }
    }

    /// Says more. The results of calls are said together with them.
    pub fn say(&mut self, messages: impl IntoIterator<Item = Message>) {
        let before = self.new.len();
        self.new.extend(messages);
        self.has_native_calls |= self.new[before..].iter().any(Message::has_native_call);
        if let Some(all) = &mut self.all {
            all.extend_from_slice(&self.new[before..]);
        }
    }

    /// Models made calls in parts of the conversation that are not said any more.
    pub fn had_native_calls(&mut self) {
        self.has_native_calls = true;
    }

    /// Whether a model made a call as its wire format has it, before this request.
    pub(super) fn has_native_calls(&self, request: &Request) -> bool {
        self.has_native_calls || request.messages.iter().any(Message::has_native_call)
    }

    /// Whether a model behind HTTP can be told more of it, with these options.
    pub(super) fn suits(&self, wire: WireKind, target: &Target, options: &Map<String, Value>) -> bool {
        match &self.reader {
            Reader::Nobody => true,
            Reader::Served(served) => {
                self.all.is_some() || served.is_for(wire, target) && served.conversation.suits(options)
            }
            Reader::Scripted(_) => self.all.is_some(),
        }
    }

    /// Whether a scripted model can be told more of it.
    pub(super) fn suits_script(&self) -> bool {
        !matches!(self.reader, Reader::Served(_)) || self.all.is_some()
    }

    /// Writes a request; none if only another model can be told more. Options that say how earlier words are written count
    /// when the conversation begins.
    pub(super) fn lower(&mut self, wire: WireKind, target: &Target, request: &Request) -> Option<Lowered> {
        if !matches!(&self.reader, Reader::Served(served) if served.is_for(wire, target)) {
            self.begin(Reader::Served(Served::new(wire, target, &request.options)))?;
        }
        let Reader::Served(served) = &mut self.reader else { return None };
        served.say(std::mem::take(&mut self.new));
        let mut request = request.clone();
        normalise_system(&mut request.system);
        let more = std::mem::take(&mut request.messages);
        Some(served.lower(&request, more))
    }

    /// What a script sees of an agent's request; none if only another model can be told more.
    pub(super) fn seen(&mut self, request: &Request, agent: Option<&str>) -> Option<Cow<'_, Seen>> {
        if !matches!(self.reader, Reader::Scripted(_)) {
            self.begin(Reader::Scripted(Seen::default()))?;
        }
        let Reader::Scripted(seen) = &mut self.reader else { return None };
        self.new.drain(..).for_each(|message| seen.message(&message));
        seen.ask(request);
        seen.agent = agent.map(str::to_owned);
        if request.messages.is_empty() {
            return Some(Cow::Borrowed(seen));
        }
        let mut seen = seen.clone();
        request.messages.iter().for_each(|message| seen.message(message));
        Some(Cow::Owned(seen))
    }

    /// Has it read by another model, from its beginning; none if that is not known any more.
    fn begin(&mut self, reader: Reader) -> Option<()> {
        if !matches!(self.reader, Reader::Nobody) {
            self.new.clone_from(self.all.as_ref()?);
        }
        self.reader = reader;
        Some(())
    }
}

impl Served {
    fn new(kind: WireKind, target: &Target, options: &Map<String, Value>) -> Self {
        Self {
            wire: kind,
            target: target.clone(),
            normaliser: Normaliser::new(target),
            conversation: wire(kind).conversation(options, target),
        }
    }

    fn is_for(&self, wire: WireKind, target: &Target) -> bool {
        self.wire == wire && self.target == *target
    }

    fn say(&mut self, messages: Vec<Message>) {
        for message in self.normaliser.messages(messages, &self.target) {
            self.conversation.push(&message);
        }
        self.conversation.seal();
    }

    /// Writes a request with what comes behind the conversation.
    fn lower(&self, request: &Request, more: Vec<Message>) -> Lowered {
        if more.is_empty() {
            return self.conversation.lower(request);
        }
        let mut conversation = self.conversation.copied();
        for message in self.normaliser.clone().messages(more, &self.target) {
            conversation.push(&message);
        }
        conversation.lower(request)
    }
}
