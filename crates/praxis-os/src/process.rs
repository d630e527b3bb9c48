//! Commands that leave nothing behind.
//!
//! Every command has a *keeper*: a small process that starts it in a session of its own, becomes the parent of whatever
//! it leaves behind, and tells us how it ended. When its line to us is cut, be it that we drop the [`Running`] or that
//! we are killed, the keeper kills everything below it. Keepers are forked from one *guard*, our own program started
//! again as [`guard_main`], so that a command costs a fork of a small process and not of ours.
//!
//! Without a guard ([`Launcher::unguarded`]) the keeper is a thread: what leaves the command's session can then outlive
//! it, and nothing is killed when we are.

mod channel;
pub(crate) mod group;
mod guard;
mod keeper;
mod launcher;
mod order;
mod running;
mod tree;

pub use guard::{GUARD_ARGUMENT, guard_main, keep_memory_private};
pub use launcher::{Command, Launcher, StartError, Stdin, Stdout};
pub use order::{Ended, Process, Sandboxed};
pub use running::{Notice, Output, Running};
