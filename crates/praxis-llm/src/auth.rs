//! Stored credentials: `auth.json` in the data directory, in OpenCode's shape, private, locked while it changes and
//! replaced whole. What OpenCode stored itself is read too, and never written.

mod credential;
mod file;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use praxis_config::Surroundings;
use serde_json::{Map, Value};

pub use credential::Credential;
pub use file::AuthFile;

/// The name of the file, in our data directory and in OpenCode's.
const FILE: &str = "auth.json";
/// What a mode grants to everybody but the owner.
const OTHERS: u32 = 0o077;

/// Why stored credentials cannot be used. Never holds one.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// What is stored is no JSON object.
    #[error("{place} is damaged: {problem}; mend it, or take it away and log in again")]
    Damaged {
        /// The file or the variable.
        place: String,
        /// Where in it, without its content.
        problem: String,
    },
    /// The system said no.
    #[error("could not {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Where a credential was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A variable that holds the whole content of an auth file.
    Variable(String),
    /// Our file.
    Ours(PathBuf),
    /// OpenCode's file.
    OpenCodes(PathBuf),
}

impl Place {
    fn shown(&self) -> String {
        match self {
            Self::Variable(name) => format!("${name}"),
            Self::Ours(path) | Self::OpenCodes(path) => path.display().to_string(),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

/// All stored credentials, ours before OpenCode's. `Debug` shows whose, never which.
#[derive(Default)]
pub struct Auth {
    entries: IndexMap<String, (Value, Place)>,
    warnings: Vec<String>,
}

impl Auth {
    /// Reads what is stored. `PRAXIS_AUTH_CONTENT` takes the place of both files.
    ///
    /// A damaged file of ours is an error; one of OpenCode's is a warning.
    pub fn open(surroundings: &Surroundings) -> Result<Self, AuthError> {
        let mut auth = Self::default();
        if let Some((name, content)) = surroundings.flag_entry("AUTH_CONTENT") {
            let place = Place::Variable(name.to_owned());
            auth.add(parse(content.as_bytes(), &place.shown())?, &place);
            return Ok(auth);
        }
        let ours = path(surroundings);
        let entries = AuthFile::at(&ours).read()?;
        if !entries.is_empty() && ours.metadata().is_ok_and(|found| found.permissions().mode() & OTHERS != 0)
        {
            let shown = ours.display();
            auth.warnings
                .push(format!("{shown} holds keys and can be read by others; run `chmod 600 {shown}`"));
        }
        auth.add(entries, &Place::Ours(ours));
        let theirs = surroundings.dirs.relative_data().join(FILE);
        match AuthFile::at(&theirs).read() {
            Ok(entries) => auth.add(entries, &Place::OpenCodes(theirs)),
            Err(e) => auth.warnings.push(format!("{e} (it is OpenCode's and was passed over)")),
        }
        Ok(auth)
    }

    fn add(&mut self, entries: Map<String, Value>, place: &Place) {
        for (name, value) in entries {
            self.entries.entry(key(&name).to_owned()).or_insert_with(|| (value, place.clone()));
        }
    }

    /// The credential of a provider, as it is stored, and where.
    pub fn get(&self, provider: &str) -> Option<(Credential<'_>, &Place)> {
        let (value, place) = self.entries.get(key(provider))?;
        Some((Credential(value), place))
    }

    /// All of them, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Credential<'_>, &Place)> {
        self.entries.iter().map(|(name, (value, place))| (name.as_str(), Credential(value), place))
    }

    /// What looks wrong and does not matter enough to stop.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, credential, _)| (name, credential))).finish()
    }
}

/// Where our credentials are stored.
pub fn path(surroundings: &Surroundings) -> PathBuf {
    surroundings.dirs.data().join(FILE)
}

/// A name may be an address, with or without slashes at its end.
fn key(name: &str) -> &str {
    name.trim_end_matches('/')
}

/// Says where damage is, never what is there.
fn parse(bytes: &[u8], place: &str) -> Result<Map<String, Value>, AuthError> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(bytes).map_err(|e| AuthError::Damaged {
        place: place.to_owned(),
        problem: format!("line {}, column {}", e.line(), e.column()),
    })
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> AuthError + use<'a> {
    move |source| AuthError::File { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;

    fn surroundings(home: &Path, more: &[(&str, &str)]) -> Surroundings {
        let home = home.display().to_string();
        let variables = [("HOME", home.as_str())].into_iter().chain(more.iter().copied());
        Surroundings::from_env(variables.map(|(k, v)| (k.to_owned(), v.to_owned())))
    }

    fn keys(auth: &Auth) -> Vec<(&str, String)> {
        let key = |credential: Credential<'_>| credential.key().unwrap().unwrap().expose().to_owned();
        auth.iter().map(|(name, credential, _)| (name, key(credential))).collect()
    }

    #[test]
    fn ours_wins_over_opencodes_and_a_variable_over_both() {
        let temp = tempfile::tempdir().unwrap();
        let plain = surroundings(temp.path(), &[]);
        let theirs = temp.path().join(".local/share/opencode/auth.json");
        std::fs::create_dir_all(theirs.parent().unwrap()).unwrap();
        std::fs::write(
            &theirs,
            r#"{"openai":{"type":"api","key":"theirs"},"groq":{"type":"api","key":"g"}}"#,
        )
        .unwrap();
        AuthFile::at(path(&plain)).store("openai", &Secret::new("ours").unwrap(), 5).unwrap();

        let auth = Auth::open(&plain).unwrap();
        assert_eq!(keys(&auth), [("openai", "ours".to_owned()), ("groq", "g".to_owned())]);
        assert_eq!(auth.get("groq").unwrap().1, &Place::OpenCodes(theirs.clone()));
        assert!(!format!("{:?}", auth.get("openai").unwrap().0).contains("ours"));

        let content = r#"{"https://x.dev/":{"type":"api","key":"v"}}"#;
        let auth = Auth::open(&surroundings(temp.path(), &[("OPENCODE_AUTH_CONTENT", content)])).unwrap();
        assert_eq!(keys(&auth), [("https://x.dev", "v".to_owned())]);
        assert!(auth.get("https://x.dev//").is_some());

        assert_eq!(format!("{auth:?}"), r#"{"https://x.dev": Credential(api)}"#);

        std::fs::write(&theirs, r#"{"openai":"s3cret"#).unwrap();
        let auth = Auth::open(&plain).unwrap();
        assert!(auth.warnings()[0].contains("opencode/auth.json is damaged"), "{:?}", auth.warnings());
        assert!(!auth.warnings()[0].contains("s3cret"));
    }

    #[test]
    fn a_file_that_others_can_read_is_pointed_out() {
        let temp = tempfile::tempdir().unwrap();
        let surroundings = surroundings(temp.path(), &[]);
        let ours = path(&surroundings);
        AuthFile::at(&ours).store("openai", &Secret::new("k").unwrap(), 5).unwrap();
        assert_eq!(Auth::open(&surroundings).unwrap().warnings(), [] as [String; 0]);
        std::fs::set_permissions(&ours, std::fs::Permissions::from_mode(0o640)).unwrap();
        let told = Auth::open(&surroundings).unwrap().warnings()[0].clone();
        assert!(told.contains("can be read by others; run `chmod 600 "), "{told}");
    }

    #[test]
    fn a_damaged_file_of_ours_is_an_error_that_repeats_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let surroundings = surroundings(temp.path(), &[]);
        let ours = path(&surroundings);
        std::fs::create_dir_all(ours.parent().unwrap()).unwrap();
        std::fs::write(&ours, r#"{"openai": {"key": "s3cret" oops"#).unwrap();
        let told = Auth::open(&surroundings).unwrap_err().to_string();
        assert!(told.contains("praxis/auth.json is damaged: line 1, column"), "{told}");
        assert!(!told.contains("s3cret"));
    }
}
