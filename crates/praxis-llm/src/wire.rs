//! Wire formats: pure pairs of lowering a request and raising an answer.

mod anthropic;
mod call_ids;
mod chat;
mod failure;
mod gemini;
mod growing;
mod ids;
mod loose;
mod lowered;
pub(crate) mod media;
mod note;
mod responses;

use serde_json::{Map, Value};

use crate::{Event, Message, Request, Target};
pub use anthropic::{Anthropic, fuzz_anthropic};
pub use chat::{Chat, fuzz_chat};
pub use gemini::{Gemini, fuzz_gemini};
pub use lowered::{Lowered, Written};
pub use media::{MediaInResults, media_in_results};
pub use responses::{Responses, fuzz_responses};

/// A wire format.
pub trait Wire: Send + Sync {
    /// Writes a request.
    fn lower(&self, request: &Request, target: &Target) -> Lowered {
        let mut conversation = self.conversation(&request.options, target);
        request.messages.iter().for_each(|message| conversation.push(message));
        conversation.lower(request)
    }

    /// A conversation in which nothing has been said, for requests with these options.
    fn conversation(&self, options: &Map<String, Value>, target: &Target) -> Box<dyn Conversation>;

    /// A reader for one answer.
    fn raise(&self) -> Box<dyn Raise>;
}

/// A conversation as a wire format writes it. It only grows: what was said stays as it was written.
pub trait Conversation: Send + Sync {
    /// Says one thing more.
    fn push(&mut self, message: &Message);

    /// Keeps what will not change any more as the text that is sent, and nothing else of it. Results of calls that were said
    /// before can no longer be told.
    fn seal(&mut self);

    /// Whether requests with these options can go on with it.
    fn suits(&self, options: &Map<String, Value>) -> bool;

    /// Writes a request with all that was said; the messages of the request itself are not looked at.
    fn lower(&self, request: &Request) -> Lowered;

    /// The same again, to say something that is not kept.
    fn copied(&self) -> Box<dyn Conversation>;
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
