//! Google Gemini.

mod chunk;
mod lower;
mod parts;
mod raise;

use super::ids::Ids;
use super::{Lowered, Raise, Wire};
use crate::{Request, Target};

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
pub fn fuzz_gemini(data: &[u8]) {
    crate::stream::fuzz(&|| Gemini::with_prefix("fuzz").raise(), data);
}
