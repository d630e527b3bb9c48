//! The desk of `praxis-policy`, with the waiting, publishing and storing around it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use praxis_policy::{
    Asked, Care, Desk, Grant, LogEntry, Query, Refusal, Replied, Settled, StoredGrant, UnknownRequest,
};
use praxis_proto::{Action, Event, Mint, PermissionReplied, PermissionRequest, Prefix, Reply, ReplyKind};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::lock::lock;
use crate::{Bus, Clock, GrantStore, Guard, Hooks, ToolError};

/// Hears of every decision, whichever way it went.
pub trait DecisionObserver: Send + Sync {
    /// The rules decided: yes, no, or that it is a question.
    fn decided(&self, entry: &LogEntry);

    /// A question was answered.
    fn answered(&self, request: &PermissionRequest, reply: ReplyKind, time: u64) {
        let _ = (request, reply, time);
    }
}

/// Whether somebody is there to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attendance {
    /// A client listens to the bus and replies.
    Attended,
    /// Nobody does: a question is refused at once instead of waiting for ever.
    Unattended,
}

/// What a [`Permissions`] is made of.
pub struct PermissionsParts {
    /// Makes request ids.
    pub mint: Arc<Mint>,
    /// Carries questions and answers.
    pub bus: Bus,
    /// Keeps what was granted for good.
    pub store: Arc<dyn GrantStore>,
    /// The time, for the log.
    pub clock: Clock,
    /// Whether somebody is there to answer.
    pub attendance: Attendance,
    /// Who hears of decisions.
    pub observers: Vec<Arc<dyn DecisionObserver>>,
    /// Extensions that may answer before the user does.
    pub hooks: Vec<Arc<Guard<dyn Hooks>>>,
}

