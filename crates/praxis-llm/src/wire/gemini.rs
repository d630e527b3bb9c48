//! Google Gemini.

mod chunk;
mod lower;
mod parts;
mod raise;

use serde_json::{Map, Value};

use super::ids::Ids;
use super::{Conversation, Lowered, Raise, Wire};
use crate::{Message, Request, Target};
use parts::Writer;

/// The key of our metadata on parts.
const FAMILY: &str = "google";

/// The Gemini API, under a base URL like `https://generativelanguage.googleapis.com/v1beta`.
#[derive(Debug, Clone, Default)]
pub struct Gemini {
    prefix: Option<String>,
}

impl Gemini {
    /// The same, with a given prefix in the ids of calls instead of a random one. The prefix must be new for each answer.
    pub fn with_prefix(prefix: impl Into<String>) -> Self {
        Self { prefix: Some(prefix.into()) }
    }
}

impl Wire for Gemini {
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
        self.seal();
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
pub fn fuzz_gemini(data: &[u8]) {
    crate::stream::fuzz(&|| Gemini::with_prefix("fuzz").raise(), data);
}
