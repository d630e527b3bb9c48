//! The machine around the program, as a value: directories, environment variables, the user's name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder our files live in, below each base directory.
const APP: &str = "praxis";
/// The folder whose configuration is read as well.
const RELATIVE: &str = "opencode";

/// Everything the configuration takes from the machine; made once, at the program's edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The user's home directory.
    pub home: PathBuf,
    /// The base directories of the XDG convention.
    pub dirs: Dirs,
    /// Directories whose configuration comes last and cannot be overridden, the strongest last.
    pub managed: Vec<PathBuf>,
    /// The environment variables.
    pub variables: BTreeMap<String, String>,
    /// The user's name, for `username` where it is not configured.
    pub username: String,
}

/// Where files of each kind live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    cache: PathBuf,
}

impl Dirs {
    /// The directory of our configuration.
    pub fn config(&self) -> PathBuf {
        self.config.join(APP)
    }

    /// The directory of data worth keeping, such as sessions.
    pub fn data(&self) -> PathBuf {
        self.data.join(APP)
    }

    /// The directory in which OpenCode keeps its data, to read what the user stored there.
    pub fn relative_data(&self) -> PathBuf {
        self.data.join(RELATIVE)
    }

    /// The directory of state, such as grants and logs.
    pub fn state(&self) -> PathBuf {
        self.state.join(APP)
    }

    /// The directory of what can be made again.
    pub fn cache(&self) -> PathBuf {
        self.cache.join(APP)
    }

    /// The files that hold keys, ours and those we read along.
    pub fn secrets(&self) -> Vec<PathBuf> {
        [APP, RELATIVE].map(|app| self.data.join(app).join("auth.json")).to_vec()
    }

    /// The directories global configuration is read from, the stronger last.
    pub fn global(&self) -> [PathBuf; 2] {
        [self.config.join(RELATIVE), self.config.join(APP)]
    }
}

impl Surroundings {
    /// Works out directories and user from environment variables.
    ///
    /// `PRAXIS_MANAGED_DIR` adds a managed directory, for tests and for systems that keep machine-wide
    /// configuration elsewhere. It takes none away: a variable must not lift a policy.
    pub fn from_env(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let variables: BTreeMap<String, String> = variables.into_iter().collect();
        let get = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        let home = PathBuf::from(get("HOME").or_else(|| get("USERPROFILE")).map_or("/", String::as_str));
        // The convention says that a relative value is to be ignored.
        let base = |name: &str, fallback: &str| {
            get(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| home.join(fallback))
        };
        let dirs = Dirs {
            config: base("XDG_CONFIG_HOME", ".config"),
            data: base("XDG_DATA_HOME", ".local/share"),
            state: base("XDG_STATE_HOME", ".local/state"),
            cache: base("XDG_CACHE_HOME", ".cache"),
        };
        let mut managed = [RELATIVE, APP].map(|app| Path::new("/etc").join(app)).to_vec();
        managed.extend(get("PRAXIS_MANAGED_DIR").map(PathBuf::from));
        let username = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(get).cloned();
        Self { dirs, managed, username: username.unwrap_or_else(|| "user".to_owned()), home, variables }
    }

    /// The value of `PRAXIS_<name>`, or else of `OPENCODE_<name>`; an empty value counts as absent.
    pub fn flag(&self, name: &str) -> Option<&str> {
        self.flag_entry(name).map(|(_, value)| value)
    }

    /// Like [`Surroundings::flag`], with the variable's full name.
    pub fn flag_entry(&self, name: &str) -> Option<(&str, &str)> {
        ["PRAXIS", "OPENCODE"].into_iter().find_map(|prefix| {
            let (key, value) = self.variables.get_key_value(&format!("{prefix}_{name}"))?;
            (!value.is_empty()).then_some((key.as_str(), value.as_str()))
        })
    }

    /// Whether a flag is switched on, with `1` or `true`.
    pub fn is_on(&self, name: &str) -> bool {
        self.flag(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    /// A path as people write it: `~/` is the home directory, the rest is relative to `base`.
    pub(crate) fn resolve(&self, path: &str, base: &Path) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None if path == "~" => self.home.clone(),
            None => base.join(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Surroundings {
        Surroundings::from_env(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
    }

    #[test]
    fn directories_follow_the_convention() {
        let plain = with(&[("HOME", "/home/ada"), ("USER", "ada")]);
        assert_eq!(plain.dirs.config(), Path::new("/home/ada/.config/praxis"));
        assert_eq!(plain.dirs.data(), Path::new("/home/ada/.local/share/praxis"));
        assert_eq!(plain.dirs.state(), Path::new("/home/ada/.local/state/praxis"));
        assert_eq!(plain.dirs.cache(), Path::new("/home/ada/.cache/praxis"));
        assert_eq!(plain.managed, [Path::new("/etc/opencode"), Path::new("/etc/praxis")]);
        assert_eq!(plain.username, "ada");

        let moved = with(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "relative")]);
        assert_eq!(moved.dirs.global(), [PathBuf::from("/c/opencode"), PathBuf::from("/c/praxis")]);
        assert_eq!(moved.dirs.data(), Path::new("/h/.local/share/praxis"));
    }

    #[test]
    fn our_spelling_of_a_flag_wins_and_an_empty_one_is_absent() {
        let both = with(&[("PRAXIS_CONFIG", "ours"), ("OPENCODE_CONFIG", "theirs")]);
        assert_eq!(both.flag_entry("CONFIG"), Some(("PRAXIS_CONFIG", "ours")));
        let empty = with(&[("PRAXIS_CONFIG", ""), ("OPENCODE_CONFIG", "theirs")]);
        assert_eq!(empty.flag("CONFIG"), Some("theirs"));
        assert!(with(&[("OPENCODE_PURE", "TRUE")]).is_on("PURE"));
        assert!(!with(&[("OPENCODE_PURE", "no")]).is_on("PURE"));
    }

    #[test]
    fn a_managed_directory_can_be_added_and_none_removed() {
        assert_eq!(
            with(&[("PRAXIS_MANAGED_DIR", "/opt/policy")]).managed,
            [Path::new("/etc/opencode"), Path::new("/etc/praxis"), Path::new("/opt/policy")]
        );
    }
}
