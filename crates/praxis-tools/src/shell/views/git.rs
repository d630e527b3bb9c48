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

/// The git folder that a `.git` in this project stands for: itself, or the one that it leads to, with what is shared.
///
/// A command can write such a file and name any folder in it. One outside the project counts only if it names the project
/// in turn, which only git itself can have written there.
pub(super) fn folder(dot_git: &Path, root: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let line = line_of(dot_git)?;
    let base = dot_git.parent().unwrap_or(dot_git);
    let own = base.join(line.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    if !own.join("HEAD").is_file() {
        return None;
    }
    let shared = line_of(&own.join("commondir")).and_then(|line| own.join(line.trim()).canonicalize().ok());
    let folder = shared.filter(|shared| own.starts_with(shared)).unwrap_or_else(|| own.clone());
    let is_known = folder.starts_with(root) || is_worktree_of(&own, dot_git) || is_module_of(&own, base);
    (is_known && folder.join("objects").is_dir()).then_some(folder)
}

/// Does the folder of a linked worktree say that this is its worktree?
fn is_worktree_of(own: &Path, dot_git: &Path) -> bool {
    let named = line_of(&own.join("gitdir")).and_then(|line| own.join(line.trim()).canonicalize().ok());
    named.is_some_and(|named| Some(named) == dot_git.canonicalize().ok())
}

/// Does the folder of a module say that this is where its files are?
fn is_module_of(own: &Path, base: &Path) -> bool {
    let Some(config) = line_of(&own.join("config")) else { return false };
    let named =
        config.lines().filter_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='));
    let mut folders = named.filter_map(|named| own.join(named.trim()).canonicalize().ok());
    folders.any(|named| Some(named) == base.canonicalize().ok())
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
        make(&root, "main/.git/worktrees/w/gitdir", &format!("{}/w/.git\n", root.display()));
        let link = format!("gitdir: {}/main/.git/worktrees/w\n", root.display());
        make(&root, "w/.git", &link);
        let of = |name: &str| folder(&root.join(name).join(".git"), &root.join(name));
        assert_eq!((of("w"), of("main")), (Some(root.join("main/.git")), Some(root.join("main/.git"))));
        // Another project that only says so gets nothing of it.
        make(&root, "lie/.git", &link);
        make(&root, "other/.git", &format!("gitdir: {}/main/.git\n", root.display()));
        make(&root, "etc/.git", "gitdir: /etc\n");
        assert_eq!((of("lie"), of("other"), of("etc")), (None, None, None));
    }

    #[test]
    fn a_module_leads_to_the_folder_that_names_it() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["top/.git/modules/m/HEAD", "top/.git/modules/m/objects/x"] {
            make(&root, name, "");
        }
        make(&root, "top/.git/modules/m/config", "[core]\n\tworktree = ../../../m\n");
        make(&root, "top/m/.git", "gitdir: ../.git/modules/m\n");
        make(&root, "lie/.git", "gitdir: ../top/.git/modules/m\n");
        let module = root.join("top/.git/modules/m");
        assert_eq!(folder(&root.join("top/m/.git"), &root.join("top/m")), Some(module.clone()));
        assert_eq!(folder(&root.join("top/m/.git"), &root.join("top")), Some(module));
        assert_eq!(folder(&root.join("lie/.git"), &root.join("lie")), None);
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
