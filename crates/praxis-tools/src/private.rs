//! A file of ours that only the user reads: locked while it changes, replaced whole, never half believed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fd_lock::RwLock;
use praxis_os::{Existing, RealPath, make_private_dir};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most that is read of such a file.
const MOST_BYTES: u64 = 64 << 20;

/// A private JSON file, which need not exist yet.
#[derive(Debug, Clone)]
pub(crate) struct PrivateFile {
    path: PathBuf,
    /// What it is without its content, for the advice where it is damaged: "grants".
    of: &'static str,
}

impl PrivateFile {
    pub(crate) fn at(path: impl Into<PathBuf>, of: &'static str) -> Self {
        Self { path: path.into(), of }
    }

    /// The content; a file that is not there holds nothing, and one that is damaged is an error.
    pub(crate) fn read<T: DeserializeOwned + Default>(&self) -> io::Result<T> {
        let told = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", self.path.display()));
        let mut text = Vec::new();
        match File::open(&self.path) {
            Ok(file) => file.take(MOST_BYTES).read_to_end(&mut text).map_err(told)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
            Err(e) => return Err(told(e)),
        };
        serde_json::from_slice(&text).map_err(|e| {
            let (path, of) = (self.path.display(), self.of);
            let advice = format!("{path} is damaged ({e}); move it away to start without {of}");
            io::Error::new(io::ErrorKind::InvalidData, advice)
        })
    }

    /// Reads, changes and replaces the content while no other process does.
    pub(crate) fn change<T: Serialize + DeserializeOwned + Default, R>(
        &self,
        change: impl FnOnce(&mut T) -> R,
    ) -> io::Result<R> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        make_private_dir(folder)?;
        let mut lock = RwLock::new(private(&self.path.with_extension("lock"))?);
        let _held = lock.write()?;
        let mut content = self.read()?;
        let outcome = change(&mut content);
        if !self.path.exists() {
            private(&self.path)?;
        }
        let text = serde_json::to_vec_pretty(&content).map_err(io::Error::other)?;
        praxis_os::write(&RealPath::resolve(folder, &self.path)?, &text, Existing::Replace)
            .map_err(io::Error::other)?;
        Ok(outcome)
    }
}

fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}
