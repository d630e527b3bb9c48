//! What is asked of a model, before any wire format.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::Message;

/// One request. System blocks and tools come in an order that stays the same through a session, so that providers can
/// cache the beginning.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What the model is told first: the block that never changes, then the rest.
    pub system: Vec<SystemBlock>,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The tools, sorted by name.
    pub tools: Vec<ToolSpec>,
    /// Which of them must be used.
    pub tool_choice: ToolChoice,
    /// How words are chosen.
    pub sampling: Sampling,
    /// The shape that the answer must have.
    pub output_schema: Option<OutputSchema>,
    /// Where cache marks go, for wires that need them.
    pub cache: CachePolicy,
    /// Options of the provider, in the spelling of OpenCode's configuration (`reasoningEffort`, `thinking`, …), already
    /// merged from all layers. A wire maps those it knows; chat completions pass unknown ones through as they are.
    pub options: Map<String, Value>,
}

/// One block of the system text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemBlock(pub Arc<str>);

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: Arc<str>,
    /// JSON Schema of its arguments.
    pub parameters: Arc<Value>,
}

/// Which tools the model must or must not use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It chooses.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Tool(String),
}

/// How words are chosen; absent is the provider's default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sampling {
    /// Randomness.
    pub temperature: Option<f64>,
    /// Share of probability kept.
    pub top_p: Option<f64>,
    /// Candidates kept.
    pub top_k: Option<u32>,
    /// The longest answer.
    pub max_output_tokens: Option<u64>,
}

/// The shape that the answer must have.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// Its name.
    pub name: String,
    /// JSON Schema.
    pub schema: Arc<Value>,
}

/// Where cache marks go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CachePolicy {
    /// Behind the last tool, the last system block and the last messages, where the wire has marks.
    #[default]
    Marks,
    /// The same, kept for an hour.
    LongMarks,
    /// Nowhere.
    Off,
}
