//! A call of a tool: pending → running → completed or error, and never back.
//!
//! Each state is a type of its own whose methods are the ways out of it, so a way that does not exist cannot be
//! written: nothing turns a [`Completed`] or a [`Failed`] into anything else.

mod wire;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::number::{maybe_whole, whole};
use crate::{CallId, MessageId, Part, PartId, SessionId};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolPart {
    /// The provider's id of the call.
    #[serde(rename = "callID")]
    pub call: CallId,
    /// The tool.
    pub tool: String,
    state: ToolState,
    /// What the provider wants back, keyed by provider; `providerExecuted` marks calls it ran itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase", try_from = "wire::Fields")]
pub enum ToolState {
    /// Its arguments are still arriving.
    Pending(Pending),
    /// It works.
    Running(Running),
    /// It gave a report.
    Completed(Completed),
    /// It failed, or was interrupted.
    Error(Failed),
}

/// A call whose arguments are still arriving.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Pending {
    /// Empty until the arguments are whole.
    pub input: Map<String, Value>,
    /// The text of the arguments so far.
    pub raw: String,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A call at work.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Running {
    /// The arguments.
    pub input: Map<String, Value>,
    /// One line for people, so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For clients, so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Since when.
    pub time: Started,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// When a call began, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Then.
    #[serde(deserialize_with = "whole")]
    pub start: u64,
}

/// A call that gave a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Completed {
    /// The arguments.
    pub input: Map<String, Value>,
    /// What the model reads.
    pub output: String,
    /// One line for people.
    pub title: String,
    /// For clients.
    pub metadata: Map<String, Value>,
    /// From when to when.
    pub time: RanFor,
    /// Files that came with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<Part>>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Failed {
    /// The arguments.
    pub input: Map<String, Value>,
    /// Why, for the model.
    pub error: String,
    /// For clients; `interrupted` is true where the call did not come to an end of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// From when to when.
    pub time: RanFor,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// From when to when a call ran, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanFor {
    /// It began.
    #[serde(deserialize_with = "whole")]
    pub start: u64,
    /// It ended; never before it began, whatever the clock did.
    #[serde(deserialize_with = "whole")]
    pub end: u64,
    /// Since when the model is shown a placeholder instead of the output.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
    pub compacted: Option<u64>,
}

impl RanFor {
    fn new(start: u64, end: u64) -> Self {
        Self { start, end: end.max(start), compacted: None }
    }
}

impl ToolState {
    /// Whether the call has not settled.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Pending(_) | Self::Running(_))
    }

    /// Its `status`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Pending(_) => "pending",
            Self::Running(_) => "running",
            Self::Completed(_) => "completed",
            Self::Error(_) => "error",
        }
    }
}

impl Pending {
    /// The arguments are whole: the call begins.
    pub fn start(self, input: Value, at: u64) -> Running {
        let time = Started { start: at };
        Running { input: object(input), title: None, metadata: None, time, extra: self.extra }
    }

    /// The call will never begin. Its half-written arguments stay readable in the metadata.
    pub fn interrupt(self, why: String, at: u64) -> Failed {
        let mut metadata = interrupted(None);
        if !self.raw.is_empty() {
            metadata.insert("raw".to_owned(), self.raw.into());
        }
        let time = RanFor::new(at, at);
        Failed { input: self.input, error: why, metadata: Some(metadata), time, extra: self.extra }
    }
}

impl Running {
    /// Tells how far the call is; the start stays the first one.
    pub fn progress(&mut self, title: Option<String>, metadata: Map<String, Value>) {
        self.title = title.or_else(|| self.title.take());
        self.metadata = Some(metadata);
    }

    /// The call gave a report.
    pub fn complete(self, report: crate::Report, attachments: Vec<Part>, at: u64) -> Completed {
        Completed {
            input: self.input,
            output: report.output,
            title: report.title,
            metadata: report.metadata,
            time: RanFor::new(self.time.start, at),
            attachments: (!attachments.is_empty()).then_some(attachments),
            extra: self.extra,
        }
    }

    /// The call failed; what it told on the way is kept.
    pub fn fail(self, error: String, at: u64) -> Failed {
        let time = RanFor::new(self.time.start, at);
        Failed { input: self.input, error, metadata: self.metadata, time, extra: self.extra }
    }

