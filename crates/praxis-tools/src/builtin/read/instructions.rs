//! Instruction files beside what is read, each told once in a session.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use praxis_config::nearby;
use praxis_os::RealPath;
use praxis_proto::Action;

use crate::{Cx, Files};

/// Bytes of one instruction file that are told.
const MOST_BYTES: u64 = 32 << 10;
/// Folders of other people's code. What stands there instructs their agents, not ours.
const FOREIGN: &[&str] = &[".git", ".venv", "node_modules", "site-packages", "third_party", "vendor"];

/// Which files instruct, and which of them the model knows already.
#[derive(Debug, Clone, Default)]
pub struct NearbyInstructions {
    names: &'static [&'static str],
    known: Vec<PathBuf>,
}

impl NearbyInstructions {
    /// Files of these names instruct; those in `known` stand in the system prompt.
    pub fn new(names: &'static [&'static str], known: Vec<PathBuf>) -> Self {
        Self { names, known }
    }

    /// The instruction files on the way from a file up to the project that this session has not been told yet.
    pub(super) fn find(&self, file: &RealPath, files: &Files, cx: &Cx) -> Vec<Found> {
        let directory = cx.instance().directory();
        let Ok(below) = file.as_path().strip_prefix(directory) else { return Vec::new() };
        if below.components().any(|part| FOREIGN.iter().any(|foreign| part.as_os_str() == *foreign)) {
            return Vec::new();
        }
        let candidates = nearby(file.as_path(), directory, self.names).into_iter();
        candidates
            .filter(|path| path != file.as_path())
            .filter_map(|path| self.load(path, files, cx))
            .collect()
    }

    fn load(&self, path: PathBuf, files: &Files, cx: &Cx) -> Option<Found> {
        let real = RealPath::resolve(Path::new("/"), &path).ok()?;
        let allowed =
            cx.authority().decide("read", &cx.instance().name_of(&real), &[]).action == Action::Allow;
        if !allowed || !cx.instance().contains(&real) || self.known.contains(&path) {
            return None;
        }
        let file = praxis_os::open_regular(&real).ok()?;
        if !files.seen.claim_instruction(cx.session(), &path) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
        let cut = bytes.len() as u64 > MOST_BYTES;
        bytes.truncate(usize::try_from(MOST_BYTES).unwrap_or(usize::MAX));
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if cut {
            text.push_str(&format!("\n(only the first {} KB are shown)", MOST_BYTES >> 10));
        }
        Some(Found { path, text })
    }
}

/// An instruction file and what it says.
pub(super) struct Found {
    pub(super) path: PathBuf,
    text: String,
}

/// What is put behind the file that was read; nothing if nothing was found.
pub(super) fn reminder(found: &[Found]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let told = |found: &Found| format!("Instructions from: {}\n{}", found.path.display(), found.text);
    let texts: Vec<String> = found.iter().map(told).collect();
    format!("\n\n<system-reminder>\n{}\n</system-reminder>", texts.join("\n\n"))
}
