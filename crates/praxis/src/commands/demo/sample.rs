//! The sample project: written to a temporary folder, with a home and a store of its own, and gone at the end.

use std::io;
use std::path::PathBuf;

use praxis_config::Surroundings;
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("sample/README.md")),
    ("almanac.sh", include_str!("sample/almanac.sh")),
    ("lib/year.sh", include_str!("sample/lib/year.sh")),
    ("praxis.jsonc", include_str!("sample/praxis.jsonc")),
    ("test.sh", include_str!("sample/test.sh")),
];

/// The project on disk.
pub(super) struct Sample {
    root: PathBuf,
    /// Takes everything away when it goes.
    _folder: TempDir,
}

impl Sample {
    pub(super) fn make() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("praxis-demo-").tempdir()?;
        let sample = Self { root: folder.path().canonicalize()?, _folder: folder };
        let project = sample.project();
        // The folder is a worktree of its own: whatever lies above it must not configure the demo.
        for folder in [sample.home(), project.join("lib"), project.join(".git")] {
            std::fs::create_dir_all(folder)?;
        }
        for (name, content) in FILES {
            std::fs::write(project.join(name), content)?;
        }
        Ok(sample)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("almanac")
    }

    pub(super) fn store(&self) -> PathBuf {
        self.root.join("praxis.db")
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// This machine with another home: programs are found, and nothing of the user's is.
    pub(super) fn surroundings(&self) -> Surroundings {
        let path = std::env::var("PATH").unwrap_or_default();
        let home = self.home().display().to_string();
        Surroundings::from_env([("HOME".to_owned(), home), ("PATH".to_owned(), path)])
    }
}
