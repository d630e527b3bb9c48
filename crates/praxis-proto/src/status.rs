//! What a session is doing.

use serde::{Deserialize, Serialize};

/// What a session is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum SessionStatus {
    /// Nothing.
    Idle,
    /// A run is under way.
    Busy,
    /// It waits to send a request again.
    Retry {
        /// Which try comes next.
        attempt: u64,
        /// Why the last one failed.
        message: String,
        /// What the user could do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<RetryAction>,
        /// When, in milliseconds since the Unix epoch.
        next: u64,
    },
}

/// What the user could do about a failing provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryAction {
    /// Why.
    pub reason: String,
    /// Which provider.
    pub provider: String,
    /// A headline.
    pub title: String,
    /// A sentence.
    pub message: String,
    /// The text of the button.
    pub label: String,
    /// Where the button leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}
