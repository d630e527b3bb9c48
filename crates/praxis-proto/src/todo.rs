//! The session's task list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// What is to be done, in a few words.
    pub content: String,
    /// One of `pending`, `in_progress`, `completed`, `cancelled`.
    pub status: String,
    /// One of `high`, `medium`, `low`.
    pub priority: String,
}
