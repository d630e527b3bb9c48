//! The proof that an act was allowed, and the standing permission a user gave.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::wildcard;

/// What a grant lets its holder do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Read this file or folder, a resolved path.
    Read(PathBuf),
    /// Replace or create these files, resolved paths.
    Write(Vec<PathBuf>),
    /// Exchange messages with this URL.
    Fetch(String),
    /// Run exactly this script in this folder.
    Run {
        /// The script.
        command: String,
        /// The folder, a resolved path.
        cwd: PathBuf,
    },
    /// An act without an effect of ours: the permission itself is what counts.
    Custom,
}

/// Proof that one act on named resources was allowed. Only a [`Desk`](crate::Desk) makes one.
#[must_use = "a grant is of no use unless an effect takes it"]
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    act: Act,
    _made_by_the_desk: (),
}

impl Grant {
    pub(crate) fn new(act: Act) -> Self {
        Self { act, _made_by_the_desk: () }
    }

    /// The file that may be read.
    pub fn readable(&self) -> Option<&Path> {
        match &self.act {
            Act::Read(path) => Some(path),
            Act::Write(_) | Act::Fetch(_) | Act::Run { .. } | Act::Custom => None,
        }
    }

    /// The files that may be written.
    pub fn writable(&self) -> &[PathBuf] {
        match &self.act {
            Act::Write(paths) => paths,
            Act::Read(_) | Act::Fetch(_) | Act::Run { .. } | Act::Custom => &[],
        }
    }

    /// The URL that may be opened.
    pub fn url(&self) -> Option<&str> {
        match &self.act {
            Act::Fetch(url) => Some(url),
            Act::Read(_) | Act::Write(_) | Act::Run { .. } | Act::Custom => None,
        }
    }

    /// The script that may be run, and the folder to run it in.
    pub fn runnable(&self) -> Option<(&str, &Path)> {
        match &self.act {
            Act::Run { command, cwd } => Some((command, cwd)),
            Act::Read(_) | Act::Write(_) | Act::Fetch(_) | Act::Custom => None,
        }
    }
}

/// An "always" that the user gave: turns `ask` into `allow` for its pattern in its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredGrant {
    /// Which permission, literally.
    pub permission: String,
    /// Which resources, a wildcard.
    pub pattern: String,
    /// When it was given, in milliseconds since the Unix epoch.
    pub created: u64,
}

impl StoredGrant {
    /// A grant given at `created`.
    pub fn new(permission: impl Into<String>, pattern: impl Into<String>, created: u64) -> Self {
        Self { permission: permission.into(), pattern: pattern.into(), created }
    }

    /// Whether it speaks of this act.
    pub fn allows(&self, permission: &str, pattern: &str) -> bool {
        wildcard::matches(permission, &self.permission) && wildcard::matches(pattern, &self.pattern)
    }

    /// Whether two grants say the same, whenever they were given.
    pub fn same_as(&self, other: &Self) -> bool {
        self.permission == other.permission && self.pattern == other.pattern
    }
}
