//! When to stop: cancelled, or out of time.

use std::sync::OnceLock;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::{Ending, Scope};

/// Looked at before every file and every read, by all threads.
pub(super) struct Stop {
    cancel: CancellationToken,
    until: Option<Instant>,
    stopped: OnceLock<Ending>,
}

impl Stop {
    pub(super) fn new(scope: &Scope) -> Self {
        Self {
            cancel: scope.cancel.clone(),
            // A budget beyond the end of time is none.
            until: Instant::now().checked_add(scope.budget),
            stopped: OnceLock::new(),
        }
    }

    /// Whether to stop now. Once it is true it stays true.
    pub(super) fn is_due(&self) -> bool {
        if self.stopped.get().is_some() {
            return true;
        }
        let ending = if self.cancel.is_cancelled() {
            Ending::Cancelled
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            Ending::OutOfTime
        } else {
            return false;
        };
        self.stopped.get_or_init(|| ending);
        true
    }

    /// How it ended: complete unless somebody was told to stop.
    pub(super) fn ending(&self) -> Ending {
        self.stopped.get().copied().unwrap_or(Ending::Complete)
    }
}
