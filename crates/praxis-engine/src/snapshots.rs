//! The files of a project at a moment, for whoever records what a step changed.

use std::path::PathBuf;

use praxis_tools::Boxed;

/// Takes pictures of the project's files. A picture that cannot be taken is none; it never fails a step.
pub trait Snapshots: Send + Sync {
    /// Names the files as they are now.
    fn take(&self) -> Boxed<'_, Option<String>>;

    /// The files that differ from an earlier picture, with absolute paths.
    fn changed<'a>(&'a self, since: &'a str) -> Boxed<'a, Vec<PathBuf>>;
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
