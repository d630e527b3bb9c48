//! The files of a project at a moment, for whoever records what a step changed.

use std::path::PathBuf;

use praxis_proto::FileDiff;
use praxis_tools::Boxed;

/// Takes pictures of the project's files. A picture that cannot be taken is none; it never fails a step.
pub trait Snapshots: Send + Sync {
    /// Names the files as they are now.
    fn take(&self) -> Boxed<'_, Option<String>>;

    /// The files that differ from an earlier picture, with absolute paths.
    fn changed<'a>(&'a self, since: &'a str) -> Boxed<'a, Vec<PathBuf>>;

    /// What changed from one picture to another, counted by file. The texts stay where they are until somebody wants to
    /// see them, so `patch` is not given.
    fn diff<'a>(&'a self, from: &'a str, to: &'a str) -> Boxed<'a, Vec<FileDiff>> {
        let _ = (from, to);
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// No pictures.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSnapshots;

impl Snapshots for NoSnapshots {
    fn take(&self) -> Boxed<'_, Option<String>> {
        Box::pin(std::future::ready(None))
    }

    fn changed<'a>(&'a self, _: &'a str) -> Boxed<'a, Vec<PathBuf>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}
