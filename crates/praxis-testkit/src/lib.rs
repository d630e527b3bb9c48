//! For tests only: a temporary project, the program run in it, and a terminal to run it on.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod project;
mod terminal;

pub use project::{Project, Run};
pub use terminal::Terminal;
