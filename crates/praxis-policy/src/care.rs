//! How careful a request must be taken: as usual, as what leaves the machine, with doubt, or only with a person's word
//! for that very act.

use praxis_proto::PermissionRequest;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::StoredGrant;

/// The care that a request needs beyond what rules and grants say, the strongest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Care {
    /// Rules and grants decide.
    #[default]
    Usual,
    /// Something leaves the machine for good: only a rule or grant that names the act suffices.
    Leaves {
        /// What it does, for people; completes "this would …".
        what: String,
        /// The words that name each act; what an allow says literally must reach through them.
        acts: Vec<String>,
    },
    /// A broad allow does not suffice; only a rule or grant with the very same text does.
    Doubt {
        /// What is not known.
        reason: String,
        /// Does something in it destroy or leave the machine, so that no answer given beforehand will do?
        grave: bool,
    },
    /// Nothing but a person's answer suffices, for this act.
    Confirm(String),
}

/// Where a request's metadata says that it is in doubt.
const DOUBT: &str = "doubt";
/// Where it says that the doubt is a grave one.
const GRAVE: &str = "grave";
/// Where it says what leaves the machine.
const LEAVES: &str = "leaves";
/// Where it has the words that name what leaves.
const ACTS: &str = "acts";
/// Where it names the act that a person must confirm.
const CONFIRM: &str = "confirm";

impl Care {
    /// A doubt about something that neither destroys nor leaves.
    pub fn doubt(reason: impl Into<String>) -> Self {
        Self::Doubt { reason: reason.into(), grave: false }
    }

    /// The care that a waiting request needs.
    pub fn of(request: &PermissionRequest) -> Self {
        let value = |key| request.metadata.get(key);
        let text = |key| value(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(act) = text(CONFIRM) {
            return Self::Confirm(act);
        }
        if let Some(reason) = text(DOUBT) {
            return Self::Doubt { reason, grave: value(GRAVE) == Some(&Value::Bool(true)) };
        }
        let Some(what) = text(LEAVES) else { return Self::Usual };
        let acts = value(ACTS).and_then(Value::as_array).into_iter().flatten();
        Self::Leaves { what, acts: acts.filter_map(Value::as_str).map(str::to_owned).collect() }
    }

    /// Is there nothing special about it?
    pub fn is_usual(&self) -> bool {
        *self == Self::Usual
    }

    /// Must a person confirm the act?
    pub fn confirms(&self) -> bool {
        matches!(self, Self::Confirm(_))
    }

    /// Is it a question that no yes given beforehand answers, nor a kernel that contains the act?
    pub fn needs_person(&self) -> bool {
        match self {
            Self::Usual => false,
            Self::Doubt { grave, .. } => *grave,
            Self::Leaves { .. } | Self::Confirm(_) => true,
        }
    }

    /// Does an allow of `allowed` suffice for `pattern`?
    pub(crate) fn is_met(&self, allowed: &str, pattern: &str) -> bool {
        match self {
            Self::Usual => true,
            Self::Leaves { acts, .. } => {
                let literal = allowed.split(['*', '?']).next().unwrap_or_default();
                acts.iter().filter(|act| begins(pattern, act)).all(|act| begins(literal, act))
            }
            Self::Doubt { .. } => allowed == pattern && !allowed.contains(['*', '?']),
            Self::Confirm(_) => false,
        }
    }

    /// Does the grant suffice for `pattern`?
    pub(crate) fn is_met_by(&self, grant: &StoredGrant, pattern: &str) -> bool {
        self.is_met(&grant.pattern, pattern)
    }

    /// Tells the clients. The desk owns these keys, so that no asker can pretend.
    pub(crate) fn told_in(&self, metadata: &mut Map<String, Value>) {
        for key in [DOUBT, GRAVE, LEAVES, ACTS, CONFIRM] {
            metadata.remove(key);
        }
        match self {
            Self::Usual => {}
            Self::Leaves { what, acts } => {
                metadata.insert(LEAVES.to_owned(), what.as_str().into());
                metadata.insert(ACTS.to_owned(), acts.as_slice().into());
            }
            Self::Doubt { reason, grave } => {
                metadata.insert(DOUBT.to_owned(), reason.as_str().into());
                if *grave {
                    metadata.insert(GRAVE.to_owned(), true.into());
                }
            }
            Self::Confirm(act) => {
                metadata.insert(CONFIRM.to_owned(), act.as_str().into());
            }
        }
    }
}

impl Serialize for Care {
    /// As clients see it in a request.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut told = Map::new();
        self.told_in(&mut told);
        told.serialize(serializer)
    }
}

/// Does the text begin with the words of an act, as whole words?
fn begins(text: &str, act: &str) -> bool {
    text.strip_prefix(act).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_is_met_only_by_what_names_it() {
        let care = Care::Leaves { what: "push".into(), acts: vec!["git push".into()] };
        for names in ["git push", "git push *", "git push origin *", "git push origin main"] {
            assert!(care.is_met(names, "git push origin main"), "{names}");
        }
        for broad in ["*", "git *", "git pu*", "git pus?", "?it push", "git"] {
            assert!(!care.is_met(broad, "git push origin main"), "{broad}");
        }
        assert!(care.is_met("git *", "git status"), "the rest of the script is as usual");
        assert!(care.is_met("*", "git pushover"), "another word is another act");
    }
}
