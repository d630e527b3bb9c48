//! The table of places, read once.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use praxis_os::sandbox::Access;

const TEXT: &str = include_str!("places.txt");

/// Places of the machine, in the table's order, and folders that are not searched.
#[derive(Debug, Default)]
pub(super) struct Table {
    places: Vec<(Access, &'static str)>,
    skipped: Vec<&'static str>,
}

impl Table {
    pub(super) fn get() -> &'static Self {
        static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(TEXT));
        &TABLE
    }

    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        for line in text.lines().map(str::trim) {
            match line.split_once(' ') {
                Some(("read", path)) => table.places.push((Access::Read, path)),
                Some(("write", path)) => table.places.push((Access::Write, path)),
                Some(("mask", path)) => table.places.push((Access::Masked, path)),
                Some(("skip", name)) => table.skipped.push(name),
                _ => debug_assert!(line.is_empty() || line.starts_with('#'), "{line}"),
            }
        }
        table
    }

    /// The places, for this home folder.
    pub(super) fn places(&self, home: &Path) -> impl Iterator<Item = (Access, PathBuf)> {
        self.places.iter().map(move |(access, path)| match path.strip_prefix("~/") {
            Some(below) => (*access, home.join(below)),
            None => (*access, PathBuf::from(path)),
        })
    }

    /// Is it the name of a folder of what tools made or fetched?
    pub(super) fn skips(&self, name: &str) -> bool {
        self.skipped.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood_and_home_is_filled_in() {
        let table = Table::get();
        let lines = TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
        assert_eq!(table.places.len() + table.skipped.len(), lines);
        let places: Vec<_> = table.places(Path::new("/home/ann")).collect();
        assert!(places.contains(&(Access::Write, PathBuf::from("/home/ann/.cargo/registry"))));
        assert!(places.contains(&(Access::Read, PathBuf::from("/usr"))));
        assert!(table.skips("node_modules") && !table.skips("src"));
    }
}
