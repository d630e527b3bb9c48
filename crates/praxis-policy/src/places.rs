//! Places that decide what happens later, hold what is secret, or are guarded by the system.
//!
//! All of it is data, in the tables of `places/`. Names are compared as the most lenient file system would: whatever the
//! case, and without letters that cannot be seen. Nothing here looks at a disk: paths are taken as they are given, and
//! whoever has a real one asks again with it.
//!
//! ```
//! use std::path::Path;
//!
//! use praxis_policy::Places;
//!
//! let places = Places::new(["/home/me/project"]).with_home("/home/me");
//! assert!(places.protected(Path::new("/home/me/project/sub/.GIT/hooks/pre-commit")).is_some());
//! assert!(places.protected(Path::new("/home/me/.zshrc")).is_some());
//! assert!(places.protected(Path::new("/home/me/project/.praxis/plans/a.md")).is_none());
//! assert!(places.is_credential(Path::new("/home/me/.aws/config")));
//! ```

mod name;
mod table;

use std::path::{Component, Path, PathBuf};

pub use self::table::{Entry, Kind, credentials, guarded, in_project, protected_name, startup};

/// The folders of plans, which agents write: below the one, `*.md` files of the other.
const PLANS: [[&str; 2]; 2] = [[".praxis", "plans"], [".opencode", "plans"]];
/// What the folders are that somebody said are ours.
const OURS: &str = "which is where Praxis keeps what it knows and what it was allowed";

/// Where the tables apply: a project's folders, the home folder, and the program's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
    own: Vec<PathBuf>,
    plans: Option<PathBuf>,
}

/// A place that only a person may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// Why; completes "this would change NAME, …".
    pub why: &'static str,
}

impl Places {
    /// The places of a project with these folders.
    pub fn new(roots: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { roots: roots.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The same with a home folder.
    #[must_use]
    pub fn with_home(self, home: impl Into<PathBuf>) -> Self {
        Self { home: Some(home.into()), ..self }
    }

    /// The same with folders of the program's own, and the one among them where plans are kept.
    #[must_use]
    pub fn with_own(self, own: impl IntoIterator<Item = PathBuf>, plans: PathBuf) -> Self {
        Self { own: own.into_iter().collect(), plans: Some(plans), ..self }
    }

    /// The home folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Whether only a person may change what is there.
    pub fn protected(&self, path: &Path) -> Option<Protected> {
        if self.is_plan(path) {
            return None;
        }
        let by_name = self.named_in_project(path).or_else(|| self.starts_up(path));
        let ours = || self.own.iter().any(|folder| below(folder, path).is_some()).then_some(OURS);
        by_name.or_else(ours).map(|why| Protected { why })
    }

    /// Whether it holds what is secret: in the home folder, or kept by the program itself.
    pub fn is_credential(&self, path: &Path) -> bool {
        if self.own.iter().any(|folder| below(folder, path).is_some()) {
            return true;
        }
        let Some(below) = self.home.as_deref().and_then(|home| below(home, path)) else { return false };
        credentials().iter().any(|entry| entry.covers(&below))
    }

    /// Whether a folder holds places that are secret, or guarded by the system, so that a scan of it may come to them.
    pub fn has_secrets_below(&self, folder: &Path) -> bool {
        let Some(home) = &self.home else { return false };
        let mut below_home = credentials().iter().chain(guarded());
        below(folder, home).is_some()
            || self.own.iter().any(|own| below(folder, own).is_some())
            || below(home, folder).is_some_and(|names| below_home.any(|entry| entry.is_below(&names)))
    }

    /// The very files of the tables that are protected, by full path; what has a wildcard is left out.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.of_kind(Kind::File)
    }

    /// The same for folders.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.of_kind(Kind::Folder).chain(self.own.clone())
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = PathBuf> {
        let plain = move |entry: &&Entry| entry.kind == kind && !entry.has_wildcard();
        let of_roots = self
            .roots
            .iter()
            .flat_map(move |root| in_project().iter().filter(plain).map(|entry| root.join(entry.name)));
        let of_home = self
            .home
            .iter()
            .flat_map(move |home| startup().iter().filter(plain).map(|entry| home.join(entry.name)));
        of_roots.chain(of_home)
    }

    /// A name of a project, in any folder. Where the project itself lies decides nothing, but for what git obeys.
    fn named_in_project(&self, path: &Path) -> Option<&'static str> {
        let inside = self.roots.iter().filter_map(|root| below(root, path)).min_by_key(Vec::len);
        let whole = || names(path);
        let entry = |names: &[String]| in_project().iter().find(|entry| entry.is_among(names));
        let found = match &inside {
            Some(below) => entry(below),
            None => entry(&whole()),
        };
        let git = || in_project().iter().find(|entry| entry.name == ".git" && entry.is_among(&whole()));
        found.or_else(git).map(|entry| entry.why)
    }

    fn starts_up(&self, path: &Path) -> Option<&'static str> {
        let of_home = self.home.as_deref().and_then(|home| below(home, path));
        let whole = names(path);
        let entry = startup().iter().find(|entry| match entry.is_absolute() {
            true => entry.covers(&whole),
            false => of_home.as_ref().is_some_and(|below| entry.covers(below)),
        });
        entry.map(|entry| entry.why)
    }

    /// Plans are written by agents that may write nothing else.
    fn is_plan(&self, path: &Path) -> bool {
        let is_text = |names: &[String]| matches!(names, [name] if name.ends_with(".md"));
        let of_roots = self.roots.iter().filter_map(|root| below(root, path)).any(|below| {
            PLANS.iter().any(|folder| below.strip_prefix(&folder.map(str::to_owned)[..]).is_some_and(is_text))
        });
        of_roots
            || self
                .plans
                .as_deref()
                .and_then(|plans| below_exactly(plans, path))
                .is_some_and(|rest| is_text(&rest))
    }
}

/// Whether the system guards a place of a home folder and the scan did not begin there. For macOS; a scan passes it over.
pub fn guarded_by_the_system(home: &Path, root_of_scan: &Path, path: &Path) -> bool {
    let Some(place) = below(home, path) else { return false };
    let covers = |names: &[String]| guarded().iter().find(|entry| entry.covers(names));
    let Some(entry) = covers(&place) else { return false };
    !below(home, root_of_scan).is_some_and(|root| entry.covers(&root))
}

/// The names of a path as they are compared.
fn names(path: &Path) -> Vec<String> {
    let normal = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name::folded(&name.to_string_lossy())),
        _ => None,
    });
    normal.collect()
}

/// What stands behind a folder in a path, whatever the case.
fn below(folder: &Path, path: &Path) -> Option<Vec<String>> {
    let (folder, mut names) = (names(folder), names(path));
    if !names.starts_with(&folder) {
        return None;
    }
    Some(names.split_off(folder.len()))
}

/// The same by the very names: an exception must not be wider than what was meant.
fn below_exactly(folder: &Path, path: &Path) -> Option<Vec<String>> {
    let rest = path.strip_prefix(folder).ok()?;
    Some(rest.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect())
}

#[cfg(test)]
mod tests;
