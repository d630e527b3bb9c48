//! Lines from many files, on many threads.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::first::First;
use super::lines::{Finder, Found, Reader};
use super::{Access, FileLines, Line, Matches, into_inner, lock};
use crate::{FileError, RealPath, open_regular};

/// What the threads of one search share.
pub(super) struct Hunt<'a> {
    finder: Finder<'a>,
    access: &'a (dyn Fn(&Path) -> Access + Sync),
    /// Files with their lines; those without are withheld.
    first: Mutex<First<Line>>,
    unread: AtomicUsize,
}

impl<'a> Hunt<'a> {
    pub(super) fn new(finder: Finder<'a>, access: &'a (dyn Fn(&Path) -> Access + Sync)) -> Self {
        let first = Mutex::new(First::new(finder.limit));
        Self { finder, access, first, unread: AtomicUsize::new(0) }
    }

    /// Whether anything in a folder could be among the results.
    pub(super) fn wants(&self, folder: &Path) -> bool {
        lock(&self.first).may_take_from(folder)
    }

    /// Looks into a file that the walk came to.
    pub(super) fn visit(&self, reader: &mut Reader, path: &Path) {
        if lock(&self.first).may_take(path) && self.admits(path) {
            self.keep(path, self.finder.search_path(reader, path));
        }
    }

    /// Looks into the one file that was asked for.
    pub(super) fn search_named(&self, path: &RealPath) -> Result<(), FileError> {
        if self.admits(path.as_path()) {
            let file = open_regular(path)?;
            self.keep(path.as_path(), self.finder.search_file(file));
        }
        Ok(())
    }

    pub(super) fn count_unread(&self, files: usize) {
        self.unread.fetch_add(files, Ordering::Relaxed);
    }

    /// The result, once all threads are done.
    pub(super) fn matches(self, limit: usize) -> Matches {
        let (kept, more) = into_inner(self.first).up_to(limit);
        let (files, withheld): (Vec<_>, Vec<_>) = kept.into_iter().partition(|(_, lines)| !lines.is_empty());
        Matches {
            files: files.into_iter().map(|(path, lines)| FileLines { path, lines }).collect(),
            more,
            ending: self.finder.stop.ending(),
            withheld: withheld.len(),
            unread: self.unread.into_inner(),
        }
    }

    fn admits(&self, path: &Path) -> bool {
        match (self.access)(path) {
            Access::Open => true,
            Access::Withheld => {
                lock(&self.first).add(path, Vec::new());
                false
            }
            Access::Closed => false,
        }
    }

    fn keep(&self, path: &Path, found: Found) {
        self.count_unread(usize::from(found.unread));
        if !found.lines.is_empty() {
            lock(&self.first).add(path, found.lines);
        }
    }
}
