//! Git folders: what of them runs programs when somebody uses git, and is therefore never a command's to write.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders inside a git folder that are looked into for those of modules and worktrees.
const MOST_INNER: usize = 256;
/// How deep modules lie in each other.
const DEEPEST: usize = 4;
/// The most that is read of a file that stands for a git folder.
const LONGEST: u64 = 8_192;

/// What runs programs, by name, inside any git folder.
const PROTECTED: [&str; 3] = ["config", "hooks", "config.worktree"];

/// The git folders that a `.git` stands for: itself, or where it leads, and the one that is shared.
pub(super) fn folders(dot_git: &Path) -> Vec<PathBuf> {
    if dot_git.is_dir() {
        return vec![dot_git.to_owned()];
    }
    let Some(own) = line_of(dot_git).and_then(|line| Some(line.strip_prefix("gitdir:")?.trim().to_owned()))
    else {
        return Vec::new();
    };
    let base = dot_git.parent().unwrap_or(dot_git);
    let Ok(own) = base.join(own).canonicalize() else { return Vec::new() };
    // Whoever wrote the file could name any folder; only one that looks like git's counts.
    if !own.join("HEAD").is_file() {
        return Vec::new();
    }
    let shared = line_of(&own.join("commondir")).and_then(|line| own.join(line.trim()).canonicalize().ok());
    match shared.filter(|shared| shared.join("objects").is_dir() && own.starts_with(shared)) {
        Some(shared) => vec![shared],
        None if own.join("objects").is_dir() => vec![own],
        None => Vec::new(),
    }
}

/// What in a git folder is never a command's to write, modules and worktrees included.
pub(super) fn protected(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = waiting.pop() {
        seen += 1;
        if seen > MOST_INNER {
            // Rather all of it than a part.
            return vec![folder];
        }
        found.extend(
            PROTECTED
                .map(|name| folder.join(name))
                .into_iter()
                .filter(|path| path.symlink_metadata().is_ok()),
        );
        if depth >= DEEPEST {
            continue;
        }
        for inner in ["modules", "worktrees"] {
            waiting.extend(below(&folder.join(inner)).map(|inner| (inner, depth + 1)));
        }
        // A module's folder may be named by a path.
        if depth > 0 && !folder.join("HEAD").exists() {
            waiting.extend(below(&folder).map(|inner| (inner, depth + 1)));
        }
    }
    found
}

fn below(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

fn line_of(file: &Path) -> Option<String> {
    let data = file.metadata().ok()?;
    if !data.is_file() || data.len() > LONGEST {
        return None;
    }
    fs::read_to_string(file).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(root: &Path, name: &str, text: &str) {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    }

    #[test]
    fn a_linked_worktree_leads_to_the_shared_folder_and_a_lie_leads_nowhere() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["main/.git/HEAD", "main/.git/objects/x", "main/.git/worktrees/w/HEAD"] {
            make(&root, name, "");
        }
        make(&root, "main/.git/worktrees/w/commondir", "../..\n");
        make(&root, "w/.git", &format!("gitdir: {}/main/.git/worktrees/w\n", root.display()));
        assert_eq!(folders(&root.join("w/.git")), [root.join("main/.git")]);
        assert_eq!(folders(&root.join("main/.git")), [root.join("main/.git")]);
        make(&root, "lie/.git", "gitdir: /etc\n");
        assert_eq!(folders(&root.join("lie/.git")), Vec::<PathBuf>::new());
    }

    #[test]
    fn configuration_and_hooks_are_protected_in_modules_and_worktrees_too() {
        let temp = tempfile::tempdir().unwrap();
        let git = temp.path().canonicalize().unwrap().join(".git");
        for name in ["HEAD", "config", "hooks/a", "modules/m/HEAD", "modules/m/config", "modules/p/q/HEAD"] {
            make(&git, name, "");
        }
        for name in
            ["modules/p/q/hooks/x", "worktrees/w/HEAD", "worktrees/w/config.worktree", "objects/ab/cd"]
        {
            make(&git, name, "");
        }
        let mut found = protected(&git);
        found.sort();
        let wanted =
            ["config", "hooks", "modules/m/config", "modules/p/q/hooks", "worktrees/w/config.worktree"];
        assert_eq!(found, wanted.map(|name| git.join(name)));
    }
}