    /// The call was cut off.
    pub fn interrupt(mut self, why: String, at: u64) -> Failed {
        self.metadata = Some(interrupted(self.metadata.take()));
        self.fail(why, at)
    }
}

impl ToolPart {
    /// A call whose arguments begin to arrive.
    pub fn new(call: CallId, tool: impl Into<String>) -> Self {
        let state = ToolState::Pending(Pending::default());
        Self { call, tool: tool.into(), state, metadata: None, extra: Map::new() }
    }

    /// How far it is.
    pub fn state(&self) -> &ToolState {
        &self.state
    }

    /// More text of the arguments has arrived; says whether the call was waiting for it.
    pub fn arguments(&mut self, text: &str) -> bool {
        let ToolState::Pending(pending) = &mut self.state else { return false };
        pending.raw.push_str(text);
        true
    }

    /// The arguments are whole; on a running call they are replaced and nothing else. Says whether it took effect.
    pub fn start(&mut self, input: Value, at: u64) -> bool {
        self.step(|state| match state {
            ToolState::Pending(pending) => (ToolState::Running(pending.start(input, at)), true),
            ToolState::Running(running) => {
                (ToolState::Running(Running { input: object(input), ..running }), true)
            }
            settled => (settled, false),
        })
    }

    /// Tells how far it is; ignored unless the call runs. Says whether it took effect.
    pub fn progress(&mut self, title: Option<String>, metadata: Map<String, Value>) -> bool {
        let ToolState::Running(running) = &mut self.state else { return false };
        running.progress(title, metadata);
        true
    }

    /// The report; dropped unless the call runs. Says whether it took effect.
    pub fn complete(&mut self, report: crate::Report, attachments: Vec<Part>, at: u64) -> bool {
        self.step(|state| match state {
            ToolState::Running(running) => {
                (ToolState::Completed(running.complete(report, attachments, at)), true)
            }
            other => (other, false),
        })
    }

    /// The failure; dropped unless the call runs. Says whether it took effect.
    pub fn fail(&mut self, error: impl Into<String>, at: u64) -> bool {
        self.step(|state| match state {
            ToolState::Running(running) => (ToolState::Error(running.fail(error.into(), at)), true),
            other => (other, false),
        })
    }

    /// Closes a call that has not settled. Says whether it took effect.
    pub fn interrupt(&mut self, why: impl Into<String>, at: u64) -> bool {
        self.step(|state| match state {
            ToolState::Pending(pending) => (ToolState::Error(pending.interrupt(why.into(), at)), true),
            ToolState::Running(running) => (ToolState::Error(running.interrupt(why.into(), at)), true),
            settled => (settled, false),
        })
    }

    /// From now on the model is shown a placeholder instead of the output. Says whether it took effect.
    pub fn compact(&mut self, at: u64) -> bool {
        let ToolState::Completed(completed) = &mut self.state else { return false };
        completed.time.compacted = Some(at);
        true
    }

    /// Gives the files that came with the report to another session and message, with ids of their own.
    pub fn rename_attachments(
        &mut self,
        session: &SessionId,
        message: &MessageId,
        mut id: impl FnMut() -> PartId,
    ) {
        let ToolState::Completed(completed) = &mut self.state else { return };
        for file in completed.attachments.iter_mut().flatten() {
            (file.id, file.session, file.message) = (id(), session.clone(), message.clone());
        }
    }

    fn step(&mut self, way: impl FnOnce(ToolState) -> (ToolState, bool)) -> bool {
        let state = std::mem::replace(&mut self.state, ToolState::Pending(Pending::default()));
        let (state, moved) = way(state);
        self.state = state;
        moved
    }
}

/// Arguments are an object; anything else is wrapped into one.
fn object(input: Value) -> Map<String, Value> {
    match input {
        Value::Object(fields) => fields,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

fn interrupted(metadata: Option<Map<String, Value>>) -> Map<String, Value> {
    let mut metadata = metadata.unwrap_or_default();
    metadata.insert("interrupted".to_owned(), true.into());
    metadata
}
