//! One runner for each session: who may begin, who joins, who waits, and how nobody is forgotten.
//!
//! Everything that decides about a session's state happens behind its door. A prompt is stored and put into the inbox
//! in one go, and a run looks at the inbox and leaves in one go, so a prompt is either answered by the run that is under
//! way or begins the next one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use praxis_proto::{MessageId, MessageWithParts, SessionId, SessionStatus};
use praxis_store::{Lease, Store};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::outcome::{Ended, EngineError, Limits, Outcome, Why};

/// Prompts that may wait in a session.
pub(crate) const MOST_WAITING: usize = 256;

/// What everybody who waits for a run hears.
pub(crate) type Finished = Result<Outcome, EngineError>;
/// Where they hear it.
pub(crate) type Ending = watch::Receiver<Option<Finished>>;

/// A session that somebody has to do with.
pub(crate) struct Slot {
    pub(crate) session: SessionId,
    pub(crate) door: Arc<tokio::sync::Mutex<Door>>,
    pub(crate) status: watch::Sender<SessionStatus>,
    /// Stops prompts that are being put together.
    drafting: Mutex<CancellationToken>,
}

impl Slot {
    /// Stops the prompt that is being put together when the session is cancelled.
    pub(crate) fn drafting(&self) -> CancellationToken {
        self.drafting.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops all prompts that are being put together.
    pub(crate) fn stop_drafting(&self) {
        let mut drafting = self.drafting.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *drafting).cancel();
    }
}

/// What is decided about one at a time.
#[derive(Default)]
pub(crate) struct Door {
    lease: Weak<Lease>,
    /// Stored messages that the run has not looked at.
    pub(crate) inbox: Vec<Told>,
    /// Stored messages that wait until what is under way has ended, in order.
    pub(crate) queue: VecDeque<Queued>,
    /// What is under way.
    pub(crate) work: Option<Work>,
}

/// A stored message that joins the run.
pub(crate) struct Told {
    pub(crate) message: MessageWithParts,
    /// Whether somebody waits for an answer to it.
    pub(crate) wants_answer: bool,
}

/// A stored message with a run of its own to come.
pub(crate) struct Queued {
    pub(crate) message: MessageId,
    pub(crate) next: Next,
}

/// What is under way in a session.
pub(crate) struct Work {
    pub(crate) kind: Kind,
    pub(crate) stop: Stop,
    pub(crate) ending: Ending,
}

/// What kind of work it is.
pub(crate) enum Kind {
    /// A model answers.
    Run,
    /// The user's own command; a prompt that came meanwhile is answered behind it.
    Shell { next: Option<Next> },
}

/// A run that is yet to begin.
pub(crate) struct Next {
    pub(crate) sender: watch::Sender<Option<Finished>>,
    pub(crate) ending: Ending,
    pub(crate) limits: Limits,
}

impl Next {
    pub(crate) fn new(limits: Limits) -> Self {
        let (sender, ending) = watch::channel(None);
        Self { sender, ending, limits }
    }

    /// It will not begin.
    pub(crate) fn cancel(self) {
        let (message, ended) = (None, Ended::Cancelled);
        self.sender.send_replace(Some(Ok(Outcome { message, ended, steps: 0, cost: 0.0 })));
    }
}

/// Stops work, and says why.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    pub(crate) token: CancellationToken,
    why: Arc<OnceLock<Why>>,
}

impl Stop {
    /// Stops it; the first reason stays.
    pub(crate) fn stop(&self, why: Why) {
        let _ = self.why.set(why);
        self.token.cancel();
    }

    /// Why it was stopped, if it was.
    pub(crate) fn why(&self) -> Option<Why> {
        self.token.is_cancelled().then(|| self.why.get().copied().unwrap_or(Why::User))
    }
}

impl Door {
    /// The right to write, taken anew where nobody here has it.
    pub(crate) async fn lease(
        &mut self,
        store: &dyn Store,
        session: &SessionId,
        behind: impl Fn(&str),
    ) -> Result<Arc<Lease>, EngineError> {
        if let Some(lease) = self.lease.upgrade() {
            return Ok(lease);
        }
        let opened = store.open(session).await?;
        opened.newest.iter().for_each(|id| behind(id));
        if !opened.recovered.is_empty() {
            tracing::info!(%session, recovered = ?opened.recovered, "closed what a crash had left open");
        }
        let lease = Arc::new(opened.lease);
        self.lease = Arc::downgrade(&lease);
        Ok(lease)
    }

    /// Whether no more may wait here.
    pub(crate) fn is_full(&self) -> bool {
        self.inbox.len() + self.queue.len() >= MOST_WAITING
    }

    /// What is under way; work whose task has died is none.
    pub(crate) fn work(&mut self) -> Option<&mut Work> {
        if self.work.as_ref().is_some_and(|work| work.ending.has_changed().is_err()) {
            self.work = None;
        }
        self.work.as_mut()
    }
}

/// All sessions that somebody has to do with; one that nobody has is forgotten.
#[derive(Default)]
pub(crate) struct Slots {
    slots: Mutex<HashMap<SessionId, Arc<Slot>>>,
}

/// A slot in use.
pub(crate) struct Held {
    slot: Option<Arc<Slot>>,
    slots: Arc<Slots>,
}

impl Slots {
    pub(crate) fn hold(self: &Arc<Self>, session: &SessionId) -> Held {
        let mut slots = self.lock();
        let slot = slots.entry(session.clone()).or_insert_with(|| {
            Arc::new(Slot {
                session: session.clone(),
                door: Arc::default(),
                status: watch::Sender::new(SessionStatus::Idle),
                drafting: Mutex::default(),
            })
        });
        Held { slot: Some(Arc::clone(slot)), slots: Arc::clone(self) }
    }

    /// One that is in use already.
    pub(crate) fn find(self: &Arc<Self>, session: &SessionId) -> Option<Held> {
        let slot = self.lock().get(session).cloned()?;
        Some(Held { slot: Some(slot), slots: Arc::clone(self) })
    }

    /// All sessions in use.
    pub(crate) fn sessions(&self) -> Vec<SessionId> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    pub(crate) fn slot(&self) -> &Slot {
        // Taken only when this is dropped.
        match &self.slot {
            Some(slot) => slot,
            None => unreachable!("a slot is held until it is dropped"),
        }
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        Self { slot: self.slot.clone(), slots: Arc::clone(&self.slots) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(slot) = self.slot.take() else { return };
        let mut slots = self.slots.lock();
        // The registry's and this one: nobody else has to do with it.
        if Arc::strong_count(&slot) == 2 {
            slots.remove(&slot.session);
        }
        drop(slot);
    }
}

/// Waits for a run's end.
pub(crate) async fn ended(mut ending: Ending, session: &SessionId) -> Finished {
    let crashed = || Err(EngineError::Crashed(session.clone()));
    match ending.wait_for(Option::is_some).await {
        Ok(finished) => finished.clone().unwrap_or_else(crashed),
        Err(_) => crashed(),
    }
}
