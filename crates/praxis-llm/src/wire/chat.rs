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

use super::ids::Ids;
use super::{Lowered, Raise, Wire};
use crate::{Request, Target};

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
    fn lower(&self, request: &Request, target: &Target) -> Lowered {
        lower::lower(request, target)
    }

    fn raise(&self) -> Box<dyn Raise> {
        let ids = self.prefix.clone().map_or_else(Ids::random, Ids::new);
        Box::new(raise::Raiser::new(ids))
    }
}

/// Reads any bytes as an answer.
#[doc(hidden)]
pub fn fuzz_chat(data: &[u8]) {
    crate::stream::fuzz(&|| Chat::with_prefix("fuzz").raise(), data);
}
