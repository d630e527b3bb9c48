//! What the shell itself would remember between commands: folder, variables, changed meanings.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::word::Scope;
use super::{Place, Simple, path};

/// Folders that may be current at the same time; more is unknown.
const MOST_FOLDERS: usize = 8;

/// Variables and functions that are remembered; of others nothing is known.
const MOST_NAMES: usize = 64;

/// A function of the script.
#[derive(Debug, PartialEq)]
pub(super) struct Function {
    /// Its body as written.
    pub(super) body: String,
    /// The commands that were listed where it stands.
    pub(super) listed: HashSet<Simple>,
}

/// What is known of the value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Exactly this.
    Text(String),
    /// One of the names that this pattern matches.
    Pattern(String),
    /// Some whole number.
    Number,
    /// The path of something that `mktemp` has just made, or nothing where it failed.
    Fresh,
}

impl Value {
    /// Is it surely a number, so that arithmetic finds nothing to run in it?
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number => true,
            Self::Text(text) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            Self::Pattern(_) | Self::Fresh => false,
        }
    }
}

/// The memory of the shell at one point of the script.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    /// Where relative paths may start; empty if that is not known.
    pub(super) folders: Vec<String>,
    /// Where they would start if a `cd` without `&&` behind it had failed.
    pub(super) fallback: Vec<String>,
    /// Which of those are left if the last `cd` did its work.
    pub(super) landed: Vec<String>,
    /// Pushed folders.
    pub(super) pushed: Vec<Vec<String>>,
    /// Values assigned so far; `None` is a value that is not known.
    pub(super) variables: Rc<HashMap<String, Option<Value>>>,
    /// Names that may no longer be assigned.
    pub(super) frozen: Rc<HashSet<String>>,
    /// Functions defined so far; `None` is one of which it is not known what it does.
    pub(super) functions: Rc<HashMap<String, Option<Rc<Function>>>>,
    /// What changed the meaning of later commands.
    pub(super) shadowed: Option<String>,
    /// Variables that a `trap` counts on until the end, and functions that must not take the place of its programs.
    pub(super) trapped: Rc<HashSet<String>>,
    /// Did one of these change?
    pub(super) is_trap_changed: bool,
}

impl State {
    pub(super) fn new(place: &Place<'_>) -> Self {
        Self {
            folders: vec![path::absolute("/", place.cwd)],
            fallback: Vec::new(),
            landed: Vec::new(),
            pushed: Vec::new(),
            variables: Rc::default(),
            frozen: Rc::default(),
            functions: Rc::default(),
            shadowed: None,
            trapped: Rc::default(),
            is_trap_changed: false,
        }
    }

    /// Goes to a folder that may be relative.
    pub(super) fn go(&mut self, target: &str) {
        if self.folders.is_empty() {
            // Where it fails, the folder is the one that is not known.
            return;
        }
        let old = self.folders.clone();
        if target.starts_with('/') {
            self.folders = vec![path::absolute("/", target)];
        } else {
            for folder in &mut self.folders {
                *folder = path::absolute(folder, target);
            }
        }
        self.landed = match target.starts_with('/') {
            true => Vec::new(),
            false => self.fallback.iter().map(|folder| path::absolute(folder, target)).collect(),
        };
        for folder in old.into_iter().chain(self.landed.clone()) {
            if !self.fallback.contains(&folder) {
                self.fallback.push(folder);
            }
        }
        if self.fallback.len() > MOST_FOLDERS {
            self.lose_folder();
        }
    }

