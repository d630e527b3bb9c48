//! For tests only: a temporary project, the program run in it, a terminal to run it on, and a model with a script.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod live;
mod model;
mod project;
mod terminal;

pub use live::{Killed, Live, Said};
pub use model::{Client, Format, ModelServer, Received, Reply, Sent};
pub use project::{Project, Run};
pub use terminal::Terminal;
