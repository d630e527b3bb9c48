//! The file itself.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fd_lock::RwLock;
use praxis_os::{RealPath, make_private_dir};
use serde_json::{Map, Value, json};

use super::{AuthError, failed, key, parse};
use crate::Secret;

/// Beside a key: when it was stored, in milliseconds.
pub(super) const ADDED: &str = "added";
/// The most that is read of an auth file.
const MOST_BYTES: u64 = 4 << 20;

/// An auth file, which need not exist yet.
#[derive(Debug, Clone)]
pub struct AuthFile {
    path: PathBuf,
}

impl AuthFile {
    /// The file at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Stores a key; an earlier credential of that provider goes.
    pub fn store(&self, provider: &str, secret: &Secret, now: u64) -> Result<(), AuthError> {
        self.change(|entries| {
            entries.retain(|known, _| key(known) != key(provider));
            let metadata = json!({ ADDED: now.to_string() });
            let entry = json!({ "type": "api", "key": secret.expose(), "metadata": metadata });
            entries.insert(key(provider).to_owned(), entry);
        })
    }

    /// Removes the credential of a provider; says whether there was one.
    pub fn remove(&self, provider: &str) -> Result<bool, AuthError> {
        if !self.read()?.keys().any(|known| key(known) == key(provider)) {
            return Ok(false);
        }
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|known, _| key(known) != key(provider));
            entries.len() < before
        })
    }

    pub(super) fn read(&self) -> Result<Map<String, Value>, AuthError> {
        let path = &self.path;
        match path.metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(e) => return Err(failed("read", path)(e)),
            Ok(found) if found.len() > MOST_BYTES => {
                return Err(failed("read", path)(io::Error::other("it is too large for an auth file")));
            }
            Ok(_) => {}
        }
        let bytes = std::fs::read(path).map_err(failed("read", path))?;
        parse(&bytes, &path.display().to_string())
    }

    /// Reads, changes and replaces the content while no other process does.
    fn change<T>(&self, change: impl FnOnce(&mut Map<String, Value>) -> T) -> Result<T, AuthError> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        make_private_dir(folder).map_err(failed("make the folder", folder))?;
        let lock = self.path.with_extension("lock");
        let mut lock = RwLock::new(private(&lock).map_err(failed("lock", &lock))?);
        let _held = lock.write().map_err(failed("lock", &self.path))?;
        let mut entries = self.read()?;
        let outcome = change(&mut entries);
        self.replace(folder, &entries).map_err(failed("write", &self.path))?;
        Ok(outcome)
    }

    /// The new file is private from its first byte on, whatever the old one was.
    fn replace(&self, folder: &Path, entries: &Map<String, Value>) -> io::Result<()> {
        // A link, as people have in folders they synchronise, stays one.
        let real = RealPath::resolve(folder, &self.path)?;
        let mut file = tempfile::Builder::new()
            .prefix(".auth-")
            .permissions(Permissions::from_mode(0o600))
            .tempfile_in(real.parent())?;
        serde_json::to_writer_pretty(&mut file, entries)?;
        file.flush()?;
        file.as_file().sync_data()?;
        file.persist(real.as_path())?;
        Ok(())
    }
}

fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(key: &str) -> Secret {
        Secret::new(key).unwrap()
    }

    #[test]
    fn a_key_is_stored_privately_and_leaves_the_rest_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("data/auth.json");
        let file = AuthFile::at(&path);
        file.store("openai", &secret("one"), 7).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));

        std::fs::write(&path, r#"{"openai/":{"type":"api","key":"old"},"x":{"type":"new","thing":[1]}}"#)
            .unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        file.store("openai", &secret("two"), 8).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(
            Value::Object(file.read().unwrap()),
            json!({"x": {"type": "new", "thing": [1]}, "openai": {"type": "api", "key": "two", "metadata": {"added": "8"}}})
        );
        assert!(file.remove("openai").unwrap());
        assert!(!file.remove("openai").unwrap());
        assert_eq!(file.read().unwrap().keys().collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn removing_where_nothing_is_stored_makes_no_file() {
        let temp = tempfile::tempdir().unwrap();
        assert!(!AuthFile::at(temp.path().join("data/auth.json")).remove("openai").unwrap());
        assert!(!temp.path().join("data").exists());
    }

    #[test]
    fn a_link_stays_a_link() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link) = (temp.path().join("real.json"), temp.path().join("auth.json"));
        std::fs::write(&real, "{}").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        AuthFile::at(&link).store("a", &secret("k"), 1).unwrap();
        assert!(link.is_symlink());
        assert!(std::fs::read_to_string(&real).unwrap().contains("\"k\""));
    }

    #[test]
    fn many_writers_lose_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let file = AuthFile::at(temp.path().join("auth.json"));
        std::thread::scope(|scope| {
            for n in 0..8 {
                let file = file.clone();
                scope.spawn(move || file.store(&format!("p{n}"), &secret("k"), 1).unwrap());
            }
        });
        assert_eq!(file.read().unwrap().len(), 8);
    }
}
