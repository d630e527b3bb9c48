//! What has happened so far, for whoever waits for it.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::watch;

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Counts that can be waited for.
#[derive(Default)]
pub(super) struct Board(watch::Sender<Marks>);

#[derive(Default)]
pub(super) struct Marks {
    /// Requests that came.
    pub(super) requests: usize,
    /// Clients that went in the middle of an answer.
    pub(super) gone: usize,
    /// Whether answers wait.
    pub(super) closed: bool,
    /// How many answers have come to each place.
    pub(super) reached: HashMap<String, usize>,
    /// How many may go on from each place.
    pub(super) passed: HashMap<String, usize>,
}

impl Marks {
    pub(super) fn reached(&self, name: &str) -> usize {
        self.reached.get(name).copied().unwrap_or(0)
    }

    pub(super) fn passed(&self, name: &str) -> usize {
        self.passed.get(name).copied().unwrap_or(0)
    }
}

impl Board {
    pub(super) fn mark(&self, change: impl FnOnce(&mut Marks)) {
        self.0.send_modify(change);
    }

    /// Waits for as long as a test has patience.
    pub(super) async fn until(&self, what: &str, is_so: impl FnMut(&Marks) -> bool) {
        let waiting = self.wait(is_so);
        if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
            panic!("waited {PATIENCE:?} in vain for {what}");
        }
    }

    /// Waits until answers may begin.
    pub(super) async fn open(&self) {
        self.wait(|marks| !marks.closed).await;
    }

    /// Says that an answer has come to a place, and waits until it may go on.
    pub(super) async fn stop_at(&self, name: &str) {
        let mut turn = 0;
        self.mark(|marks| {
            let reached = marks.reached.entry(name.to_owned()).or_default();
            *reached += 1;
            turn = *reached;
        });
        self.wait(|marks| marks.passed(name) >= turn).await;
    }

    async fn wait(&self, is_so: impl FnMut(&Marks) -> bool) {
        // The sender lives as long as the board, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(is_so).await;
    }
}
