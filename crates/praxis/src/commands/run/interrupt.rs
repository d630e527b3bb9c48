//! Ctrl-C: the first stops the run in order, the second ends the program.

use std::time::Duration;

use praxis_engine::Engine;
use praxis_proto::SessionId;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

use crate::screen::{Failure, INTERRUPTED};

/// A run may begin a moment after it was stopped; then it is stopped again.
const AGAIN: Duration = Duration::from_millis(50);

/// Listens until it is dropped.
pub(super) struct Interrupts(JoinHandle<()>);

impl Interrupts {
    /// Listens for Ctrl-C, for the word to end and for a terminal that closes, on behalf of a session.
    pub(super) fn listen(engine: &Engine, session: &SessionId) -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|e| Failure::work(format!("could not listen for Ctrl-C: {e}")));
        let signals = Signals {
            interrupts: listen(SignalKind::interrupt())?,
            ends: listen(SignalKind::terminate())?,
            hangups: listen(SignalKind::hangup())?,
        };
        Ok(Self(tokio::spawn(stop(engine.clone(), session.clone(), signals))))
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What asks the program to end.
struct Signals {
    interrupts: Signal,
    ends: Signal,
    hangups: Signal,
}

impl Signals {
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupts.recv() => {}
            _ = self.ends.recv() => {}
            _ = self.hangups.recv() => {}
        }
    }
}

async fn stop(engine: Engine, session: SessionId, mut signals: Signals) {
    signals.next().await;
    let stopping = async {
        loop {
            // What went wrong is told by the run itself.
            let _ = engine.cancel(&session).await;
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = stopping => {}
        () = signals.next() => {}
    }
    // Asked twice: whoever waits does not want to wait. What was stored is whole.
    std::process::exit(INTERRUPTED.into());
}
