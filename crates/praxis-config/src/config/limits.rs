//! How much goes to the model: attachments, tool output, history.

use schemars::JsonSchema;
use serde::Deserialize;

/// What happens to attached files.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Attachment {
    /// Images.
    pub image: ImageLimits,
}

/// How large an attached image may be.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ImageLimits {
    /// Shrink images that are too large (default true).
    pub auto_resize: Option<bool>,
    /// Most pixels across (default 2000).
    #[schemars(range(min = 1))]
    pub max_width: Option<u32>,
    /// Most pixels down (default 2000).
    #[schemars(range(min = 1))]
    pub max_height: Option<u32>,
    /// Most bytes in base64 (default 5242880).
    #[schemars(range(min = 1))]
    pub max_base64_bytes: Option<u64>,
}

/// How much of a tool's output the model sees; the rest is kept in a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ToolOutput {
    /// Most lines (default 2000).
    #[schemars(range(min = 1))]
    pub max_lines: Option<u64>,
    /// Most bytes (default 51200).
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
}

/// How a long conversation is shortened.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Compaction {
    /// Summarise when the context is full (default true).
    pub auto: Option<bool>,
    /// Drop old tool output (default false).
    pub prune: Option<bool>,
    /// How many of the last turns stay word for word.
    pub tail_turns: Option<u32>,
    /// How many recent tokens stay word for word.
    pub preserve_recent_tokens: Option<u64>,
    /// Tokens kept free for the summary.
    pub reserved: Option<u64>,
}
