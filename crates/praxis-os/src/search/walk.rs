//! Walking a tree by ripgrep's rules.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::filter::{Filter, Reach};
use super::stop::Stop;
use super::{Hidden, Scope, SearchError};

/// How many entries are passed between two looks at whether to stop. Looking takes a lock that all threads share.
const STRIDE: usize = 32;

/// Shows every regular file of the scope to a visitor, one visitor per thread, in no particular order, and leaves out
/// folders that are not wanted. Gives the number of entries that could not be read.
pub(super) fn files<V: FnMut(&Path) + Send>(
    scope: &Scope,
    stop: &Stop,
    wants: impl Fn(&Path) -> bool + Sync,
    visitor: impl Fn() -> V,
) -> Result<usize, SearchError> {
    let filter = scope.glob.as_deref().map(|glob| Filter::new(&scope.root, glob)).transpose()?;
    let (builder, filter) = plan(scope, filter);
    let failed = AtomicUsize::new(0);
    builder.build_parallel().run(|| {
        let (mut visit, mut passed) = (visitor(), 0_usize);
        let (wants, filter, failed) = (&wants, filter.as_ref(), &failed);
        Box::new(move |entry| {
            if passed.is_multiple_of(STRIDE) && stop.is_due() {
                return WalkState::Quit;
            }
            passed += 1;
            let Ok(entry) = entry else {
                failed.fetch_add(1, Ordering::Relaxed);
                return WalkState::Continue;
            };
            step(&entry, filter, wants, &mut visit)
        })
    });
    Ok(failed.into_inner())
}

fn step(
    entry: &DirEntry,
    filter: Option<&Filter>,
    wants: impl Fn(&Path) -> bool,
    visit: &mut impl FnMut(&Path),
) -> WalkState {
    let path = entry.path();
    // Links, pipes, sockets and devices are neither.
    match entry.file_type() {
        Some(kind) if kind.is_dir() => {
            let unwanted = entry.depth() > 0 && filter.is_some_and(|filter| filter.excludes_folder(path));
            if unwanted || !wants(path) {
                return WalkState::Skip;
            }
        }
        Some(kind) if kind.is_file() && filter.is_none_or(|filter| filter.matches(path)) => visit(path),
        Some(_) | None => {}
    }
    WalkState::Continue
}

/// The walk, and the filter unless the walk has it.
fn plan(scope: &Scope, filter: Option<Filter>) -> (WalkBuilder, Option<Filter>) {
    let Some(filter) = filter else { return (rules(scope, &scope.root, scope.hidden), None) };
    let hidden = if filter.reach() == Reach::Named { Hidden::Include } else { scope.hidden };
    let start = start(&scope.root, filter.folders());
    let mut builder = rules(scope, &start, hidden);
    if is_ignored(scope, filter.folders()) {
        // What hides the folder would hide everything in it.
        builder.parents(false);
    }
    match filter.reach() {
        Reach::Left => (builder, Some(filter)),
        Reach::Named => {
            builder.overrides(filter.into_override());
            (builder, None)
        }
    }
}

fn rules(scope: &Scope, start: &Path, hidden: Hidden) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder
        .hidden(hidden == Hidden::Skip)
        .add_custom_ignore_filename(".rgignore")
        // The global ignore file is about the project, not about where this process was started.
        .current_dir(&scope.root)
        .filter_entry({
            let skip = scope.skip.clone();
            move |entry| entry.file_name() != ".git" && !skip.has(entry.path())
        });
    builder
}

/// The folder that a glob begins with, if it is there and no link leads elsewhere; else the root.
fn start(root: &Path, folders: &Path) -> PathBuf {
    let mut start = root.to_owned();
    for folder in folders {
        start.push(folder);
        if !start.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return root.to_owned();
        }
    }
    start
}

/// Whether the walk would not come to this folder of the root.
fn is_ignored(scope: &Scope, folders: &Path) -> bool {
    if folders.as_os_str().is_empty() {
        return false;
    }
    let mut matchers = rules(scope, &scope.root, Hidden::Include).build_matchers();
    folders
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty())
        .any(|folder| matchers.iter_mut().any(|matcher| matcher.matched(folder, true).is_ignore()))
}
