//! The crate as its callers see it.
#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod corpus;
mod ground;
mod judge;
mod shell;
