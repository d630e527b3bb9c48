//! Whole answers and whole requests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod bodies;
mod lab;
mod requests;
