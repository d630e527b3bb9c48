//! What the bus carries.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    Answers, CallId, Failure, FileDiff, Message, MessageId, Part, PartId, PermissionReplied,
    PermissionRequest, QuestionRequest, Session, SessionId, SessionStatus, Todo,
};

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
    /// A session was made.
    #[serde(rename = "session.created")]
    SessionCreated(SessionInfo),
    /// A session has changed.
    #[serde(rename = "session.updated")]
    SessionUpdated(SessionInfo),
    /// A session is gone.
    #[serde(rename = "session.deleted")]
    SessionDeleted(SessionInfo),
    /// A session is doing something else.
    #[serde(rename = "session.status")]
    SessionStatus {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// What it does.
        status: SessionStatus,
    },
    /// A session has nothing to do; said beside its status, for old clients.
    #[serde(rename = "session.idle")]
    SessionIdle {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
    },
    /// Something went wrong in a session, or outside any.
    #[serde(rename = "session.error")]
    SessionError {
        /// The session.
        #[serde(rename = "sessionID", skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// What.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Box<Failure>>,
    },
    /// What a session's changes come to.
    #[serde(rename = "session.diff")]
    SessionDiff {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The changed files.
        diff: Vec<FileDiff>,
    },
    /// A session's history was summed up.
    #[serde(rename = "session.compacted")]
    SessionCompacted {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
    },
    /// A message is new or has changed.
    #[serde(rename = "message.updated")]
    MessageUpdated {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The whole message.
        info: Box<Message>,
    },
    /// A message is gone.
    #[serde(rename = "message.removed")]
    MessageRemoved {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The message.
        #[serde(rename = "messageID")]
        message: MessageId,
    },
    /// A part is new or has changed.
    #[serde(rename = "message.part.updated")]
    PartUpdated {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The whole part.
        part: Box<Part>,
        /// When, in milliseconds since the Unix epoch.
        time: u64,
    },
    /// A part is gone.
    #[serde(rename = "message.part.removed")]
    PartRemoved {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The message.
        #[serde(rename = "messageID")]
        message: MessageId,
        /// The part.
        #[serde(rename = "partID")]
        part: PartId,
    },
    /// A part has grown.
    #[serde(rename = "message.part.delta")]
    PartDelta {
        /// The session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// The message.
        #[serde(rename = "messageID")]
        message: MessageId,
        /// The part.
        #[serde(rename = "partID")]
        part: PartId,
        /// Which of its fields, for example `text`.
        field: String,
        /// What is new at its end.
        delta: String,
    },
    /// A slash command was run.
    #[serde(rename = "command.executed")]
    CommandExecuted {
        /// Which.
        name: String,
        /// In which session.
        #[serde(rename = "sessionID")]
        session: SessionId,
        /// What was typed behind it.
        arguments: String,
        /// The message that came of it.
        #[serde(rename = "messageID")]
        message: MessageId,
    },
    /// A server offers other tools than before.
    #[serde(rename = "mcp.tools.changed")]
    McpToolsChanged {
        /// Which.
        server: String,
    },
    /// The user's browser could not be opened for a server's login.
    #[serde(rename = "mcp.browser.open.failed")]
    McpBrowserOpenFailed {
        /// Which server.
        #[serde(rename = "mcpName")]
        server: String,
        /// What should have been opened.
        url: String,
    },
    /// A language server came, changed or went.
    #[serde(rename = "lsp.updated")]
    LspUpdated {},
    /// The event stream stands.
    #[serde(rename = "server.connected")]
    ServerConnected {},
    /// The event stream still stands.
    #[serde(rename = "server.heartbeat")]
    ServerHeartbeat {},
    /// A project was closed.
    #[serde(rename = "server.instance.disposed")]
    ServerInstanceDisposed {
        /// Its directory.
        directory: String,
    },
    /// A worktree can be used.
    #[serde(rename = "worktree.ready")]
    WorktreeReady {
        /// Its name.
        name: String,
        /// Its branch.
        #[serde(skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
    /// A worktree could not be made.
    #[serde(rename = "worktree.failed")]
    WorktreeFailed {
        /// Why.
        message: String,
    },
    /// Another branch is checked out.
    #[serde(rename = "vcs.branch.updated")]
    VcsBranchUpdated {
        /// Which, unless none is.
        #[serde(skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
}

/// A session with its id beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionInfo {
    /// The id.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// The whole session.
    pub info: Box<Session>,
}

impl From<Session> for SessionInfo {
    fn from(session: Session) -> Self {
        Self { session: session.id.clone(), info: Box::new(session) }
    }
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
        let delta = Event::PartDelta {
            session: SessionId::from_raw("ses_1"),
            message: MessageId::from_raw("msg_1"),
            part: PartId::from_raw("prt_1"),
            field: "text".into(),
            delta: "x".into(),
        };
        assert_eq!(
            serde_json::to_string(&delta).unwrap(),
            r#"{"type":"message.part.delta","properties":{"sessionID":"ses_1","messageID":"msg_1","partID":"prt_1","field":"text","delta":"x"}}"#
        );
        assert_eq!(
            serde_json::to_string(&Event::ServerConnected {}).unwrap(),
            r#"{"type":"server.connected","properties":{}}"#
        );
        let status = SessionStatus::Retry { attempt: 2, message: "busy".into(), action: None, next: 9 };
        assert_eq!(
            serde_json::to_string(&Event::SessionStatus { session: SessionId::from_raw("ses_1"), status })
                .unwrap(),
            r#"{"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"retry","attempt":2,"message":"busy","next":9}}}"#
        );
    }
}
