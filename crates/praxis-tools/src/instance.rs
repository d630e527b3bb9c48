//! One opened project: where the agent works, and what counts as inside.

use std::io;
use std::path::{Path, PathBuf};

use praxis_os::RealPath;
use praxis_policy::Places;

/// The directory the agent was started in and the worktree around it, both real paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    directory: PathBuf,
    worktree: Option<PathBuf>,
    places: Places,
}

impl Instance {
    /// Resolves both paths. Without git there is no worktree.
    pub fn open(directory: &Path, worktree: Option<&Path>) -> io::Result<Self> {
        let directory = directory.canonicalize()?;
        let worktree = worktree.map(Path::canonicalize).transpose()?;
        let places = Places::new(worktree.iter().chain([&directory]));
        Ok(Self { directory, worktree, places })
    }

    /// The same with a home folder, and with the program's own folders, the one of plans among them. All of them are
    /// resolved as far as they are there.
    #[must_use]
    pub fn with_home(self, home: &Path, own: &[PathBuf], plans: &Path) -> Self {
        let real = |path: &Path| {
            RealPath::resolve(Path::new("/"), path)
                .map_or_else(|_| path.to_owned(), |real| real.as_path().to_owned())
        };
        let own = own.iter().map(|folder| real(folder));
        let places = self.places.with_home(real(home)).with_own(own, real(plans));
        Self { places, ..self }
    }

    /// What is protected, secret or guarded.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Where relative paths start.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The root that titles and rules are relative to: the worktree, or the directory where there is no git.
    pub fn root(&self) -> &Path {
        self.worktree.as_deref().unwrap_or(&self.directory)
    }

    /// Resolves a path a model gave.
    pub fn resolve(&self, given: &str) -> io::Result<RealPath> {
        RealPath::resolve(&self.directory, given)
    }

    /// Whether a real path belongs to the project. What is secret in the home folder never does, also where that is the
    /// project.
    pub fn contains(&self, path: &RealPath) -> bool {
        let inside = path.is_inside(&self.directory)
            || self.worktree.as_deref().is_some_and(|root| path.is_inside(root));
        inside && !self.is_secret(path.as_path(), self.root())
    }

    /// Whether a path is secret, unless the folder that somebody works in or looks through is so itself.
    pub fn is_secret(&self, path: &Path, within: &Path) -> bool {
        self.places.is_credential(path) && !self.places.is_credential(within)
    }

    /// The name of a file in rules and titles: relative to the root inside it, absolute outside. `/` everywhere.
    pub fn name_of(&self, path: &RealPath) -> String {
        let name = path.as_path().strip_prefix(self.root()).unwrap_or(path.as_path());
        name.to_string_lossy().replace('\\', "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_inside_and_absolute_outside() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("repo/sub")).unwrap();
        let git = Instance::open(&root.join("repo/sub"), Some(&root.join("repo"))).unwrap();
        let name = |instance: &Instance, given: &str| instance.name_of(&instance.resolve(given).unwrap());
        assert_eq!(name(&git, "a.rs"), "sub/a.rs");
        assert_eq!(name(&git, "../b.rs"), "b.rs");
        assert_eq!(name(&git, "../../c.rs"), root.join("c.rs").to_string_lossy());
        assert!(git.contains(&git.resolve("../b.rs").unwrap()));
        assert!(!git.contains(&git.resolve("../../c.rs").unwrap()));

        let plain = Instance::open(&root.join("repo/sub"), None).unwrap();
        assert_eq!(name(&plain, "a.rs"), "a.rs");
        assert!(!plain.contains(&plain.resolve("../b.rs").unwrap()));
    }

    #[test]
    fn a_link_that_leaves_the_project_is_outside() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("project")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("project/up")).unwrap();
        let instance = Instance::open(&root.join("project"), None).unwrap();
        assert!(!instance.contains(&instance.resolve("up/secret").unwrap()));
    }
}
