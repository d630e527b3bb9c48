//! The commands that run in the background, by session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use praxis_proto::SessionId;

use super::job::{Job, Progress};
use crate::lock::lock;

/// Jobs that one session may have running.
pub(crate) const MOST_RUNNING: usize = 32;
/// Jobs that have ended and are still remembered, for their output.
const MOST_ENDED: usize = 16;

/// The jobs of all sessions. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    sessions: Arc<Mutex<HashMap<SessionId, Session>>>,
}

#[derive(Debug, Default)]
struct Session {
    numbered: usize,
    jobs: Vec<Job>,
}

impl Jobs {
    /// A name for a session's next job.
    pub(crate) fn name(&self, session: &SessionId) -> String {
        let mut sessions = lock(&self.sessions);
        let session = sessions.entry(session.clone()).or_default();
        session.numbered += 1;
        format!("job_{}", session.numbered)
    }

    /// Remembers a job for its session.
    pub(crate) fn keep(&self, job: Job) {
        let mut sessions = lock(&self.sessions);
        let jobs = &mut sessions.entry(job.label().session.clone()).or_default().jobs;
        jobs.push(job);
        let over = |job: &Job| matches!(job.progress(), Progress::Over(_));
        let mut surplus = jobs.iter().filter(|job| over(job)).count().saturating_sub(MOST_ENDED);
        jobs.retain(|job| {
            let goes = surplus > 0 && over(job);
            surplus -= usize::from(goes);
            !goes
        });
    }

    /// The jobs of a session, oldest first.
    pub fn of(&self, session: &SessionId) -> Vec<Job> {
        lock(&self.sessions).get(session).map(|session| session.jobs.clone()).unwrap_or_default()
    }

    /// How many of them run.
    pub(crate) fn running(&self, session: &SessionId) -> usize {
        self.of(session).iter().filter(|job| !matches!(job.progress(), Progress::Over(_))).count()
    }

    /// Ends all jobs of a session, because the session has ended.
    pub fn end_session(&self, session: &SessionId) {
        // Dropping the last holder of a job ends it.
        lock(&self.sessions).remove(session);
    }
}
