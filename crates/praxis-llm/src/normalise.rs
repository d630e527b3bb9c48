//! The conversation as every provider can take it, before any wire format.
//!
//! What only one wire can know stays with that wire: moving media out of results, bridges and empty thoughts for chat
//! completions, item ids of the Responses API, merging neighbours, cache marks. A lone surrogate cannot be in a Rust
//! string; where a model escaped one in its arguments, [`crate::json::repair`] has replaced it.
//!
//! A growing conversation keeps its beginning: what becomes of a message depends on those before it and on the results
//! of its own calls, never on what is said later. Caches of providers live from that.

mod blank;
mod ids;
mod media;
mod nul;
mod origin;
mod pairs;

use crate::{Message, Request, SystemBlock, Target};
pub use origin::{family, of_another_model, strip_foreign};
pub use pairs::INTERRUPTED;

/// Prepares a request for a target. Twice is the same as once, and every call has its result right behind it.
pub fn normalise(request: &mut Request, target: &Target) {
    normalise_system(&mut request.system);
    request.messages = Normaliser::new(target).messages(std::mem::take(&mut request.messages), target);
}

/// Prepares the system text.
pub(crate) fn normalise_system(blocks: &mut [SystemBlock]) {
    for block in blocks {
        nul::scrub(&mut block.0);
    }
}

/// Prepares a conversation that comes in pieces: together they become what the whole would become, if no result comes in a
/// later piece than its call.
#[derive(Debug, Clone)]
pub(crate) struct Normaliser {
    names: ids::Names,
}

impl Normaliser {
    pub(crate) fn new(target: &Target) -> Self {
        Self { names: ids::Names::new(target) }
    }

    /// Prepares the next piece.
    pub(crate) fn messages(&mut self, mut messages: Vec<Message>, target: &Target) -> Vec<Message> {
        for message in &mut messages {
            media::explain(message, target);
            nul::scrub_message(message);
            origin::strip_message(message, target);
        }
        messages = pairs::pair(messages);
        blank::remove(&mut messages, target);
        self.names.rename(&mut messages);
        messages
    }
}
