//! Where a project begins.

use std::path::{Path, PathBuf};

/// The nearest directory upwards that holds a `.git` directory or file.
pub fn find_worktree(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|path| path.join(".git").exists()).map(Path::to_path_buf)
}

/// The directories from the working directory up to the worktree, both included.
///
/// Outside the worktree there is only the working directory: its parents belong to nobody we know.
pub(crate) fn upwards<'a>(
    directory: &'a Path,
    worktree: &'a Path,
) -> impl DoubleEndedIterator<Item = &'a Path> {
    let mut path: Vec<&Path> = directory.ancestors().take_while(|path| path.starts_with(worktree)).collect();
    if path.is_empty() {
        path.push(directory);
    }
    path.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_up_ends_at_the_worktree() {
        let up = |from: &str, to: &str| -> Vec<String> {
            upwards(Path::new(from), Path::new(to)).map(|path| path.display().to_string()).collect()
        };
        assert_eq!(up("/a/b/c", "/a/b"), ["/a/b/c", "/a/b"]);
        assert_eq!(up("/a/b", "/"), ["/a/b", "/a", "/"]);
        assert_eq!(up("/a/bc", "/a/b"), ["/a/bc"]);
    }

    #[test]
    fn a_git_file_marks_a_worktree_too() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("x/y");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(dir.path().join("x/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(find_worktree(&inner), Some(dir.path().join("x")));
    }
}
