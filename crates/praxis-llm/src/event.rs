//! What a model's answer is made of, whichever wire it came over.

use serde::Serialize;
use serde_json::Value;

use crate::Metadata;

/// One thing that happened in an answer. Serialised, it is one line of `praxis debug stream`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// A text begins.
    TextStart {
        /// Names it within the answer.
        id: String,
        /// What the provider wants back.
        #[serde(skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// More of a text.
    TextDelta {
        /// Which text.
        id: String,
        /// What is added.
        delta: String,
    },
    /// A text is complete.
    TextEnd {
        /// Which text.
        id: String,
        /// What the provider wants back.
        #[serde(skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// The model begins to think aloud.
    ReasoningStart {
        /// Names it within the answer.
        id: String,
        /// What the provider wants back.
        #[serde(skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// More of a thought.
    ReasoningDelta {
        /// Which thought.
        id: String,
        /// What is added.
        delta: String,
    },
    /// A thought is complete; a signature comes with its metadata.
    ReasoningEnd {
        /// Which thought.
        id: String,
        /// What the provider wants back.
        #[serde(skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// The arguments of a call begin.
    ToolInputStart {
        /// The call.
        id: String,
        /// The tool.
        tool_name: String,
    },
    /// More of the arguments, as JSON text.
    ToolInputDelta {
        /// The call.
        id: String,
        /// What is added.
        delta: String,
    },
    /// The argument text is complete.
    ToolInputEnd {
        /// The call.
        id: String,
    },
    /// A call whose arguments are whole. Never raised for half of one.
    ToolCall {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The arguments.
        input: Value,
        /// What the provider wants back.
        #[serde(skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// The answer is complete.
    FinishStep {
        /// Why it ended.
        finish_reason: FinishReason,
        /// What it cost.
        usage: Usage,
    },
    /// The answer failed; nothing follows.
    Error {
        /// What happened, for people.
        message: String,
        /// The provider's own code, where it has one; it decides how the failure is classed.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// The model had said what it had to say.
    Stop,
    /// It reached its limit.
    Length,
    /// It waits for tools.
    ToolCalls,
    /// It was withheld.
    ContentFilter,
    /// It failed.
    Error,
    /// For a reason we know and do not tell apart.
    Other,
    /// The provider did not say.
    Unknown,
}

/// Tokens of one answer, as inclusive totals: input counts the cache, output counts reasoning. Absent is not told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// All tokens sent, cached ones included.
    pub input_tokens: Option<u64>,
    /// All tokens received, reasoning included.
    pub output_tokens: Option<u64>,
    /// The provider's total, else the sum where both are known.
    pub total_tokens: Option<u64>,
    /// Of the output: reasoning.
    pub reasoning_tokens: Option<u64>,
    /// Of the input: read from the cache.
    pub cached_input_tokens: Option<u64>,
    /// Of the input: written to the cache.
    pub cache_write_tokens: Option<u64>,
}
