//! What a project's configuration wants beyond narrowing, and whether somebody trusts it with that.

mod rules;
mod sift;
mod table;
mod words;

use std::collections::BTreeSet;
use std::fmt;

use praxis_proto::Origin;
use serde::{Deserialize, Serialize};

pub(crate) use sift::{Sifted, Sifter};

/// How far a project's own configuration is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trust {
    /// Not at all: it may only narrow.
    #[default]
    Nothing,
    /// With everything it wants, this time.
    Everything,
    /// With what it wanted when somebody said yes.
    Given(Vec<Trusted>),
}

impl Trust {
    /// Whether all of these may have what they want. What wants nothing needs no trust.
    pub(crate) fn covers(&self, wants: &[Want]) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Given(given) => {
                let covered = |want: &Want| given.iter().any(|trusted| trusted.covers(want));
                !wants.is_empty() && wants.iter().all(covered)
            }
        }
    }
}

/// What a want is about, in the order in which people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WantKind {
    /// Where requests go, and what goes with them.
    Requests,
    /// Programs that it has run.
    Programs,
    /// What is allowed without a question.
    Allow,
    /// Less containment for commands.
    Sandbox,
    /// Files and variables that it reads.
    Reading,
    /// Everything else.
    Settings,
}

impl WantKind {
    /// The heading above the wants of this kind.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Requests => "send requests",
            Self::Programs => "run programs",
            Self::Allow => "allow without asking",
            Self::Sandbox => "loosen the sandbox",
            Self::Reading => "read variables and files outside",
            Self::Settings => "change settings",
        }
    }
}

/// One thing that a project's configuration wants and that needs trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// What it is about.
    pub kind: WantKind,
    /// In plain words, without secrets.
    pub text: String,
    /// Where it is written.
    pub origin: Origin,
    /// Names it with its whole content.
    pub hash: String,
    /// What the same configuration narrows it by. With less of that it would be another want.
    pub except: BTreeSet<String>,
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.origin)
    }
}

/// A want that somebody said yes to, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Trusted {
    /// What it is about.
    pub kind: WantKind,
    /// What they were told.
    pub text: String,
    /// The name of its whole content.
    pub hash: String,
    /// What narrowed it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub except: BTreeSet<String>,
}

impl Trusted {
    /// Whether the yes was for this want, or for more.
    pub fn covers(&self, want: &Want) -> bool {
        self.hash == want.hash && self.except.is_subset(&want.except)
    }
}

impl From<&Want> for Trusted {
    fn from(want: &Want) -> Self {
        let Want { kind, text, hash, except, .. } = want.clone();
        Self { kind, text, hash, except }
    }
}

/// Names content, so that other content has another name.
pub(crate) fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // The length keeps two parts from reading like two others.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(hash: &str, except: &[&str]) -> Want {
        Want {
            kind: WantKind::Allow,
            text: hash.to_owned(),
            origin: Origin::Session,
            hash: hash.to_owned(),
            except: except.iter().map(|line| (*line).to_owned()).collect(),
        }
    }

    #[test]
    fn a_yes_holds_for_as_much_and_for_less() {
        let given = Trust::Given(vec![(&want("a", &["x"])).into(), (&want("b", &[])).into()]);
        assert!(given.covers(&[want("a", &["x"])]));
        assert!(given.covers(&[want("a", &["x", "y"]), want("b", &["z"])]));
        assert!(!given.covers(&[want("a", &["y"])]) && !given.covers(&[want("a", &["x"]), want("c", &[])]));
        assert!(!given.covers(&[]));
        assert!(Trust::Everything.covers(&[want("c", &[])]) && !Trust::Nothing.covers(&[]));
    }

    #[test]
    fn names_do_not_run_together() {
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_eq!(hash(&["ab", "c"]), hash(&["ab", "c"]));
    }
}
