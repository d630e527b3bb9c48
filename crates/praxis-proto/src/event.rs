//! What the bus carries.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Answers, CallId, PermissionReplied, PermissionRequest, QuestionRequest, SessionId, Todo};

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileEvent {
    /// It is new.
    Add,
    /// It has another content.
    Change,
    /// It is gone.
    Unlink,
}

/// One bus event, in OpenCode's `type` and `properties` form.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "properties")]
pub enum Event {
    /// A permission waits for an answer.
    #[serde(rename = "permission.asked")]
    PermissionAsked(PermissionRequest),
    /// A permission was answered.
    #[serde(rename = "permission.replied")]
    PermissionReplied(PermissionReplied),
    /// A question waits for an answer.
    #[serde(rename = "question.asked")]
    QuestionAsked(QuestionRequest),
    /// A question was answered.
    #[serde(rename = "question.replied", rename_all = "camelCase")]
    QuestionReplied {
        /// The session that had asked.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The request.
        #[serde(rename = "requestID")]
        request: String,
        /// The labels picked.
        answers: Answers,
    },
    /// A question was dismissed.
    #[serde(rename = "question.rejected")]
    QuestionRejected {
        /// The session that had asked.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The request.
        #[serde(rename = "requestID")]
        request: String,
    },
    /// A session's task list was replaced.
    #[serde(rename = "todo.updated")]
    TodoUpdated {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The whole new list.
        todos: Vec<Todo>,
    },
    /// A tool has written a file.
    #[serde(rename = "file.edited")]
    FileEdited {
        /// The file.
        file: String,
    },
    /// A file came, changed or went.
    #[serde(rename = "file.watcher.updated")]
    FileWatcherUpdated {
        /// The file.
        file: String,
        /// What happened to it.
        event: FileEvent,
    },
    /// A running call tells how far it is.
    #[serde(rename = "tool.progress")]
    ToolProgress {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The call.
        #[serde(rename = "callID")]
        call: CallId,
        /// The newest title.
        title: Option<String>,
        /// The newest metadata, whole.
        metadata: Map<String, Value>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_wire_form_of_opencode() {
        let event = Event::QuestionReplied {
            session: SessionId::from_raw("ses_1"),
            request: "que_1".into(),
            answers: vec![vec!["Yes".into()]],
        };
        assert_eq!(
            serde_json::to_string(&event).unwrap(),
            r#"{"type":"question.replied","properties":{"sessionID":"ses_1","requestID":"que_1","answers":[["Yes"]]}}"#
        );
    }
}
