//! What each session has seen of each file, so that it does not overwrite what it does not know.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use praxis_proto::SessionId;
use praxis_text::diff;

use crate::lock::lock;

/// Files remembered over all sessions; the oldest are forgotten first, and a forgotten file is not checked.
const MOST_FILES: usize = 4_096;
/// Texts up to this size are kept to show what changed.
const MOST_TEXT: usize = 128 << 10;
/// All kept texts together.
const MOST_TEXTS: usize = 8 << 20;
/// Lines of a difference that are shown.
const SHOWN: usize = 20;

type Key = (SessionId, PathBuf);

/// How a file looked when a session saw it.
#[derive(Debug, Clone)]
struct Look {
    size: u64,
    modified: Option<SystemTime>,
    hash: Option<blake3::Hash>,
    text: Option<Arc<str>>,
}

/// The files that sessions have seen.
#[derive(Debug, Default)]
pub struct Seen {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    looks: HashMap<Key, Look>,
    order: VecDeque<Key>,
    text_bytes: usize,
    instructions: HashMap<SessionId, HashSet<PathBuf>>,
}

impl Seen {
    /// A session has seen the whole of a file.
    pub(crate) fn whole(
        &self,
        session: &SessionId,
        path: &Path,
        bytes: &[u8],
        text: &str,
        data: Option<&Metadata>,
    ) {
        let text = (text.len() <= MOST_TEXT).then(|| Arc::from(text));
        let look = Look {
            size: bytes.len() as u64,
            modified: data.and_then(|data| data.modified().ok()),
            hash: Some(blake3::hash(bytes)),
            text,
        };
        self.remember((session.clone(), path.to_owned()), look);
    }

    /// A session has seen a part of a file.
    pub(crate) fn part(&self, session: &SessionId, path: &Path, data: &Metadata) {
        let key = (session.clone(), path.to_owned());
        let look = Look { size: data.len(), modified: data.modified().ok(), hash: None, text: None };
        // A page of a file that is known whole, and unchanged, takes nothing away.
        let known = lock(&self.state).looks.get(&key).is_some_and(|known| {
            known.size == look.size && known.modified.is_some() && known.modified == look.modified
        });
        if !known {
            self.remember(key, look);
        }
    }

    /// A session knows that a file is gone.
    pub(crate) fn gone(&self, session: &SessionId, path: &Path) {
        lock(&self.state).forget(&(session.clone(), path.to_owned()));
    }

    /// What has changed since the session saw the file, if it did and something has.
    pub(crate) fn changed(
        &self,
        session: &SessionId,
        path: &Path,
        bytes: &[u8],
        text: &str,
        data: Option<&Metadata>,
    ) -> Option<String> {
        let look = lock(&self.state).looks.get(&(session.clone(), path.to_owned())).cloned()?;
        let same = match look.hash {
            Some(hash) => hash == blake3::hash(bytes),
            None => {
                let modified = data.and_then(|data| data.modified().ok());
                look.size == bytes.len() as u64 && (look.modified == modified || modified.is_none())
            }
        };
        if same {
            return None;
        }
        Some(match look.text {
            Some(old) => difference(&path.to_string_lossy(), &old, text),
            None => format!("Its size was {} bytes and is {} now.", look.size, bytes.len()),
        })
    }

    /// Whether an instruction file is new to a session; from now on it is not.
    pub(crate) fn claim_instruction(&self, session: &SessionId, path: &Path) -> bool {
        lock(&self.state).instructions.entry(session.clone()).or_default().insert(path.to_owned())
    }

    /// A session is over, or its history was shortened so far that it should see instruction files anew.
    pub fn forget(&self, session: &SessionId) {
        let mut state = lock(&self.state);
        state.instructions.remove(session);
        let keys: Vec<Key> = state.looks.keys().filter(|(owner, _)| owner == session).cloned().collect();
        keys.iter().for_each(|key| state.forget(key));
    }

    fn remember(&self, key: Key, look: Look) {
        let mut state = lock(&self.state);
        state.forget(&key);
        state.text_bytes += look.text.as_ref().map_or(0, |text| text.len());
        state.order.push_back(key.clone());
        state.looks.insert(key, look);
        while state.looks.len() > MOST_FILES || state.text_bytes > MOST_TEXTS {
            let Some(oldest) = state.order.front().cloned() else { break };
            state.forget(&oldest);
        }
    }
}

impl State {
    fn forget(&mut self, key: &Key) {
        let Some(look) = self.looks.remove(key) else { return };
        self.text_bytes -= look.text.map_or(0, |text| text.len());
        if let Some(at) = self.order.iter().position(|known| known == key) {
            self.order.remove(at);
        }
    }
}

/// The changed lines, without the header that names the file once more.
fn difference(path: &str, old: &str, new: &str) -> String {
    let whole = diff::unified(path, old, new);
    let lines: Vec<&str> = whole.lines().skip(4).collect();
    let mut text = format!("What changed:\n{}", lines[..lines.len().min(SHOWN)].join("\n"));
    if lines.len() > SHOWN {
        text.push_str(&format!("\n… {} more lines", lines.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId::from_raw(name)
    }

    #[test]
    fn a_change_is_shown_to_whoever_had_seen_the_file() {
        let seen = Seen::default();
        let path = Path::new("/p/a.txt");
        seen.whole(&session("a"), path, b"one\ntwo\n", "one\ntwo\n", None);
        assert_eq!(seen.changed(&session("a"), path, b"one\ntwo\n", "one\ntwo\n", None), None);
        assert_eq!(seen.changed(&session("b"), path, b"x", "x", None), None);
        let told = seen.changed(&session("a"), path, b"one\n2\n", "one\n2\n", None).unwrap();
        assert!(told.contains("-two\n+2"), "{told}");
        seen.gone(&session("a"), path);
        assert_eq!(seen.changed(&session("a"), path, b"x", "x", None), None);
    }

    #[test]
    fn memory_is_bounded() {
        let seen = Seen::default();
        let text = "x".repeat(MOST_TEXT);
        for n in 0..200 {
            seen.whole(&session("a"), Path::new(&format!("/{n}")), text.as_bytes(), &text, None);
        }
        let state = lock(&seen.state);
        assert!(state.text_bytes <= MOST_TEXTS && state.looks.len() == state.order.len());
        assert!(state.looks.contains_key(&(session("a"), "/199".into())));
        assert!(!state.looks.contains_key(&(session("a"), "/0".into())));
    }
}
