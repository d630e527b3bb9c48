//! Anthropic Messages.

mod blocks;
mod frame;
mod lower;
mod marks;
mod options;
mod raise;

use serde_json::{Map, Value};

use super::ids::Ids;
use super::{Conversation, Lowered, Raise, Wire};
use crate::{Message, Request, Target};
use blocks::{Turn, Writer};
use options::Options;

/// The key of our metadata on parts.
const FAMILY: &str = "anthropic";

/// How many turns stay as they are: marks go to the last two of the user, and an unfinished one of the model may go.
const OPEN: usize = 4;

/// The Messages API of Anthropic and of servers that speak it, under a base URL like `https://api.anthropic.com/v1`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anthropic;

/// Reads any bytes as an answer.
#[doc(hidden)]
pub fn fuzz_anthropic(data: &[u8]) {
    crate::stream::fuzz(&|| Box::new(raise::Raiser::new(Ids::new("fuzz".to_owned()))), data);
}

impl Wire for Anthropic {
    fn conversation(&self, options: &Map<String, Value>, target: &Target) -> Box<dyn Conversation> {
        Box::new(Writer::new(target, Options::read(options).send_thoughts))
    }

    fn raise(&self) -> Box<dyn Raise> {
        Box::new(raise::Raiser::new(Ids::random()))
    }
}

impl Conversation for Writer {
    fn push(&mut self, message: &Message) {
        self.push(message);
    }

    fn seal(&mut self) {
        self.turns.seal(OPEN, Turn::into_value);
    }

    fn suits(&self, options: &Map<String, Value>) -> bool {
        self.send_thoughts == Options::read(options).send_thoughts
    }

    fn lower(&self, request: &Request) -> Lowered {
        lower::lower(request, self)
    }

    fn copied(&self) -> Box<dyn Conversation> {
        Box::new(self.clone())
    }
}
