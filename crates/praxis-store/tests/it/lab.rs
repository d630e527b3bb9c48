//! A store in a folder of its own, and short ways to say things.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use praxis_proto::{
    AnswerPath, AnswerTime, AssistantMessage, CallId, Created, Message, MessageId, MessageModel,
    MessageWithParts, Part, PartBody, PartId, SessionId, Span, StepFinishPart, TextPart, Tokens, ToolPart,
    UserMessage,
};
use praxis_store::{Clock, Cut, Draft, Lease, SqliteStore, Store};
use serde_json::Map;

pub(crate) const NOW: u64 = 1_790_000_000_000;

/// A store with a clock that the test moves.
pub(crate) struct Lab {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) time: Arc<AtomicU64>,
    pub(crate) store: SqliteStore,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let time = Arc::new(AtomicU64::new(NOW));
        let store = SqliteStore::open(&folder.path().join("praxis.db"), clock(&time)).unwrap();
        Self { folder, time, store }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("praxis.db")
    }

    /// The same file once more, as another process would have it.
    pub(crate) fn again(&self) -> SqliteStore {
        SqliteStore::open(&self.path(), clock(&self.time)).unwrap()
    }

    /// A new session, taken for writing.
    pub(crate) async fn session(&self) -> (SessionId, Lease) {
        let made = self.store.create(draft("/work")).await.unwrap();
        let opened = self.store.open(&made.id).await.unwrap();
        (made.id, opened.lease)
    }

    pub(crate) async fn history(&self, id: &SessionId) -> Vec<MessageWithParts> {
        self.store.history(id, Cut { limit: 1_000, ..Cut::default() }).await.unwrap().messages
    }

    /// Straight into the file, to break things.
    pub(crate) fn sql(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.path()).unwrap();
        connection.execute_batch(sql).unwrap();
    }
}

pub(crate) fn clock(time: &Arc<AtomicU64>) -> Clock {
    let time = Arc::clone(time);
    Arc::new(move || time.load(Ordering::SeqCst))
}

pub(crate) fn draft(directory: &str) -> Draft {
    Draft { directory: directory.into(), project: "global".into(), version: "1".into(), ..Draft::default() }
}

pub(crate) fn user(session: &SessionId, id: &str, created: u64) -> Message {
    Message::User(UserMessage {
        id: MessageId::from_raw(id),
        session: session.clone(),
        time: Created { created },
        format: None,
        summary: None,
        agent: "build".into(),
        model: MessageModel { provider: "p".into(), model: "m".into(), variant: None },
        system: None,
        tools: None,
        extra: Map::new(),
    })
}

pub(crate) fn answer(session: &SessionId, id: &str, completed: Option<u64>) -> Message {
    Message::Assistant(AssistantMessage {
        id: MessageId::from_raw(id),
        session: session.clone(),
        time: AnswerTime { created: NOW, completed },
        error: None,
        parent: MessageId::from_raw("msg_0"),
        model: "m".into(),
        provider: "p".into(),
        mode: "build".into(),
        agent: "build".into(),
        path: AnswerPath { cwd: "/work".into(), root: "/".into() },
        summary: None,
        cost: 0.0,
        tokens: Tokens::default(),
        structured: None,
        variant: None,
        finish: None,
        extra: Map::new(),
    })
}

pub(crate) fn part(session: &SessionId, message: &str, id: &str, body: PartBody) -> Part {
    Part { id: PartId::from_raw(id), session: session.clone(), message: MessageId::from_raw(message), body }
}

pub(crate) fn text(said: &str) -> PartBody {
    PartBody::Text(TextPart { text: said.into(), ..TextPart::default() })
}

/// A text that a model has begun.
pub(crate) fn growing(said: &str) -> PartBody {
    let time = Some(Span { start: NOW, end: None });
    PartBody::Text(TextPart { text: said.into(), time, ..TextPart::default() })
}

pub(crate) fn call() -> ToolPart {
    ToolPart::new(CallId::from_raw("call_1"), "bash")
}

pub(crate) fn step(cost: f64, input: u64) -> PartBody {
    let tokens = Tokens { input, output: 2, ..Tokens::default() };
    PartBody::StepFinish(StepFinishPart { reason: "stop".into(), cost, tokens, ..StepFinishPart::default() })
}

/// A line for whoever started this process.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
