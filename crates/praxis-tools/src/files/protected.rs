//! Files that only a person may change: told from the others by name, and by what stands behind the name.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use praxis_os::RealPath;
use praxis_policy::Places;

use crate::{Ask, Instance};

/// The most entries of one protected folder that are looked at for links.
const MOST_ENTRIES: usize = 1_000;
/// Where git looks for what it runs, below its folder.
const HOOKS: &str = "hooks";

/// Makes the ask one that a person must answer, if one of the files is protected.
pub(crate) fn guarded<'p>(
    ask: Ask,
    paths: impl IntoIterator<Item = &'p RealPath>,
    instance: &Instance,
) -> Ask {
    let told = |path: &RealPath| {
        let why = why(path.as_path(), instance.places())?;
        Some(format!("change `{}`, {why}", instance.name_of(path)))
    };
    let mut acts: Vec<String> = paths.into_iter().filter_map(told).collect();
    acts.dedup();
    if acts.is_empty() { ask } else { ask.confirm(acts.join("; and ")) }
}

/// Why a file is protected: its path is, or it is the same as a file whose path is.
fn why(path: &Path, places: &Places) -> Option<&'static str> {
    if let Some(protected) = places.protected(path) {
        return Some(protected.why);
    }
    let found =
        is_linked_to(path, places).or_else(|| places.folders().find(|folder| leads_to(folder, path)))?;
    places.protected(&found).map(|protected| protected.why)
}

/// The protected name that is a link to this file. Writing puts a new file in the place of the old one, so another hard
/// link to a protected file changes nothing there; a link by name does.
fn is_linked_to(path: &Path, places: &Places) -> Option<PathBuf> {
    let own = path.metadata().ok()?;
    let same = |name: &Path| {
        name.is_symlink()
            && name.metadata().is_ok_and(|other| (other.dev(), other.ino()) == (own.dev(), own.ino()))
    };
    let in_folder = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().take(MOST_ENTRIES).flatten();
        entries.map(|entry| entry.path()).find(|name| same(name))
    };
    let mut folders = places.folders().flat_map(|folder| [folder.join(HOOKS), folder]);
    places.files().find(|name| same(name)).or_else(|| folders.find_map(in_folder))
}

/// Whether a protected folder is a link to a place that this path is in.
fn leads_to(folder: &Path, path: &Path) -> bool {
    folder.is_symlink() && folder.canonicalize().is_ok_and(|real| path.starts_with(real))
}
