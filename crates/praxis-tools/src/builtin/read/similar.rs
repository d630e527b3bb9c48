//! Files whose names are close to one that does not exist.

use std::path::{Path, PathBuf};

const MOST_TOLD: usize = 3;
/// Entries looked at; a folder can hold millions.
const MOST_LOOKED_AT: usize = 10_000;

/// Up to three neighbours whose names contain the missing one or are contained in it.
pub(super) fn beside(missing: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (missing.parent(), missing.file_name()) else { return Vec::new() };
    let wanted = name.to_string_lossy().to_lowercase();
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut close: Vec<PathBuf> = entries
        .take(MOST_LOOKED_AT)
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            name.contains(&wanted) || wanted.contains(&name)
        })
        .map(|entry| entry.path())
        .collect();
    close.sort();
    close.truncate(MOST_TOLD);
    close
}
