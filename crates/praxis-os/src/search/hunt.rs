//! Lines from many files, on many threads.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::first::First;
use super::lines::{Finder, Found, Reader};
use super::{Access, FileLines, Line, Matches, into_inner, lock};
use crate::{FileError, HeldFolder, RealPath, open_regular};

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

    /// What a thread looks into files with.
    pub(super) fn reader(&self) -> Reader {
        self.finder.reader()
    }

    /// Whether anything in a folder could be among the results.
    pub(super) fn wants(&self, folder: &Path) -> bool {
        lock(&self.first).may_take_from(folder)
    }

    /// Looks into a file that the walk came to, if it is still beneath the folder that is searched.
    pub(super) fn visit(&self, reader: &mut Reader, held: &HeldFolder, path: &Path) {
        if !lock(&self.first).may_take(path) {
            return;
        }
        match (self.access)(path) {
            Access::Open => self.keep(path, self.finder.search_path(reader, held, path)),
            Access::Withheld if held.holds(path) => lock(&self.first).add(path, Vec::new()),
            Access::Withheld | Access::Closed => {}
        }
    }

    /// Looks into the one file that was asked for.
    pub(super) fn search_named(&self, path: &RealPath) -> Result<(), FileError> {
        match (self.access)(path.as_path()) {
            Access::Open => self.keep(path.as_path(), self.finder.search_file(open_regular(path)?)),
            Access::Withheld => lock(&self.first).add(path.as_path(), Vec::new()),
            Access::Closed => {}
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

    fn keep(&self, path: &Path, found: Found) {
        self.count_unread(usize::from(found.unread));
        if !found.lines.is_empty() {
            lock(&self.first).add(path, found.lines);
        }
    }
}
