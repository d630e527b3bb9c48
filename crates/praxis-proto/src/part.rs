//! The ordered pieces a message is made of.

mod file;
mod tool;

pub use file::{FilePart, FileSource, Range, SourceText, Spot};
pub use tool::{Completed, Failed, Pending, RanFor, Running, Started, ToolPart, ToolState};

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::Created;
use crate::number::{maybe_whole, money, whole};
use crate::{Failure, MessageId, PartId, SessionId, Tokens};

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// `prt_…`
    pub id: PartId,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// The message it belongs to.
    #[serde(rename = "messageID")]
    pub message: MessageId,
    /// What it is.
    #[serde(flatten)]
    pub body: PartBody,
}

/// What a part is, by its `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "the large kinds, tool and text, are most of all parts")]
pub enum PartBody {
    /// Text, of the user, the model or the program.
    Text(TextPart),
    /// A thought of the model.
    Reasoning(ReasoningPart),
    /// A file that goes with a message.
    File(FilePart),
    /// A call of a tool.
    Tool(ToolPart),
    /// A step begins.
    StepStart(StepStartPart),
    /// A step has ended.
    StepFinish(StepFinishPart),
    /// Files changed in the step.
    Patch(PatchPart),
    /// The user named an agent.
    Agent(AgentPart),
    /// Work for a subagent.
    Subtask(SubtaskPart),
    /// The history before this is to be summed up.
    Compaction(CompactionPart),
    /// A request was sent again.
    Retry(RetryPart),
    /// The files as they were.
    Snapshot(SnapshotPart),
    /// One of another program's, kept as it came.
    #[serde(untagged)]
    Other(Map<String, Value>),
}

const KINDS: [&str; 12] = [
    "text",
    "reasoning",
    "file",
    "tool",
    "step-start",
    "step-finish",
    "patch",
    "agent",
    "subtask",
    "compaction",
    "retry",
    "snapshot",
];

/// Decodes one kind of body from the JSON of its fields, which may lack the `type`.
macro_rules! by_kind {
    ($kind:expr, $json:expr, $($name:literal => $variant:ident),+) => {
        match $kind {
            $($name => serde_json::from_str($json).map(PartBody::$variant),)+
            _ => serde_json::from_str($json).map(PartBody::Other),
        }
    };
}

/// Does one thing with the fields of a body, whatever its kind.
macro_rules! each {
    ($body:expr, $fields:ident => $work:expr) => {
        match $body {
            PartBody::Text($fields) => $work,
            PartBody::Reasoning($fields) => $work,
            PartBody::File($fields) => $work,
            PartBody::Tool($fields) => $work,
            PartBody::StepStart($fields) => $work,
            PartBody::StepFinish($fields) => $work,
            PartBody::Patch($fields) => $work,
            PartBody::Agent($fields) => $work,
            PartBody::Subtask($fields) => $work,
            PartBody::Compaction($fields) => $work,
            PartBody::Retry($fields) => $work,
            PartBody::Snapshot($fields) => $work,
            PartBody::Other($fields) => $work,
        }
    };
}

impl PartBody {
    /// Its `type`.
    pub fn kind(&self) -> &str {
        match self {
            Self::Text(_) => "text",
            Self::Reasoning(_) => "reasoning",
            Self::File(_) => "file",
            Self::Tool(_) => "tool",
            Self::StepStart(_) => "step-start",
            Self::StepFinish(_) => "step-finish",
            Self::Patch(_) => "patch",
            Self::Agent(_) => "agent",
            Self::Subtask(_) => "subtask",
            Self::Compaction(_) => "compaction",
            Self::Retry(_) => "retry",
            Self::Snapshot(_) => "snapshot",
            Self::Other(fields) => fields.get("type").and_then(Value::as_str).unwrap_or("unknown"),
        }
    }

    /// Whether it says it is of a kind we know, and does not fit it.
    pub fn is_malformed(&self) -> bool {
        matches!(self, Self::Other(_)) && KINDS.contains(&self.kind())
    }

    /// Reads a body whose kind is known already, which is several times faster than finding it in the JSON.
    pub fn decode(kind: &str, json: &str) -> serde_json::Result<Self> {
        by_kind!(kind, json,
            "text" => Text, "reasoning" => Reasoning, "file" => File, "tool" => Tool, "step-start" => StepStart,
            "step-finish" => StepFinish, "patch" => Patch, "agent" => Agent, "subtask" => Subtask,
            "compaction" => Compaction, "retry" => Retry, "snapshot" => Snapshot)
    }

    /// Writes the fields for [`PartBody::decode`], without the `type` where the kind tells it.
    pub fn encode(&self, to: impl io::Write) -> serde_json::Result<()> {
        each!(self, fields => serde_json::to_writer(to, fields))
    }

    /// The same fields as a value.
    pub fn fields(&self) -> serde_json::Result<Value> {
        each!(self, fields => serde_json::to_value(fields))
    }

    /// Whether something is still to come: a call that has not settled, a text that has begun and not ended.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Tool(call) => call.state().is_open(),
            Self::Text(text) => text.time.is_some_and(|time| time.end.is_none()),
            Self::Reasoning(thought) => thought.time.end.is_none(),
            _ => false,
        }
    }
}

/// When a thing began and ended, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// It began.
    #[serde(deserialize_with = "whole")]
    pub start: u64,
    /// It ended.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
    pub end: Option<u64>,
}

/// Text, of the user, the model or the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextPart {
    /// The text.
    pub text: String,
    /// Made by the program, and sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<bool>,
    /// Shown to the user, and not sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<bool>,
    /// When a model wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Span>,
    /// What the provider wants back, keyed by provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A thought of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReasoningPart {
    /// The text, which may be empty when only the metadata counts.
    pub text: String,
    /// What the provider wants back, keyed by provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// When.
    pub time: Span,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A step begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepStartPart {
    /// The files at that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A step has ended; the entry of a session's ledger.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepFinishPart {
    /// Why the model stopped.
    pub reason: String,
    /// The files at that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// US dollars.
    #[serde(default, deserialize_with = "money")]
    pub cost: f64,
    /// What it used.
    #[serde(default)]
    pub tokens: Tokens,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Files changed in a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PatchPart {
    /// The files as they were before.
    pub hash: String,
    /// Which changed, with absolute paths.
    #[serde(default)]
    pub files: Vec<String>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The user named an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentPart {
    /// Which.
    pub name: String,
    /// Where in the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceText>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Work for a subagent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubtaskPart {
    /// What it is told.
    pub prompt: String,
    /// The same in a few words.
    #[serde(default)]
    pub description: String,
    /// Who does it.
    pub agent: String,
    /// With which model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<crate::MessageModel>,
    /// The command it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The history before this is to be summed up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionPart {
    /// Whether the program asked for it.
    #[serde(default)]
    pub auto: bool,
    /// Whether the conversation had grown too long already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overflow: Option<bool>,
    /// The first message that is kept as it is.
    #[serde(rename = "tail_start_id", default, skip_serializing_if = "Option::is_none")]
    pub tail_start: Option<MessageId>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A request was sent again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetryPart {
    /// Which try failed.
    #[serde(deserialize_with = "whole")]
    pub attempt: u64,
    /// Why.
    pub error: Failure,
    /// When.
    pub time: Created,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The files as they were.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SnapshotPart {
    /// The name of that state.
    pub snapshot: String,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[cfg(test)]
mod tests;
