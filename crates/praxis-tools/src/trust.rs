//! Where the answers about a project's own configuration are kept: which folder may have what it wants.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use praxis_config::{Trusted, Want};
use serde::{Deserialize, Serialize};

use crate::private::PrivateFile;

/// What was said about one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderTrust {
    /// What its configuration may have.
    #[serde(default)]
    pub trusted: Vec<Trusted>,
    /// What was refused, and is not asked about again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Trusted>,
    /// When the last answer was given, in milliseconds.
    #[serde(default)]
    pub since: u64,
}

impl FolderTrust {
    /// Whether the folder may have this.
    pub fn trusts(&self, want: &Want) -> bool {
        self.trusted.iter().any(|trusted| trusted.covers(want))
    }

    /// Whether somebody has said no to all that it wants and may not have.
    pub fn refuses(&self, wants: &[Want]) -> bool {
        let is_refused = |want: &Want| self.refused.iter().any(|refused| refused.covers(want));
        wants.iter().filter(|want| !self.trusts(want)).all(is_refused)
    }
}

/// The file with all answers. A folder goes by its real path, so that no other folder has its trust.
#[derive(Debug, Clone)]
pub struct TrustFile {
    file: PrivateFile,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    folders: BTreeMap<String, FolderTrust>,
}

impl TrustFile {
    /// The answers kept at `path`; the file need not exist yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { file: PrivateFile::at(path, "trusted folders") }
    }

    /// What was said about a folder; none if nothing was.
    pub fn get(&self, folder: &Path) -> io::Result<Option<FolderTrust>> {
        Ok(self.file.read::<Content>()?.folders.remove(&name(folder)))
    }

    /// Every folder about which something was said.
    pub fn all(&self) -> io::Result<Vec<(PathBuf, FolderTrust)>> {
        let folders = self.file.read::<Content>()?.folders;
        Ok(folders.into_iter().map(|(name, trust)| (name.into(), trust)).collect())
    }

    /// Lets a folder have this, beside what it may have already.
    pub fn trust(&self, folder: &Path, wants: &[Want], now: u64) -> io::Result<()> {
        self.answer(folder, now, |known| {
            known.refused.retain(|refused| !wants.iter().any(|want| refused.covers(want)));
            add(&mut known.trusted, wants);
        })
    }

    /// Remembers that a folder may not have this.
    pub fn refuse(&self, folder: &Path, wants: &[Want], now: u64) -> io::Result<()> {
        self.answer(folder, now, |known| {
            let new: Vec<Want> = wants.iter().filter(|want| !known.trusts(want)).cloned().collect();
            add(&mut known.refused, &new);
        })
    }

    /// Forgets everything about a folder, and says what that was.
    pub fn forget(&self, folder: &Path) -> io::Result<Option<FolderTrust>> {
        if self.get(folder)?.is_none() {
            return Ok(None);
        }
        self.file.change(|content: &mut Content| content.folders.remove(&name(folder)))
    }

    fn answer(&self, folder: &Path, now: u64, change: impl FnOnce(&mut FolderTrust)) -> io::Result<()> {
        self.file.change(|content: &mut Content| {
            let known = content.folders.entry(name(folder)).or_default();
            change(known);
            known.since = now;
        })
    }
}

fn add(known: &mut Vec<Trusted>, wants: &[Want]) {
    for want in wants {
        if !known.iter().any(|trusted| trusted.covers(want)) {
            known.push(want.into());
        }
    }
}

fn name(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    // Two names that are not text must not become one.
    real.to_str().map_or_else(|| format!("{real:?}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use praxis_config::WantKind;
    use praxis_proto::Origin;

    use super::*;

    fn want(hash: &str) -> Want {
        Want {
            kind: WantKind::Allow,
            text: format!("bash `{hash}`"),
            origin: Origin::Session,
            hash: hash.to_owned(),
            except: Default::default(),
        }
    }

    #[test]
    fn answers_stay_with_their_folder_and_add_up() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("data/trust.json");
        let file = TrustFile::at(&path);
        let (one, two) = (Path::new("/one"), Path::new("/two"));
        file.trust(one, &[want("a")], 1).unwrap();
        file.refuse(one, &[want("a"), want("b")], 2).unwrap();
        file.trust(one, &[want("c"), want("a")], 3).unwrap();

        let known = file.get(one).unwrap().unwrap();
        assert!(known.trusts(&want("a")) && known.trusts(&want("c")) && !known.trusts(&want("b")));
        assert!(known.refuses(&[want("a"), want("b")]) && !known.refuses(&[want("d")]));
        assert_eq!((known.trusted.len(), known.refused.len(), known.since), (2, 1, 3));
        assert_eq!(file.get(two).unwrap(), None);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);

        file.trust(one, &[want("b")], 4).unwrap();
        assert_eq!(file.get(one).unwrap().unwrap().refused, []);
        assert_eq!(file.forget(one).unwrap().unwrap().trusted.len(), 3);
        assert_eq!((file.forget(one).unwrap(), file.all().unwrap()), (None, Vec::new()));
    }

    #[test]
    fn a_damaged_file_is_an_error_and_no_trust() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("trust.json");
        for text in ["{ not json", "{}", r#"{"folders": {"/one": {"trusted": [{"hash": 1}]}}}"#, ""] {
            std::fs::write(&path, text).unwrap();
            let told = TrustFile::at(&path).get(Path::new("/one")).unwrap_err().to_string();
            assert!(told.contains("trust.json is damaged") && told.contains("move it away"), "{told}");
            assert!(TrustFile::at(&path).trust(Path::new("/one"), &[want("a")], 1).is_err());
        }
        // What another version adds is passed over.
        std::fs::write(&path, r#"{"folders": {"/one": {"trusted": [], "more": 1}}, "version": 2}"#).unwrap();
        assert_eq!(TrustFile::at(&path).get(Path::new("/one")).unwrap().unwrap().trusted, []);
    }
}
