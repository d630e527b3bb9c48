//! What the shell itself would remember between commands: folder, variables, changed meanings.

use std::collections::HashMap;

use super::word::Scope;
use super::{Place, path};

/// Folders that may be current at the same time; more is unknown.
const MOST_FOLDERS: usize = 8;

/// The memory of the shell at one point of the script.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    /// Where relative paths may start; empty if that is not known.
    pub(super) folders: Vec<String>,
    /// Where they would start if a `cd` without `&&` behind it had failed.
    pub(super) fallback: Vec<String>,
    /// Pushed folders.
    pub(super) pushed: Vec<Vec<String>>,
    /// Values assigned so far; `None` is a value that is not known.
    pub(super) variables: HashMap<String, Option<String>>,
    /// What changed the meaning of later commands.
    pub(super) shadowed: Option<String>,
}

impl State {
    pub(super) fn new(place: &Place<'_>) -> Self {
        Self {
            folders: vec![path::absolute("/", place.cwd)],
            fallback: Vec::new(),
            pushed: Vec::new(),
            variables: HashMap::new(),
            shadowed: None,
        }
    }

    /// Goes to a folder that may be relative.
    pub(super) fn go(&mut self, target: &str) {
        let old = self.folders.clone();
        if target.starts_with('/') {
            self.folders = vec![path::absolute("/", target)];
        } else {
            for folder in &mut self.folders {
                *folder = path::absolute(folder, target);
            }
        }
        for folder in old {
            if !self.fallback.contains(&folder) {
                self.fallback.push(folder);
            }
        }
        if self.fallback.len() > MOST_FOLDERS {
            self.lose_folder();
        }
    }

    /// The folder is not known from here on.
    pub(super) fn lose_folder(&mut self) {
        self.folders.clear();
        self.fallback.clear();
    }

    /// No variable is known from here on, not even the usual ones.
    pub(super) fn forget(&mut self) {
        self.variables.clear();
        self.variables.insert("HOME".into(), None);
        self.variables.insert("PWD".into(), None);
    }

    /// Takes in that either this state or `other` may hold.
    pub(super) fn merge(&mut self, other: &Self) {
        if self.folders.is_empty() || other.folders.is_empty() {
            self.lose_folder();
        } else {
            for folder in &other.folders {
                if !self.folders.contains(folder) {
                    self.folders.push(folder.clone());
                }
            }
            if self.folders.len() > MOST_FOLDERS {
                self.lose_folder();
            }
        }
        for (name, value) in &mut self.variables {
            if other.variables.get(name) != Some(value) {
                *value = None;
            }
        }
        for name in other.variables.keys() {
            self.variables.entry(name.clone()).or_insert(None);
        }
        if self.shadowed.is_none() {
            self.shadowed.clone_from(&other.shadowed);
        }
        if self.pushed != other.pushed {
            self.pushed.clear();
        }
    }
}

/// The state together with the place, as words see it.
pub(super) struct Seen<'a> {
    pub(super) state: &'a State,
    pub(super) place: &'a Place<'a>,
}

impl Scope for Seen<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        match (name, self.state.folders.as_slice()) {
            ("HOME", _) => Some(self.place.home.to_owned()),
            ("PWD", [only]) if self.state.fallback.is_empty() => Some(only.clone()),
            _ => None,
        }
    }

    fn home(&self, user: &str) -> Option<String> {
        if user.is_empty() {
            return self.variable("HOME");
        }
        self.place.users.iter().find(|(name, _)| *name == user).map(|(_, home)| (*home).to_owned())
    }
}
