//! The first results in path order, whatever the order they come in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Keeps the files that come first and together have enough items, and forgets the rest as soon as it can.
///
/// Paths are in the order of their bytes, not of their components: `a.txt` before `a/b.txt`.
pub(super) struct First<T> {
    enough: usize,
    items: usize,
    kept: BTreeMap<OsString, Vec<T>>,
}

impl<T> First<T> {
    /// Nothing yet; `enough` items will do.
    pub(super) fn new(enough: usize) -> Self {
        Self { enough, items: 0, kept: BTreeMap::new() }
    }

    /// Whether items of this file would be among the first.
    pub(super) fn may_take(&self, path: &Path) -> bool {
        self.end().is_none_or(|end| path.as_os_str() < end.as_os_str())
    }

    /// Whether any file below this folder could be.
    pub(super) fn may_take_from(&self, folder: &Path) -> bool {
        let below = folder.as_os_str().as_encoded_bytes().iter().chain(b"/");
        self.end().is_none_or(|end| below.lt(end.as_encoded_bytes()))
    }

    /// Takes the items of a file, which comes once. It may have none and still be remembered.
    pub(super) fn add(&mut self, path: &Path, items: Vec<T>) {
        if !self.may_take(path) {
            return;
        }
        self.items += items.len();
        self.kept.insert(path.as_os_str().to_owned(), items);
        while let Some(last) = self.kept.last_entry()
            && self.items - last.get().len() >= self.enough
        {
            self.items -= last.remove().len();
        }
    }

    /// The first `limit` items, and whether there were more.
    pub(super) fn up_to(self, limit: usize) -> (Vec<(PathBuf, Vec<T>)>, bool) {
        let more = self.items > limit;
        let mut left = limit;
        let mut files = Vec::new();
        for (path, mut items) in self.kept {
            let had_some = !items.is_empty();
            items.truncate(left);
            left -= items.len();
            if had_some && items.is_empty() {
                break;
            }
            files.push((PathBuf::from(path), items));
        }
        (files, more)
    }

    /// The last file that counts, once there is enough.
    fn end(&self) -> Option<&OsString> {
        let (last, _) = self.kept.last_key_value()?;
        (self.items >= self.enough).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of the same files.
    fn permutations(files: &[(&'static str, usize)]) -> Vec<Vec<(&'static str, usize)>> {
        let Some((head, tail)) = files.split_first() else { return vec![vec![]] };
        let mut all = Vec::new();
        for rest in permutations(tail) {
            for at in 0..=rest.len() {
                let mut order = rest.clone();
                order.insert(at, *head);
                all.push(order);
            }
        }
        all
    }

    #[test]
    fn the_order_of_arrival_does_not_matter() {
        let files = [("/r/a.txt", 2), ("/r/a/b", 1), ("/r/a/c", 3), ("/r/b", 1), ("/r/c", 1)];
        for (limit, expected) in [
            (1, (vec![("/r/a.txt", 1)], true)),
            (2, (vec![("/r/a.txt", 2)], true)),
            (5, (vec![("/r/a.txt", 2), ("/r/a/b", 1), ("/r/a/c", 2)], true)),
            (8, (files.to_vec(), false)),
        ] {
            for order in permutations(&files) {
                let mut first = First::new(limit + 1);
                for (path, items) in order {
                    let path = Path::new(path);
                    let (taken, from) = (first.may_take(path), first.may_take_from(path.parent().unwrap()));
                    assert!(from || !taken, "a folder was left out although its file is wanted");
                    first.add(path, vec![(); items]);
                }
                let (files, more) = first.up_to(limit);
                let files: Vec<_> =
                    files.iter().map(|(p, items)| (p.to_str().unwrap(), items.len())).collect();
                assert_eq!((files, more), expected.clone());
            }
        }
    }

    #[test]
    fn what_comes_after_the_end_is_not_looked_at() {
        let mut first = First::new(1);
        assert!(first.may_take(Path::new("/r/z")) && first.may_take_from(Path::new("/r/z")));
        first.add(Path::new("/r/m/file"), vec![()]);
        assert!(!first.may_take(Path::new("/r/z")) && !first.may_take_from(Path::new("/r/n")));
        assert!(first.may_take(Path::new("/r/m/eile")) && first.may_take_from(Path::new("/r/m")));
        assert!(first.may_take(Path::new("/r/m.txt")), "`.` comes before `/`");
    }
}
