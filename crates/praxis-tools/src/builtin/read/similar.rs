//! Files whose names are close to one that does not exist.

use std::path::{Path, PathBuf};

use praxis_os::{HeldFolder, RealPath};
use praxis_proto::Action;

use crate::{Cx, ToolError};

const MOST_TOLD: usize = 3;
/// Entries looked at; a folder can hold millions.
const MOST_LOOKED_AT: usize = 10_000;

/// The refusal for a file that is not there, with names that may have been meant.
pub(in crate::builtin) fn not_found(problem: &str, path: &Path, cx: &Cx) -> ToolError {
    let mut text = problem.to_owned();
    let similar = beside(path, cx);
    if !similar.is_empty() {
        text.push_str("\n\nDid you mean one of these?");
        for path in similar {
            text.push_str(&format!("\n{}", path.display()));
        }
    }
    ToolError::Misuse(text)
}

/// Up to three neighbours whose names contain the missing one or are contained in it. A file the agent may not read
/// is not named to it either.
fn beside(missing: &Path, cx: &Cx) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (missing.parent(), missing.file_name()) else { return Vec::new() };
    let wanted = name.to_string_lossy().to_lowercase();
    let held = HeldFolder::open(&RealPath::already_resolved(folder.to_owned()));
    let Ok(held) = held else { return Vec::new() };
    let Ok(entries) = held.entries() else { return Vec::new() };
    let readable = |path: &PathBuf| {
        let name = cx.instance().name_of(&RealPath::already_resolved(path.clone()));
        cx.authority().decide("read", &name, &[]).action != Action::Deny
    };
    let mut close: Vec<PathBuf> = entries
        .take(MOST_LOOKED_AT)
        .flatten()
        .filter(|entry| {
            let name = entry.name.to_string_lossy().to_lowercase();
            name.contains(&wanted) || wanted.contains(&name)
        })
        .map(|entry| folder.join(entry.name))
        .filter(readable)
        .collect();
    close.sort();
    close.truncate(MOST_TOLD);
    close
}
