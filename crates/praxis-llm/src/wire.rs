//! Wire formats: pure pairs of lowering a request and raising an answer.

mod anthropic;
mod call_ids;
mod chat;
mod failure;
mod gemini;
mod ids;
mod loose;
pub(crate) mod media;
mod note;
mod responses;

use serde_json::Value;

use crate::{Event, Request, Target};
pub use anthropic::{Anthropic, fuzz_anthropic};
pub use chat::{Chat, fuzz_chat};
pub use gemini::{Gemini, fuzz_gemini};
pub use media::{MediaInResults, media_in_results};
pub use responses::{Responses, fuzz_responses};

/// A request as a provider wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// Behind the base URL, for example `/messages`.
    pub path: String,
    /// Headers beyond those for the key.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Value,
    /// What could not be sent as it was asked, for people.
    pub warnings: Vec<String>,
}

/// A wire format.
pub trait Wire: Send + Sync {
    /// Writes a request.
    fn lower(&self, request: &Request, target: &Target) -> Lowered;

    /// A reader for one answer.
    fn raise(&self) -> Box<dyn Raise>;
}

/// Reads one answer, event by event of its stream.
pub trait Raise: Send {
    /// Takes one server-sent event: its name (empty if it has none) and its data. Pushes what it means.
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<Event>);

    /// The stream has ended. Pushes what was still open, and an error if the answer was not complete.
    fn end(&mut self, out: &mut Vec<Event>);

    /// The server says that the stream is over, as `[DONE]` does; a stream that ends without a word may have been cut.
    fn done(&mut self, out: &mut Vec<Event>) {
        self.end(out);
    }

    /// Events whose type we do not know, for the log.
    fn unknown(&self) -> u64;
}
