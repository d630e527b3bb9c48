//! Ctrl-C: the first stops the run in order, the second ends the program.

use std::time::Duration;

use praxis_engine::Engine;
use praxis_proto::SessionId;
use tokio_util::sync::DropGuard;

use crate::screen::{Failure, INTERRUPTED};
use crate::signals::{Signals, Which, heed};

/// A run may begin a moment after it was stopped; then it is stopped again.
const AGAIN: Duration = Duration::from_millis(50);

/// Listens on behalf of a session, until what is returned is dropped.
pub(super) fn listen(engine: &Engine, session: &SessionId) -> Result<DropGuard, Failure> {
    let (engine, session) = (engine.clone(), session.clone());
    heed(Which::Endings, move |signals| stop(engine, session, signals))
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
