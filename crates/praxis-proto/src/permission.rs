//! The request for one act, and the answer to it, as they travel on the bus.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{CallId, MessageId, SessionId};

/// The call that a request belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRef {
    /// The assistant message that holds the call.
    #[serde(rename = "messageID")]
    pub message: MessageId,
    /// The provider's id of the call.
    #[serde(rename = "callID")]
    pub call: CallId,
}

/// A question to the user: may this be done?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PermissionRequest {
    /// `per_…`
    pub id: String,
    /// The session that asks.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// Which permission.
    pub permission: String,
    /// The resources, each of which must be allowed.
    pub patterns: Vec<String>,
    /// What a client may show: a diff, a command.
    pub metadata: Map<String, Value>,
    /// The patterns an "always" would allow from now on.
    pub always: Vec<String>,
    /// The call that asks, if it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<CallRef>,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// This time.
    Once,
    /// This time and, for the given patterns (or the request's own `always` list), from now on.
    Always(Option<Vec<String>>),
    /// No, with what to do instead, if the user said so.
    Reject(Option<String>),
}

impl Reply {
    /// The bare kind, as it is published.
    pub fn kind(&self) -> ReplyKind {
        match self {
            Self::Once => ReplyKind::Once,
            Self::Always(_) => ReplyKind::Always,
            Self::Reject(_) => ReplyKind::Reject,
        }
    }
}

/// A reply without its details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyKind {
    /// Allowed this time.
    Once,
    /// Allowed from now on.
    Always,
    /// Refused.
    Reject,
}

/// The bus message that a request was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionReplied {
    /// The session that had asked.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// The request.
    #[serde(rename = "requestID")]
    pub request: String,
    /// How it was answered.
    pub reply: ReplyKind,
}
