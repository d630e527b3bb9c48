//! One turn of a model: asked, heard, and asked again where that is right.
//!
//! A [`Model`] makes one attempt. A [`Chain`] of models retries, and goes on to the next model where the first cannot help.
//! Whoever listens is a [`Listener`]. What stays from one request to the next is [`Told`].
//!
//! Side effects never repeat: once a call was handed out nothing is tried again, for its tool may be running. Text that was
//! handed out before a failure is not the answer any more when [`Status::Restarted`] follows; whoever shows it drops it.

mod chain;
mod exchange;
mod filter;
mod listener;
mod model;
mod told;
mod url;

pub use chain::Chain;
pub use listener::{Heard, Listener, Status};
pub use model::{Model, Summary};
pub use told::Told;
