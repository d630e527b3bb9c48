//! The tables of places, read once.

use std::sync::LazyLock;

use super::name::folded;

/// Whether a place is one file or a folder with all that is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file; of a folder of that name all that is in it counts as well.
    File,
    /// A folder, or a file that stands in its place.
    Folder,
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name below the folder that the table is about, or absolute; `*` stands for any letters of a name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Why it is in the table; completes "this would change NAME, …". Empty in tables that say why as a whole.
    pub why: &'static str,
    names: Vec<String>,
}

static PROJECT: LazyLock<Vec<Entry>> = LazyLock::new(|| read(include_str!("project.txt")));
static STARTUP: LazyLock<Vec<Entry>> = LazyLock::new(|| read(include_str!("startup.txt")));
static CREDENTIALS: LazyLock<Vec<Entry>> = LazyLock::new(|| read(include_str!("credentials.txt")));
static GUARDED: LazyLock<Vec<Entry>> = LazyLock::new(|| read(include_str!("guarded.txt")));

/// What is protected in a project, in any folder of it.
pub fn in_project() -> &'static [Entry] {
    &PROJECT
}

/// The entry that protects files and folders of this name in a project, if one does.
pub fn protected_name(name: &str) -> Option<&'static Entry> {
    let names = [folded(name)];
    PROJECT.iter().find(|entry| entry.covers(&names))
}

/// What runs without being asked again: below the home folder, or absolute.
pub fn startup() -> &'static [Entry] {
    &STARTUP
}

/// What is secret below the home folder.
pub fn credentials() -> &'static [Entry] {
    &CREDENTIALS
}

/// What macOS guards below the home folder.
pub fn guarded() -> &'static [Entry] {
    &GUARDED
}

impl Entry {
    /// Whether its name stands for several.
    pub fn has_wildcard(&self) -> bool {
        self.name.contains('*')
    }

    /// Whether it is a full path.
    pub fn is_absolute(&self) -> bool {
        self.name.starts_with('/')
    }

    /// Whether a path is this place or in it, by its names below the table's folder.
    pub(super) fn covers(&self, path: &[String]) -> bool {
        path.len() >= self.names.len() && self.names.iter().zip(path).all(|(own, name)| fits(own, name))
    }

    /// Whether it lies in a folder of these names.
    pub(super) fn is_below(&self, folder: &[String]) -> bool {
        self.names.len() > folder.len() && self.names.iter().zip(folder).all(|(own, name)| fits(own, name))
    }

    /// Whether one of the names of a path is this place.
    pub(super) fn is_among(&self, path: &[String]) -> bool {
        (0..path.len()).any(|at| self.covers(&path[at..]))
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

fn read(text: &'static str) -> Vec<Entry> {
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(entry)
        .collect()
}

fn entry(line: &'static str) -> Entry {
    // Names may have blanks, so two of them end one.
    let (place, why) = line.split_once("  ").unwrap_or((line, ""));
    let name = place.trim_end_matches('/');
    let kind = if name.len() < place.len() { Kind::Folder } else { Kind::File };
    let names = name.split('/').filter(|name| !name.is_empty()).map(folded).collect();
    Entry { name, kind, why: why.trim(), names }
}
