//! Sessions as users, the disk and the next request to the model see them.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail where it stands"
)]

mod bounds;
mod calls;
mod cancel;
mod changes;
mod delivery;
mod failures;
mod hooks;
mod keeping;
mod lab;
mod limits;
mod loops;
mod permissions;
mod prefix;
mod queue;
mod recovery;
mod steps;
mod structured;
mod titles;
