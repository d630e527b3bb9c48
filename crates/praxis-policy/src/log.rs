//! The last decisions, so that "why was this allowed" has an answer.

use std::collections::VecDeque;

use praxis_proto::{CallRef, SessionId};
use serde::Serialize;

use crate::Decision;

/// Decisions kept in memory; older ones are dropped.
const KEPT: usize = 1024;

/// One decision with who asked for what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Milliseconds since the Unix epoch.
    pub time: u64,
    /// The session that asked.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// The call that asked, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<CallRef>,
    /// Which permission.
    pub permission: String,
    /// Which resources.
    pub patterns: Vec<String>,
    /// What an "always" would have allowed.
    pub always: Vec<String>,
    /// The verdict, with rule, file and line.
    #[serde(flatten)]
    pub decision: Decision,
}

/// A bounded list of decisions, oldest first.
#[derive(Debug, Default)]
pub struct DecisionLog {
    entries: VecDeque<LogEntry>,
}

impl DecisionLog {
    /// Adds one decision; the oldest goes when the list is full.
    pub(crate) fn push(&mut self, entry: LogEntry) {
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }

    /// The decisions, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &LogEntry> {
        self.entries.iter()
    }
}
