//! Every permission decision, one JSON line each, so that "why was this allowed" can be answered tomorrow.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use praxis_config::Surroundings;
use praxis_os::make_private_dir;
use praxis_policy::LogEntry;
use praxis_proto::{PermissionRequest, ReplyKind};
use praxis_tools::DecisionObserver;
use serde::Serialize;
use serde_json::json;

/// Past this size the file starts anew; one old file is kept.
const ROTATE_AT: u64 = 1 << 20;

/// Appends decisions to a private file. A decision that cannot be written is still taken; the log says so.
pub struct DecisionFile {
    path: PathBuf,
    open: Mutex<Option<File>>,
    /// Said once; a run takes many decisions.
    has_complained: AtomicBool,
}

impl DecisionFile {
    /// A log at `path`; nothing is opened before the first decision.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), open: Mutex::new(None), has_complained: AtomicBool::new(false) }
    }

    /// Where the log of this machine's user is.
    pub fn path_in(surroundings: &Surroundings) -> PathBuf {
        surroundings.dirs.state().join("decisions.jsonl")
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let full = match open.as_ref() {
            Some(file) => file.metadata()?.len() >= ROTATE_AT,
            None => self.path.metadata().is_ok_and(|data| data.len() >= ROTATE_AT),
        };
        if full {
            *open = None;
            std::fs::rename(&self.path, self.path.with_extension("old.jsonl"))?;
        }
        let file = match open.as_mut() {
            Some(file) => file,
            None => open.insert(self.create()?),
        };
        file.write_all(line)
    }

    fn create(&self) -> io::Result<File> {
        make_private_dir(self.path.parent().unwrap_or(Path::new("/")))?;
        OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)
    }

    fn log(&self, entry: &impl Serialize) {
        let Ok(mut line) = serde_json::to_vec(entry) else { return };
        line.push(b'\n');
        if let Err(error) = self.append(&line)
            && !self.has_complained.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, path = %self.path.display(), "permission decisions cannot be logged");
        }
    }
}

impl DecisionObserver for DecisionFile {
    fn decided(&self, entry: &LogEntry) {
        self.log(entry);
    }

    /// What was asked for may be a whole file; the log needs to know what about, not what.
    fn answered(&self, request: &PermissionRequest, reply: ReplyKind, time: u64) {
        let PermissionRequest { session, permission, patterns, tool, .. } = request;
        self.log(&json!({
            "time": time, "sessionID": session, "tool": tool,
            "permission": permission, "patterns": patterns, "answer": reply,
        }));
    }
}

#[cfg(test)]
mod tests {
    use praxis_policy::Authority;
    use praxis_proto::SessionId;

    use super::*;

    #[test]
    fn decisions_are_lines_and_the_file_does_not_grow_for_ever() {
        let temp = tempfile::tempdir().unwrap();
        let log = DecisionFile::at(temp.path().join("state/decisions.jsonl"));
        let entry = LogEntry {
            time: 1,
            session: SessionId::from_raw("ses_1"),
            tool: None,
            permission: "edit".into(),
            patterns: vec!["x".repeat(100_000)],
            always: vec!["*".into()],
            decision: Authority::nobody().decide("edit", "x", &[]),
        };
        for _ in 0..25 {
            log.decided(&entry);
        }
        let text = std::fs::read_to_string(log.path()).unwrap();
        assert!(text.len() < (ROTATE_AT as usize) + 200_000);
        let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(
            (&line["action"], &line["rule"]["source"]),
            (&"deny".into(), &"built-in unknown agent".into())
        );
        assert!(temp.path().join("state/decisions.old.jsonl").exists());
    }
}
