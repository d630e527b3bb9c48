//! Whose word a piece of configuration is.

use std::path::{Path, PathBuf};

/// Whose word a piece of configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user's: global files, a file they named, the environment.
    User,
    /// Whoever looks after the machine. Nobody loosens what they say.
    Managed,
    /// The project's, which somebody else may have written: it counts whole only where the folder is trusted.
    Project,
}

/// The project, to tell what lies in it.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    root: PathBuf,
    real: PathBuf,
}

impl Ground {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), real: root.canonicalize().unwrap_or_else(|_| root.to_owned()) }
    }

    /// The project's root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a file of the user's lies in the project, by its name or by what its name leads to. Then whoever writes
    /// in the project writes it, and it is no word of the user's any more.
    pub(crate) fn touches(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || real(path).starts_with(&self.real)
    }

    /// Whether a file really is in the project, links followed.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        real(path).starts_with(&self.real)
    }

    /// The path from the project's root, to show and to remember it by.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&self.real)).unwrap_or(path)
    }
}

/// The path with links followed. Of what does not exist, what is there of it is followed.
pub(crate) fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = at.canonicalize() {
            return missing.into_iter().rev().fold(real, |real, name| match name {
                std::path::Component::ParentDir => {
                    real.parent().map_or_else(|| real.clone(), Path::to_path_buf)
                }
                other => real.join(other),
            });
        }
        let (Some(parent), Some(name)) = (at.parent(), at.components().next_back()) else {
            return path.to_owned();
        };
        missing.push(name);
        at = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_decide_what_is_in_the_project() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().canonicalize().unwrap().join(name);
        std::fs::create_dir_all(at("project/sub")).unwrap();
        std::fs::create_dir_all(at("home")).unwrap();
        std::fs::write(at("home/own.json"), "").unwrap();
        std::fs::write(at("project/sub/theirs.json"), "").unwrap();
        std::os::unix::fs::symlink(at("home/own.json"), at("project/out.json")).unwrap();
        std::os::unix::fs::symlink(at("project/sub"), at("home/in")).unwrap();
        let ground = Ground::new(&at("project"));

        assert!(ground.holds(&at("project/sub/theirs.json")) && ground.holds(&at("home/in/theirs.json")));
        assert!(!ground.holds(&at("project/out.json")) && !ground.holds(&at("home/own.json")));
        assert!(!ground.holds(&at("project/sub/../../home/new")) && ground.holds(&at("project/new/file")));
        assert!(ground.touches(&at("project/out.json")) && ground.touches(&at("home/in/theirs.json")));
        assert!(!ground.touches(&at("home/own.json")) && !ground.touches(&at("projector")));
        assert_eq!(ground.relative(&at("project/sub/x")), Path::new("sub/x"));
    }
}
