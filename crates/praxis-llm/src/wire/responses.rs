//! OpenAI Responses, without state on the server: thoughts are sent back encrypted.

mod blocks;
mod frame;
mod input;
mod items;
mod lower;
mod raise;

use serde_json::{Map, Value};

use super::ids::Ids;
use super::{Conversation, Lowered, Raise, Wire};
use crate::{Message, Request, Target};
use input::Writer;

/// The Responses API, under a base URL like `https://api.openai.com/v1`.
#[derive(Debug, Clone, Default)]
pub struct Responses {
    prefix: Option<String>,
}

impl Responses {
    /// The same, with a given prefix in the ids of calls that come without one. The prefix must be new for each answer.
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self { prefix: Some(prefix.into()) }
    }
}

impl Wire for Responses {
    fn conversation(&self, options: &Map<String, Value>, target: &Target) -> Box<dyn Conversation> {
        Box::new(Writer::new(target, is_stored(options)))
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
        self.list.seal(1, |item| item);
    }

    fn suits(&self, options: &Map<String, Value>) -> bool {
        self.stored == is_stored(options)
    }

    fn lower(&self, request: &Request) -> Lowered {
        lower::lower(request, self)
    }

    fn copied(&self) -> Box<dyn Conversation> {
        Box::new(self.clone())
    }
}

/// Whether the server keeps what is said.
fn is_stored(options: &Map<String, Value>) -> bool {
    options.get("store") == Some(&Value::Bool(true))
}

/// Reads any bytes as an answer.
#[doc(hidden)]
pub fn fuzz_responses(data: &[u8]) {
    crate::stream::fuzz(&|| Responses::with_prefix("fuzz").raise(), data);
}