/// The permission was given, but could not be kept for the next time.
#[derive(Debug, thiserror::Error)]
#[error("the permission holds until Praxis ends, but could not be stored: {0}")]
pub struct NotStored(#[source] pub io::Error);

/// Why a reply had no, or not its whole, effect.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// Nobody asked.
    #[error(transparent)]
    Unknown(#[from] UnknownRequest),
    /// It holds, but only until Praxis ends.
    #[error(transparent)]
    NotStored(#[from] NotStored),
}

type Waiters = HashMap<String, oneshot::Sender<Result<Grant, Refusal>>>;

/// Asks, waits and replies for one project.
pub struct Permissions {
    desk: Mutex<Desk>,
    waiters: Mutex<Waiters>,
    parts: PermissionsParts,
}

impl Permissions {
    /// Opens the desk with the grants given earlier.
    pub fn open(parts: PermissionsParts) -> io::Result<Self> {
        let grants = parts.store.load()?;
        Ok(Self { desk: Mutex::new(Desk::new(grants)), waiters: Mutex::default(), parts })
    }

    /// Asks, and waits for an answer if there is a question. Cancelling takes the question back.
    pub async fn ask(&self, query: Query, cancel: &CancellationToken) -> Result<Grant, ToolError> {
        let id = self.parts.mint.next(Prefix::Permission);
        let (sender, receiver) = oneshot::channel();
        // Registered first, so that an answer cannot come before its waiter.
        lock(&self.waiters).insert(id.clone(), sender);
        let _waiting = Waiting { permissions: self, id: &id };
        let request = match self.decide(id.clone(), query) {
            Asked::Granted(grant) => return Ok(grant),
            Asked::Refused(refusal) => return Err(refusal.into()),
            Asked::Pending(request) => *request,
        };
        let is_answered = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ToolError::Cancelled),
            is_answered = self.answered_by_hook(&request) => is_answered,
        };
        if !is_answered {
            if self.parts.attendance == Attendance::Unattended {
                return Err(unattended(request).into());
            }
            self.parts.bus.publish(Event::PermissionAsked(request));
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ToolError::Cancelled),
            // The sender goes only with this service, and then nobody can answer any more.
            outcome = receiver => Ok(outcome.unwrap_or(Err(Refusal::Rejected))?),
        }
    }

    fn decide(&self, id: String, query: Query) -> Asked {
        let now = (self.parts.clock)();
        let (asked, entry) = {
            let mut desk = lock(&self.desk);
            let asked = desk.ask(id, query, now);
            (asked, desk.log().entries().next_back().cloned())
        };
        if let Some(entry) = entry {
            tracing::debug!(permission = entry.permission, action = %entry.decision.action, "decided");
            self.parts.observers.iter().for_each(|observer| observer.decided(&entry));
        }
        asked
    }

    async fn answered_by_hook(&self, request: &PermissionRequest) -> bool {
        for hook in &self.parts.hooks {
            let asked =
                hook.attempt("permission.ask", Some(&request.session), |hook| hook.permission(request));
            let reply = match asked.await.flatten() {
                // An extension is no person.
                Some(Action::Allow) if Care::of(request).confirms() => continue,
                Some(Action::Allow) => Reply::Once,
                // Like a rule's no: the model hears who said it, and other questions still wait.
                Some(Action::Deny) => Reply::Reject(Some(format!(
                    "the extension `{}` does not allow this",
                    hook.hooks().name()
                ))),
                Some(Action::Ask) | None => continue,
            };
            return self.reply(&request.id, reply).is_ok();
        }
        false
    }

    /// Answers a request and everything that follows from the answer.
    pub fn reply(&self, id: &str, reply: Reply) -> Result<(), ReplyError> {
        let now = (self.parts.clock)();
        let Replied { settled, granted } = lock(&self.desk).reply(id, reply, now)?;
        self.settle(settled);
        if !granted.is_empty() {
            self.parts.store.add(&granted).map_err(NotStored)?;
        }
        Ok(())
    }

    /// What waits for an answer.
    pub fn pending(&self) -> Vec<PermissionRequest> {
        lock(&self.desk).pending().cloned().collect()
    }

    /// What holds for good.
    pub fn grants(&self) -> Vec<StoredGrant> {
        lock(&self.desk).grants().to_vec()
    }

    /// The last decisions, oldest first.
    pub fn log(&self) -> Vec<LogEntry> {
        lock(&self.desk).log().entries().cloned().collect()
    }

    /// Refuses everything that waits, because the project is being closed.
    pub fn close(&self) {
        let settled = lock(&self.desk).close();
        self.settle(settled);
    }

    fn settle(&self, settled: Vec<Settled>) {
        let now = (self.parts.clock)();
        for Settled { request, reply, outcome } in settled {
            self.parts.observers.iter().for_each(|observer| observer.answered(&request, reply, now));
            let PermissionRequest { id, session, .. } = request;
            if let Some(waiter) = lock(&self.waiters).remove(&id) {
                // A caller that has gone needs no answer.
                let _ = waiter.send(outcome);
            }
            self.parts.bus.publish(Event::PermissionReplied(PermissionReplied {
                session,
                request: id,
                reply,
            }));
        }
    }
}

fn unattended(request: PermissionRequest) -> Refusal {
    match Care::of(&request) {
        Care::Confirm(act) => Refusal::Unconfirmed(act),
        Care::Leaves { what, acts } => {
            Refusal::Unnamed { what, act: acts.into_iter().next().unwrap_or_default() }
        }
        Care::Usual | Care::Doubt { .. } => {
            let named = request.always.into_iter().chain(request.patterns).next();
            Refusal::Unattended {
                permission: request.permission,
                pattern: named.unwrap_or_else(|| "*".to_owned()),
            }
        }
    }
}

/// Takes the question back when its caller goes, however it goes.
struct Waiting<'a> {
    permissions: &'a Permissions,
    id: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.permissions.waiters).remove(self.id);
        lock(&self.permissions.desk).withdraw(self.id);
    }
}
