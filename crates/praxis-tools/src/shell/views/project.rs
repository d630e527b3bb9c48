//! What in a project is not as free as the rest: files that rules guard, our own configuration, git folders.
//!
//! The project is walked once; afterwards a folder is read again only when its time has changed.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use praxis_policy::Lens;
use praxis_policy::places::protected_name;
use praxis_proto::Action;

use super::table::Table;

/// Projects, each under its rules, that are remembered: an agent and its subagents.
const MOST_KNOWN: usize = 4;
/// Folders that are looked at; a project with more is not held as a whole, and that is said.
const MOST_FOLDERS: usize = 50_000;
/// Places that are found; more are too many to mount.
const MOST_FOUND: usize = 1_000;
/// How deep folders lie in each other.
const DEEPEST: usize = 64;
/// A folder that changed this shortly before it was read may have changed again in the same tick.
const TICK: Duration = Duration::from_secs(2);

/// What the table of protected names calls git's folder.
const GIT: &str = ".git";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Guarded {
    /// Files and folders that the rules do not let a command read.
    pub(super) unreadable: Vec<PathBuf>,
    /// Files and folders that the rules do not let anybody edit.
    pub(super) unwritable: Vec<PathBuf>,
    /// Configuration of ours and of our relatives.
    pub(super) configuration: Vec<PathBuf>,
    /// Git folders, or the files that stand for them.
    pub(super) git: Vec<PathBuf>,
    /// There was too much to be looked at.
    pub(super) incomplete: bool,
}

/// What rules say about the files of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) read: Lens,
    pub(super) edit: Lens,
}

/// Remembers projects between commands.
#[derive(Debug, Default)]
pub(super) struct Projects {
    known: Mutex<Vec<Known>>,
}

/// A project as it was seen under some rules.
#[derive(Debug)]
struct Known {
    root: PathBuf,
    rules: Rules,
    folders: HashMap<PathBuf, Folder>,
}

/// A folder as it was read.
#[derive(Debug, Clone, Default)]
struct Folder {
    /// When it had changed last, and who it was.
    changed: (i64, i64, u64),
    /// Whether that was too shortly before to be sure.
    is_fresh: bool,
    found: Guarded,
    below: Vec<PathBuf>,
}

impl Projects {
    /// Looks at a project under some rules.
    pub(super) fn guarded(&self, root: &Path, rules: Rules) -> Guarded {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.iter().position(|known| known.root == root && known.rules == rules);
        let mut folders = before.map(|at| known.remove(at).folders).unwrap_or_default();
        let mut walk = Walk {
            root,
            rules: &rules,
            before: &mut folders,
            after: HashMap::new(),
            out: Guarded::default(),
        };
        walk.all();
        let (after, out) = (walk.after, walk.out);
        known.insert(0, Known { root: root.to_owned(), rules, folders: after });
        known.truncate(MOST_KNOWN);
        out
    }
}

struct Walk<'w> {
    root: &'w Path,
    rules: &'w Rules,
    before: &'w mut HashMap<PathBuf, Folder>,
    after: HashMap<PathBuf, Folder>,
    out: Guarded,
}

