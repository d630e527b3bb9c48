//! OpenAI Responses, without state on the server: thoughts are sent back encrypted.

mod blocks;
mod frame;
mod input;
mod items;
mod lower;
mod raise;

use super::ids::Ids;
use super::{Lowered, Raise, Wire};
use crate::{Request, Target};

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
pub fn fuzz_responses(data: &[u8]) {
    crate::stream::fuzz(&|| Responses::with_prefix("fuzz").raise(), data);
}