    /// The folder whose existence says that no `cd` failed.
    pub(super) fn meant(&self) -> Option<String> {
        match self.folders.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The folder is not known from here on.
    pub(super) fn lose_folder(&mut self) {
        self.folders.clear();
        self.fallback.clear();
    }

    /// No variable is known from here on, not even the usual ones.
    pub(super) fn forget(&mut self) {
        self.is_trap_changed |= !self.trapped.is_empty();
        let unknown = ["HOME", "PWD"].map(|name| (name.to_owned(), None));
        self.variables = Rc::new(HashMap::from(unknown));
    }

    /// A variable has this value from here on.
    pub(super) fn set(&mut self, name: &str, value: Option<Value>) {
        let value = value.filter(|_| !self.frozen.contains(name));
        // One fresh path is as good as another.
        self.is_trap_changed |= self.trapped.contains(name) && value != Some(Value::Fresh);
        let has_room = self.variables.len() < MOST_NAMES || matches!(name, "HOME" | "PWD");
        // What was never noted is not known anyway.
        if has_room || self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
        }
    }

    /// A variable can no longer be assigned, and who knows whether it was before.
    pub(super) fn freeze(&mut self, name: &str) {
        Rc::make_mut(&mut self.frozen).insert(name.to_owned());
        self.set(name, None);
    }

    /// A function has this meaning from here on.
    pub(super) fn define(&mut self, name: String, function: Function) {
        self.is_trap_changed |= self.trapped.contains(&name);
        if self.functions.len() < MOST_NAMES || self.functions.contains_key(&name) {
            Rc::make_mut(&mut self.functions).insert(name, Some(Rc::new(function)));
        } else {
            self.shadowed.get_or_insert(format!("the function `{name}`"));
        }
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
            for folder in &other.fallback {
                if !self.fallback.contains(folder) {
                    self.fallback.push(folder.clone());
                }
            }
            if self.folders.len() > MOST_FOLDERS || self.fallback.len() > MOST_FOLDERS {
                self.lose_folder();
            }
        }
        if !Rc::ptr_eq(&self.frozen, &other.frozen) {
            Rc::make_mut(&mut self.frozen).extend(other.frozen.iter().cloned());
        }
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let both_numbers = |ours: &Value, theirs: &Value| {
                (ours.is_number() && theirs.is_number()).then_some(Value::Number)
            };
            unite(Rc::make_mut(&mut self.variables), &other.variables, both_numbers);
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            unite(Rc::make_mut(&mut self.functions), &other.functions, |_, _| None);
        }
        if self.shadowed.is_none() {
            self.shadowed.clone_from(&other.shadowed);
        }
        if !Rc::ptr_eq(&self.trapped, &other.trapped) {
            Rc::make_mut(&mut self.trapped).extend(other.trapped.iter().cloned());
        }
        self.is_trap_changed |= other.is_trap_changed;
        if self.pushed != other.pushed {
            self.pushed.clear();
        }
    }
}

/// Keeps what both say, or what `both` makes of the two; of the rest nothing is known.
fn unite<V: PartialEq>(
    ours: &mut HashMap<String, Option<V>>,
    theirs: &HashMap<String, Option<V>>,
    both: impl Fn(&V, &V) -> Option<V>,
) {
    for (name, value) in ours.iter_mut() {
        if theirs.get(name) != Some(value) {
            *value = match (value.as_ref(), theirs.get(name).and_then(Option::as_ref)) {
                (Some(one), Some(other)) => both(one, other),
                _ => None,
            };
        }
    }
    for name in theirs.keys() {
        ours.entry(name.clone()).or_insert(None);
    }
}

/// The state together with the place, as words see it.
pub(super) struct Seen<'a> {
    pub(super) state: &'a State,
    pub(super) place: &'a Place<'a>,
}

impl Scope for Seen<'_> {
    fn variable(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        match (name, self.state.folders.as_slice()) {
            ("HOME", _) => Some(Value::Text(self.place.home.to_owned())),
            ("PWD", [only]) if self.state.fallback.is_empty() => Some(Value::Text(only.clone())),
            _ => None,
        }
    }

    fn home(&self, user: &str) -> Option<String> {
        if user.is_empty() {
            return match self.variable("HOME") {
                Some(Value::Text(home)) => Some(home),
                _ => None,
            };
        }
        self.place.users.iter().find(|(name, _)| *name == user).map(|(_, home)| (*home).to_owned())
    }
}
