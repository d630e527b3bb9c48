//! What was said: by the user, or by a model.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::number::{maybe_whole, money, whole};
use crate::{Failure, FileDiff, MessageId, Part, SessionId, Tokens};

/// One message, without its parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// From the user.
    User(UserMessage),
    /// From a model: one request and its answer.
    Assistant(AssistantMessage),
}

impl Message {
    /// Its id.
    pub fn id(&self) -> &MessageId {
        match self {
            Self::User(message) => &message.id,
            Self::Assistant(message) => &message.id,
        }
    }

    /// The session it belongs to.
    pub fn session(&self) -> &SessionId {
        match self {
            Self::User(message) => &message.session,
            Self::Assistant(message) => &message.session,
        }
    }

    /// When it was made, in milliseconds since the Unix epoch.
    pub fn created(&self) -> u64 {
        match self {
            Self::User(message) => message.time.created,
            Self::Assistant(message) => message.time.created,
        }
    }

    /// Whether a model is still at it.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Assistant(message) if message.time.completed.is_none())
    }
}

/// A message with its parts in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageWithParts {
    /// The message.
    pub info: Message,
    /// Its parts.
    #[serde(default)]
    pub parts: Vec<Part>,
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserMessage {
    /// `msg_…`
    pub id: MessageId,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// When.
    pub time: Created,
    /// What form the answer must have; none means text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<AnswerFormat>,
    /// What came of it, filled in after the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<UserSummary>,
    /// The agent that must answer.
    #[serde(default)]
    pub agent: String,
    /// The model that must answer.
    pub model: MessageModel,
    /// More system text for this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Tools shown or hidden for this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<IndexMap<String, bool>>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where a user message says how it was delivered.
const DELIVERY: &str = "delivery";
/// What it says while it waits.
const QUEUE: &str = "queue";

impl UserMessage {
    /// Whether it waits until what was said before it is settled; the model has not heard it yet.
    pub fn is_queued(&self) -> bool {
        self.extra.get(DELIVERY).and_then(Value::as_str) == Some(QUEUE)
    }

    /// Lets it wait, or takes it out of the queue.
    pub fn set_queued(&mut self, queued: bool) {
        if queued {
            self.extra.insert(DELIVERY.to_owned(), QUEUE.into());
        } else {
            self.extra.shift_remove(DELIVERY);
        }
    }
}

/// When a thing was made, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Then.
    #[serde(deserialize_with = "whole")]
    pub created: u64,
}

/// The model a message is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageModel {
    /// The provider.
    #[serde(rename = "providerID")]
    pub provider: String,
    /// The model, as its provider names it.
    #[serde(rename = "modelID")]
    pub model: String,
    /// The variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

/// What form an answer must have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Plain text.
    Text {},
    /// JSON that fits a schema.
    #[serde(rename_all = "camelCase")]
    JsonSchema {
        /// The schema.
        schema: Value,
        /// How often to try again; none means twice.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
        retry_count: Option<u64>,
    },
}

/// What came of a user message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserSummary {
    /// One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Some more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The files that changed.
    #[serde(default)]
    pub diffs: Vec<FileDiff>,
}

/// What a model said in one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// `msg_…`
    pub id: MessageId,
    /// The session it belongs to.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// When it began and ended.
    pub time: AnswerTime,
    /// Why it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The user message it answers.
    #[serde(rename = "parentID")]
    pub parent: MessageId,
    /// The model that answered.
    #[serde(rename = "modelID")]
    pub model: String,
    /// Its provider.
    #[serde(rename = "providerID")]
    pub provider: String,
    /// The agent's name, once more, for old clients.
    #[serde(default)]
    pub mode: String,
    /// The agent.
    #[serde(default)]
    pub agent: String,
    /// Where it worked.
    pub path: AnswerPath,
    /// Whether it is the summary of a compaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<bool>,
    /// US dollars.
    #[serde(default, deserialize_with = "money")]
    pub cost: f64,
    /// Tokens of the last step.
    #[serde(default)]
    pub tokens: Tokens,
    /// The structured answer, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// The model's variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Why the model stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// When an answer began and ended, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTime {
    /// It began.
    #[serde(deserialize_with = "whole")]
    pub created: u64,
    /// It ended, well or not.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
    pub completed: Option<u64>,
}

/// Where an answer was worked out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPath {
    /// The working directory.
    #[serde(default)]
    pub cwd: String,
    /// The worktree.
    #[serde(default)]
    pub root: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_the_same_after_a_round_trip_and_strange_fields_are_kept() {
        for wire in [
            json!({ "role": "user", "id": "msg_1", "sessionID": "ses_1", "time": { "created": 1 },
                "format": { "type": "json_schema", "schema": { "type": "object" }, "retryCount": 2 },
                "summary": { "title": "t", "body": "b", "diffs": [] }, "agent": "build",
                "model": { "providerID": "p", "modelID": "m", "variant": "high" }, "system": "s",
                "tools": { "zebra": false, "ant": true }, "brandNew": 1 }),
            json!({ "role": "user", "id": "msg_1", "sessionID": "ses_1", "time": { "created": 1 },
                "format": { "type": "text" }, "agent": "build", "model": { "providerID": "p", "modelID": "m" } }),
            json!({ "role": "assistant", "id": "msg_2", "sessionID": "ses_1", "time": { "created": 1, "completed": 2 },
                "error": { "name": "MessageAbortedError", "data": { "message": "m" } }, "parentID": "msg_1",
                "modelID": "m", "providerID": "p", "mode": "build", "agent": "build", "path": { "cwd": "/w", "root": "/" },
                "summary": true, "cost": 0.5,
                "tokens": { "total": 3, "input": 1, "output": 2, "reasoning": 0, "cache": { "read": 0, "write": 0 } },
                "structured": { "a": 1 }, "variant": "high", "finish": "stop", "brandNew": { "x": null } }),
        ] {
            let message: Message = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!(serde_json::to_value(&message).unwrap(), wire);
            assert!(!message.is_open());
        }
    }
}
