//! Where an "always" is kept: one file for all projects, private, locked while it changes, replaced whole.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use praxis_policy::StoredGrant;
use serde::{Deserialize, Serialize};

use crate::private::PrivateFile;

/// Keeps the grants of one project.
pub trait GrantStore: Send + Sync {
    /// What was granted so far.
    fn load(&self) -> io::Result<Vec<StoredGrant>>;

    /// Adds grants; what is there already is not repeated.
    fn add(&self, grants: &[StoredGrant]) -> io::Result<()>;
}

/// Forgets everything: for tests and for runs that must leave no trace.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoGrants;

impl GrantStore for NoGrants {
    fn load(&self) -> io::Result<Vec<StoredGrant>> {
        Ok(Vec::new())
    }

    fn add(&self, _: &[StoredGrant]) -> io::Result<()> {
        Ok(())
    }
}

/// The grant file of a machine's user.
#[derive(Debug, Clone)]
pub struct GrantFile {
    file: PrivateFile,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    projects: BTreeMap<String, Vec<StoredGrant>>,
}

impl GrantFile {
    /// The grants kept at `path`; the file need not exist yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { file: PrivateFile::at(path, "grants") }
    }

    /// The part of it that belongs to a project.
    pub fn project(&self, root: &Path) -> ProjectGrants {
        ProjectGrants { file: self.clone(), project: root.to_string_lossy().into_owned() }
    }

    /// All projects that have grants.
    pub fn projects(&self) -> io::Result<Vec<(String, Vec<StoredGrant>)>> {
        Ok(self.file.read::<Content>()?.projects.into_iter().collect())
    }
}

/// One project's part of the grant file.
#[derive(Debug, Clone)]
pub struct ProjectGrants {
    file: GrantFile,
    project: String,
}

impl ProjectGrants {
    /// Takes grants back: all that match both filters; `None` matches everything. Returns those that went.
    pub fn revoke(&self, permission: Option<&str>, pattern: Option<&str>) -> io::Result<Vec<StoredGrant>> {
        self.file.file.change(|content: &mut Content| {
            let Some(grants) = content.projects.get_mut(&self.project) else { return Vec::new() };
            let meant = |grant: &StoredGrant| {
                permission.is_none_or(|wanted| grant.permission == wanted)
                    && pattern.is_none_or(|wanted| grant.pattern == wanted)
            };
            let (gone, kept) = std::mem::take(grants).into_iter().partition(meant);
            *grants = kept;
            content.projects.retain(|_, grants| !grants.is_empty());
            gone
        })
    }
}

impl GrantStore for ProjectGrants {
    fn load(&self) -> io::Result<Vec<StoredGrant>> {
        Ok(self.file.file.read::<Content>()?.projects.remove(&self.project).unwrap_or_default())
    }

    fn add(&self, grants: &[StoredGrant]) -> io::Result<()> {
        self.file.file.change(|content: &mut Content| {
            let known = content.projects.entry(self.project.clone()).or_default();
            for grant in grants {
                if !known.iter().any(|old| old.same_as(grant)) {
                    known.push(grant.clone());
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn grants_stay_with_their_project_and_can_be_taken_back() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("data/grants.json");
        let file = GrantFile::at(&path);
        let (one, two) = (file.project(Path::new("/one")), file.project(Path::new("/two")));
        let grant = |permission: &str, pattern: &str| StoredGrant::new(permission, pattern, 1);
        one.add(&[grant("edit", "*"), grant("bash", "git *")]).unwrap();
        one.add(&[StoredGrant::new("edit", "*", 99)]).unwrap();

        assert_eq!(one.load().unwrap(), [grant("edit", "*"), grant("bash", "git *")]);
        assert_eq!(two.load().unwrap(), []);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);

        assert_eq!(one.revoke(Some("bash"), None).unwrap(), [grant("bash", "git *")]);
        assert_eq!(one.revoke(Some("bash"), None).unwrap(), []);
        assert_eq!(one.load().unwrap(), [grant("edit", "*")]);
    }

    #[test]
    fn a_damaged_file_grants_nothing_and_says_what_to_do() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("grants.json");
        std::fs::write(&path, "{ not json").unwrap();
        let told = GrantFile::at(&path).project(Path::new("/p")).load().unwrap_err().to_string();
        assert!(told.contains("grants.json is damaged") && told.contains("move it away"), "{told}");
    }

    #[test]
    fn many_writers_lose_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let file = GrantFile::at(temp.path().join("grants.json"));
        std::thread::scope(|scope| {
            for n in 0..8 {
                let store = file.project(Path::new("/p"));
                scope.spawn(move || store.add(&[StoredGrant::new("edit", format!("{n}"), 0)]).unwrap());
            }
        });
        assert_eq!(file.project(Path::new("/p")).load().unwrap().len(), 8);
    }
}