impl Walk<'_> {
    fn all(&mut self) {
        let mut waiting = vec![(self.root.to_owned(), 0)];
        while let Some((path, depth)) = waiting.pop() {
            let full = self.out.unreadable.len() + self.out.unwritable.len() >= MOST_FOUND;
            if self.after.len() >= MOST_FOLDERS || depth > DEEPEST || full {
                self.out.incomplete = true;
                return;
            }
            let Some(folder) = self.folder(&path) else { continue };
            self.out.add(&folder.found);
            waiting.extend(folder.below.iter().map(|below| (below.clone(), depth + 1)));
            self.after.insert(path, folder);
        }
    }

    /// A folder as it is now.
    fn folder(&mut self, path: &Path) -> Option<Folder> {
        let data = path.symlink_metadata().ok().filter(fs::Metadata::is_dir)?;
        let changed = (data.ctime(), data.ctime_nsec(), data.ino());
        if let Some(known) = self.before.remove(path)
            && known.changed == changed
            && !known.is_fresh
        {
            return Some(known);
        }
        let mut folder = Folder { changed, is_fresh: is_fresh(data.ctime()), ..Folder::default() };
        for entry in fs::read_dir(path).ok()?.flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            self.entry(&mut folder, &entry.path(), is_folder);
        }
        Some(folder)
    }

    fn entry(&self, folder: &mut Folder, path: &Path, is_folder: bool) {
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        match protected_name(&own) {
            Some(entry) if entry.name == GIT => {
                folder.found.git.push(path.to_owned());
                return;
            }
            Some(_) => folder.found.configuration.push(path.to_owned()),
            None => {}
        }
        let name = path.strip_prefix(self.root).unwrap_or(path).to_string_lossy();
        let Rules { read, edit } = self.rules;
        let excepted = |lens: &Lens| {
            if is_folder { lens.excepts_folder(&name) } else { lens.action(&name) > lens.usual() }
        };
        if read.has_exceptions() && excepted(read) {
            folder.found.unreadable.push(path.to_owned());
        } else if edit.has_exceptions() && excepted(edit) && denies(edit, &name, is_folder) {
            folder.found.unwritable.push(path.to_owned());
        }
        if is_folder && !Table::get().skips(&own) {
            folder.below.push(path.to_owned());
        }
    }
}

/// An edit that would be asked about is asked about where a script names it; only a deny is held by the kernel.
fn denies(edit: &Lens, name: &str, is_folder: bool) -> bool {
    if is_folder {
        edit.action(&format!("{name}/\u{1}")) == Action::Deny
    } else {
        edit.action(name) == Action::Deny
    }
}

fn is_fresh(changed: i64) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = Duration::from_secs(u64::try_from(changed).unwrap_or_default());
    now.saturating_sub(changed) < TICK
}

impl Guarded {
    fn add(&mut self, other: &Self) {
        self.unreadable.extend(other.unreadable.iter().cloned());
        self.unwritable.extend(other.unwritable.iter().cloned());
        self.configuration.extend(other.configuration.iter().cloned());
        self.git.extend(other.git.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use praxis_policy::Authority;
    use praxis_proto::Rule;

    use super::*;

    fn rules() -> Rules {
        let rule =
            |permission: &str, pattern: &str, action| Rule::built_in("test", permission, pattern, action);
        let authority = Authority::new(vec![
            rule("*", "*", Action::Allow),
            rule("read", "*.env", Action::Ask),
            rule("read", "secret/*", Action::Deny),
            rule("edit", "*.lock", Action::Deny),
            rule("edit", "*.md", Action::Ask),
        ]);
        Rules { read: authority.lens("read", &[]), edit: authority.lens("edit", &[]) }
    }

    fn names(root: &Path, paths: &[PathBuf]) -> Vec<String> {
        let mut names: Vec<String> = paths
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn guarded_files_are_found_also_those_that_came_later() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let write = |name: &str| {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "").unwrap();
        };
        for name in
            ["a/.env", "a/b.rs", "secret/key", "Cargo.lock", "README.md", ".git/config", "praxis.json"]
        {
            write(name);
        }
        for name in ["sub/.git/config", "sub/.opencode/x", "node_modules/x/.env", "opencode.json.bak"] {
            write(name);
        }
        let projects = Projects::default();
        let found = projects.guarded(&root, rules());
        assert_eq!(names(&root, &found.unreadable), ["a/.env", "secret", "secret/key"]);
        assert_eq!(names(&root, &found.unwritable), ["Cargo.lock"]);
        assert_eq!(names(&root, &found.configuration), ["opencode.json.bak", "praxis.json", "sub/.opencode"]);
        assert_eq!(names(&root, &found.git), [".git", "sub/.git"]);
        assert!(!found.incomplete);
        assert_eq!(projects.guarded(&root, rules()), found, "nothing changed");
        write("a/deep/er/x.env");
        fs::remove_file(root.join("a/.env")).unwrap();
        let later = projects.guarded(&root, rules());
        assert_eq!(names(&root, &later.unreadable), ["a/deep/er/x.env", "secret", "secret/key"]);
    }
}
