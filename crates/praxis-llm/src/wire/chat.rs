//! OpenAI Chat Completions, and the dialects of the many servers that speak it.

mod chunk;
mod details;
mod dialect;
pub(super) mod lower;
mod marks;
pub(super) mod messages;
mod options;
pub(super) mod parts;
mod raise;
mod slots;
mod usage;

use serde_json::{Map, Value};

use super::ids::Ids;
use super::{Conversation, Lowered, Raise, Wire};
use crate::{Message, Request, Target};
use messages::Writer;

/// The Chat Completions API, under a base URL like `https://api.openai.com/v1`.
///
/// What is written follows the target's dialect; what is read is taken in any of them.
#[derive(Debug, Clone, Default)]
pub struct Chat {
    prefix: Option<String>,
}

impl Chat {
    /// The same, with a given prefix in the ids of calls that come without one. The prefix must be new for each answer.
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self { prefix: Some(prefix.into()) }
    }
}

impl Wire for Chat {
    fn conversation(&self, _: &Map<String, Value>, target: &Target) -> Box<dyn Conversation> {
        Box::new(Writer::new(target))
    }

    fn raise(&self) -> Box<dyn Raise> {
        let ids = self.prefix.clone().map_or_else(Ids::random, Ids::new);
        Box::new(raise::Raiser::new(ids))
    }
}

impl Conversation for Writer {
    fn push(&mut self, message: &Message) {
        self.push(message);
    }

    fn seal(&mut self) {
        let marked = self.dialect.mark.is_some();
        self.list.seal(if marked { marks::REACH } else { 1 }, |message| message);
    }

    fn suits(&self, _: &Map<String, Value>) -> bool {
        true
    }

    fn lower(&self, request: &Request) -> Lowered {
        lower::lower(request, self)
    }

    fn copied(&self) -> Box<dyn Conversation> {
        Box::new(self.clone())
    }
}

/// Reads any bytes as an answer.
#[doc(hidden)]
pub fn fuzz_chat(data: &[u8]) {
    crate::stream::fuzz(&|| Chat::with_prefix("fuzz").raise(), data);
}
