//! Anthropic Messages.

mod blocks;
mod frame;
mod lower;
mod marks;
mod options;
mod raise;

use super::ids::Ids;
use super::{Lowered, Raise, Wire};
use crate::{Request, Target};

/// The key of our metadata on parts.
const FAMILY: &str = "anthropic";

/// The Messages API of Anthropic and of servers that speak it, under a base URL like `https://api.anthropic.com/v1`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anthropic;

/// Reads any bytes as an answer.
#[doc(hidden)]
pub fn fuzz_anthropic(data: &[u8]) {
    crate::stream::fuzz(&|| Box::new(raise::Raiser::new(Ids::new("fuzz".to_owned()))), data);
}

impl Wire for Anthropic {
    fn lower(&self, request: &Request, target: &Target) -> Lowered {
        lower::lower(request, target)
    }

    fn raise(&self) -> Box<dyn Raise> {
        Box::new(raise::Raiser::new(Ids::random()))
    }
}
