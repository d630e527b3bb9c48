//! A machine in a temporary directory: `home`, `etc` and a `project` whose working directory is `project/app`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use praxis_config::{ConfigError, Loaded, Request, Surroundings, Trust, load};
use tempfile::TempDir;

pub(crate) struct Lab {
    root: TempDir,
    variables: BTreeMap<String, String>,
    extra: Option<PathBuf>,
    trust: Trust,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for directory in ["home", "etc", "project/.git", "project/app"] {
            std::fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        let at = |name: &str| root.path().join(name).display().to_string();
        let variables = [("HOME", at("home")), ("PRAXIS_MANAGED_DIR", at("etc")), ("USER", "ada".to_owned())];
        Self {
            variables: variables.map(|(k, v)| (k.to_owned(), v)).into(),
            root,
            extra: None,
            trust: Trust::Everything,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn var(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.replace("LAB", &self.root.path().display().to_string()));
        self
    }

    pub(crate) fn extra(mut self, name: &str) -> Self {
        self.extra = Some(self.path(name));
        self
    }

    /// How far the project is trusted; wholly, unless a test says otherwise.
    pub(crate) fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings::from_env(self.variables.clone())
    }

    pub(crate) fn try_load(&self) -> Result<Loaded, ConfigError> {
        let request = Request {
            directory: self.path("project/app"),
            worktree: self.path("project"),
            extra_file: self.extra.clone(),
            trust: self.trust.clone(),
        };
        load(&self.surroundings(), &request)
    }

    pub(crate) fn load(&self) -> Loaded {
        self.try_load().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The error, with paths from the lab's root.
    pub(crate) fn failure(&self) -> String {
        self.clean(self.try_load().unwrap_err())
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        self.load().warnings.iter().map(|warning| self.clean(warning)).collect()
    }

    /// The general rules as `origin `permission pattern` action`.
    pub(crate) fn rules(&self) -> Vec<String> {
        self.load().rules.iter().map(|rule| self.clean(format!("{rule} {}", rule.action))).collect()
    }

    pub(crate) fn clean(&self, text: impl ToString) -> String {
        text.to_string().replace(&format!("{}/", self.root.path().display()), "")
    }

    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(self.root.path()).unwrap().display().to_string()
    }
}
