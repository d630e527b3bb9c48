//! What changed in a file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::number::whole;

/// One changed file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// The file, relative to the worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A unified patch with the whole file as context; empty for a binary file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Lines that came.
    #[serde(default, deserialize_with = "whole")]
    pub additions: u64,
    /// Lines that went.
    #[serde(default, deserialize_with = "whole")]
    pub deletions: u64,
    /// `added`, `deleted` or `modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
