//! The names that git's index holds: files whose content git has anyway.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A larger index is not read; then nothing counts as tracked.
const LARGEST: u64 = 256 << 20;
/// Bytes of an entry before its flags, and where its name begins.
const FLAGS: usize = 60;
const NAME: usize = 62;
/// The flag that says that two more bytes follow.
const EXTENDED: u8 = 0x40;

/// Which of these files are tracked by the repository whose worktree `root` is.
pub(super) fn tracked(index: &Path, root: &Path, files: &[PathBuf]) -> HashSet<PathBuf> {
    if files.is_empty() || !index.metadata().is_ok_and(|data| data.len() <= LARGEST) {
        return HashSet::new();
    }
    let Ok(bytes) = fs::read(index) else { return HashSet::new() };
    let names = names(&bytes).unwrap_or_default();
    let is_tracked = |file: &&PathBuf| {
        file.strip_prefix(root).is_ok_and(|name| names.contains(name.as_os_str().as_encoded_bytes()))
    };
    files.iter().filter(is_tracked).cloned().collect()
}

/// All names; nothing if the index is of a kind that is not known.
fn names(bytes: &[u8]) -> Option<HashSet<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (version, count) = (number(4)?, number(8)?);
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = HashSet::new();
    let mut last: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..count {
        let flags = *bytes.get(at + FLAGS)?;
        let start = at + NAME + if flags & EXTENDED == 0 { 0 } else { 2 };
        let (kept, start) = if version == 4 { prefix(bytes, start, last.len())? } else { (0, start) };
        let length = bytes.get(start..)?.iter().position(|byte| *byte == 0)?;
        last.truncate(kept);
        last.extend_from_slice(bytes.get(start..start + length)?);
        found.insert(last.clone());
        at = match version {
            4 => start + length + 1,
            // Padded with NUL bytes to a multiple of eight.
            _ => at + ((start + length - at) / 8 + 1) * 8,
        };
    }
    Some(found)
}

/// How much of the last name is kept, and where the rest begins: a number of bytes to drop, seven bits a byte.
fn prefix(bytes: &[u8], mut at: usize, last: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut drop = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        drop = (drop + 1).checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((last.checked_sub(drop)?, at + 1))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn every_version_of_an_index_is_read() {
        for version in ["2", "3", "4"] {
            let temp = tempfile::tempdir().unwrap();
            let root = temp.path();
            let git = |arguments: &[&str]| {
                let done =
                    Command::new("git").args(arguments).current_dir(root).env("HOME", root).output().unwrap();
                assert!(done.status.success(), "{done:?}");
            };
            git(&["init", "-q"]);
            let names = ["a", "deep/folder/.env", "deep/folder/b", "deep/g", "z.env"];
            for name in names {
                fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
                fs::write(root.join(name), "").unwrap();
            }
            git(&["add", "."]);
            git(&["update-index", "--index-version", version]);
            let mut files: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
            let wanted: HashSet<PathBuf> = files.iter().cloned().collect();
            files.push(root.join("untracked"));
            assert_eq!(tracked(&root.join(".git/index"), root, &files), wanted, "version {version}");
        }
        assert_eq!(names(b"DIRC\0\0\0\x02\0\0\0\x09short"), None);
    }
}
