//! Whoever hears what a model says.

use std::ops::ControlFlow;
use std::time::SystemTime;

use tokio::sync::mpsc;

use crate::Event;
use crate::failure::Class;

/// What happens around an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The request failed and is made again later.
    Waiting {
        /// The number of the retry, from 1.
        attempt: u32,
        /// Why, for people.
        message: String,
        /// When.
        next: SystemTime,
    },
    /// The answer begins again: what was heard of it so far is void.
    Restarted,
    /// Another model takes the turn.
    Switched {
        /// The model that failed, as provider/model.
        from: String,
        /// The model that is asked now.
        to: String,
        /// What kind of failure it was.
        class: Class,
        /// Why, for people.
        why: String,
    },
    /// Something could not be sent as it was asked.
    Warning(String),
}

/// One thing that is heard.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Of the answer.
    Event(Event),
    /// Around it.
    Status(Status),
}

/// Hears an answer. Never hears [`Event::Error`]: a failure is what the call returns.
///
/// The next bytes are read when the last event has been taken, so a slow listener slows the server and no queue grows.
/// A cancelled request is left between two events, never while one is taken.
pub trait Listener: Send {
    /// Takes one thing; `Break` closes the connection.
    fn hear(&mut self, heard: Heard) -> impl Future<Output = ControlFlow<()>> + Send;
}

/// A bounded channel; the connection is closed when its receiver is dropped.
impl Listener for mpsc::Sender<Heard> {
    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        match self.send(heard).await {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Everything, for tests and for answers that are known to be short.
impl Listener for Vec<Heard> {
    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        self.push(heard);
        ControlFlow::Continue(())
    }
}
