//! How careful a request must be taken: as usual, with doubt, or only with a person's word for that very act.

use praxis_proto::PermissionRequest;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::StoredGrant;

/// The care that a request needs beyond what rules and grants say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Care {
    /// Rules and grants decide.
    #[default]
    Usual,
    /// A broad allow does not suffice, for this reason; only a rule or grant with the very same text does.
    Doubt(String),
    /// Nothing but a person's answer suffices, for this act.
    Confirm(String),
}

/// Where a request's metadata says that it is in doubt.
const DOUBT: &str = "doubt";
/// Where it names the act that a person must confirm.
const CONFIRM: &str = "confirm";

impl Care {
    /// The care that a waiting request needs.
    pub fn of(request: &PermissionRequest) -> Self {
        let text = |key| request.metadata.get(key).and_then(Value::as_str).map(str::to_owned);
        match (text(CONFIRM), text(DOUBT)) {
            (Some(act), _) => Self::Confirm(act),
            (None, Some(reason)) => Self::Doubt(reason),
            (None, None) => Self::Usual,
        }
    }

    /// Is there nothing special about it?
    pub fn is_usual(&self) -> bool {
        *self == Self::Usual
    }

    /// Must a person confirm the act?
    pub fn confirms(&self) -> bool {
        matches!(self, Self::Confirm(_))
    }

    /// Does an allow of `allowed` suffice for `pattern`?
    pub(crate) fn is_met(&self, allowed: &str, pattern: &str) -> bool {
        match self {
            Self::Usual => true,
            Self::Doubt(_) => allowed == pattern && !allowed.contains(['*', '?']),
            Self::Confirm(_) => false,
        }
    }

    /// Does the grant suffice for `pattern`?
    pub(crate) fn is_met_by(&self, grant: &StoredGrant, pattern: &str) -> bool {
        self.is_met(&grant.pattern, pattern)
    }

    /// Tells the clients. The desk owns both keys, so that no asker can pretend.
    pub(crate) fn told_in(&self, metadata: &mut Map<String, Value>) {
        metadata.remove(DOUBT);
        metadata.remove(CONFIRM);
        match self {
            Self::Usual => {}
            Self::Doubt(reason) => {
                metadata.insert(DOUBT.to_owned(), reason.as_str().into());
            }
            Self::Confirm(act) => {
                metadata.insert(CONFIRM.to_owned(), act.as_str().into());
            }
        }
    }
}
