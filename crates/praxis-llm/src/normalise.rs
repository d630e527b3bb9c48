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

use crate::{Request, Target};
pub use origin::{family, of_another_model, strip_foreign};
pub use pairs::INTERRUPTED;

/// Prepares a request for a target. Twice is the same as once, and every call has its result right behind it.
pub fn normalise(request: &mut Request, target: &Target) {
    for block in &mut request.system {
        nul::scrub(&mut block.0);
    }
    let mut messages = std::mem::take(&mut request.messages);
    for message in &mut messages {
        media::explain(message, target);
        nul::scrub_message(message);
        origin::strip_message(message, target);
    }
    messages = pairs::pair(messages);
    blank::remove(&mut messages, target);
    ids::rename(&mut messages, target);
    request.messages = messages;
}
