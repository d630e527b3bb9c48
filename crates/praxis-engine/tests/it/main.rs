//! Sessions as users, the disk and the next request to the model see them.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail where it stands"
)]

mod lab;
mod steps;
