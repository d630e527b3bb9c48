//! What a store can do, in words that fit any database.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

use praxis_proto::{
    Message, MessageId, MessageWithParts, Part, PartId, Revert, Session, SessionId, SessionModel,
    SessionRule, SessionSummary, Share, Todo,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::StoreError;

/// A future on the heap, so that stores can be behind `dyn`.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Milliseconds since the Unix epoch.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Keeps sessions with their messages and parts.
///
/// Whatever returns is there after a crash of the program, [`Store::append`] apart, which is at most 250 ms behind.
/// Messages and parts keep the order in which they were first put, whatever their ids and the clock say. Everybody
/// may read at any time; only the holder of a [`Lease`] writes into a session.
pub trait Store: Send + Sync {
    /// Makes a session.
    fn create(&self, draft: Draft) -> Boxed<'_, Session>;

    /// One session.
    fn session<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Session>;

    /// The session whose id begins like this, or the last one used for `last`.
    fn find<'a>(&'a self, given: &'a str) -> Boxed<'a, SessionId>;

    /// Changes some properties of a session and leaves the others as they are; needs no lease.
    fn change<'a>(&'a self, id: &'a SessionId, changes: Vec<Change>) -> Boxed<'a, Session>;

    /// Sessions, the last used first.
    fn list(&self, filter: Filter) -> Boxed<'_, Vec<Session>>;

    /// The sessions that this one started, the oldest first.
    fn children<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Vec<Session>>;

    /// Deletes a session and those it started; gives them all, this one last. None of them may be in use.
    fn delete<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Vec<SessionId>>;

    /// Takes the session for writing and closes what a crash left open.
    fn open<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Opened>;

    /// Appends a message, or replaces it where it stands.
    fn put_message<'a>(&'a self, lease: &'a Lease, message: Message) -> Boxed<'a, ()>;

    /// Puts a message that is there already behind all others, as if it were said only now; its parts go with it.
    fn put_message_last<'a>(&'a self, lease: &'a Lease, message: Message) -> Boxed<'a, ()>;

    /// Removes a message with its parts.
    fn remove_message<'a>(&'a self, lease: &'a Lease, message: &'a MessageId) -> Boxed<'a, ()>;

    /// Appends a part to its message, or replaces it where it stands; what was appended to it before is superseded.
    fn put_part<'a>(&'a self, lease: &'a Lease, part: Part) -> Boxed<'a, ()>;

    /// Removes a part.
    fn remove_part<'a>(&'a self, lease: &'a Lease, part: &'a PartId) -> Boxed<'a, ()>;

    /// Lets one field of a part grow. Stored within 250 ms or 4 KiB; nothing already stored is written again.
    fn append<'a>(&'a self, lease: &'a Lease, part: &'a PartId, field: Field, text: &'a str)
    -> Boxed<'a, ()>;

    /// Stores everything appended so far.
    fn flush(&self) -> Boxed<'_, ()>;

    /// The newest messages before a point, oldest first.
    fn history<'a>(&'a self, session: &'a SessionId, cut: Cut) -> Boxed<'a, Page>;

    /// One message with its parts.
    fn message<'a>(&'a self, session: &'a SessionId, message: &'a MessageId) -> Boxed<'a, MessageWithParts>;

    /// A text that a light page left out.
    fn text<'a>(&'a self, left_out: &'a LeftOut) -> Boxed<'a, String>;

    /// Replaces a session's task list.
    fn put_todos<'a>(&'a self, session: &'a SessionId, todos: Vec<Todo>) -> Boxed<'a, ()>;

    /// A session's task list.
    fn todos<'a>(&'a self, session: &'a SessionId) -> Boxed<'a, Vec<Todo>>;

    /// Where a text was said, the sessions last used first.
    fn search<'a>(&'a self, text: &'a str, limit: usize) -> Boxed<'a, Vec<Hit>>;

    /// A whole session, to be taken elsewhere.
    fn export<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Transfer>;

    /// Takes in a whole session with the ids it has.
    fn import(&self, transfer: Transfer, existing: Existing) -> Boxed<'_, Session>;
}

/// What a new session is to be.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The working directory.
    pub directory: String,
    /// The project.
    pub project: String,
    /// The directory relative to the worktree.
    pub path: Option<String>,
    /// The workspace, where there are any.
    pub workspace: Option<String>,
    /// The session that starts it.
    pub parent: Option<SessionId>,
    /// A title; without it there is one of prefix and time.
    pub title: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<SessionModel>,
    /// Rules of its own.
    pub permission: Option<Vec<SessionRule>>,
    /// Whatever a client keeps with it.
    pub metadata: Option<Map<String, Value>>,
    /// The version of the program that makes it.
    pub version: String,
}

/// One changed property of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The title.
    Title(String),
    /// The agent last used.
    Agent(Option<String>),
    /// The model last used.
    Model(Option<SessionModel>),
    /// What its changes come to.
    Summary(Option<SessionSummary>),
    /// What is undone.
    Revert(Option<Revert>),
    /// Rules of its own.
    Permission(Option<Vec<SessionRule>>),
    /// Whatever a client keeps with it.
    Metadata(Option<Map<String, Value>>),
    /// Where others read it.
    Share(Option<Share>),
    /// Since when a compaction is under way.
    Compacting(Option<u64>),
    /// Since when it is put away.
    Archived(Option<u64>),
}

/// Which sessions to list.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Of this directory.
    pub directory: Option<String>,
    /// Of this project.
    pub project: Option<String>,
    /// Of this workspace.
    pub workspace: Option<String>,
    /// Whose path is this or lies below it.
    pub path: Option<String>,
    /// Not started by another session.
    pub roots: bool,
    /// Last used at this time or later.
    pub since: Option<u64>,
    /// Last used before this time, to go on in a long list.
    pub before: Option<u64>,
    /// Whose title contains this.
    pub title: Option<String>,
    /// Also those put away.
    pub archived: bool,
    /// At most so many.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            directory: None,
            project: None,
            workspace: None,
            path: None,
            roots: false,
            since: None,
            before: None,
            title: None,
            archived: false,
            limit: 100,
        }
    }
}

/// The right to write into one session; it ends when this is dropped or the process dies.
#[derive(Debug)]
#[must_use]
pub struct Lease {
    pub(crate) session: SessionId,
    /// Whatever keeps others out.
    pub(crate) _hold: Box<dyn Any + Send + Sync>,
}

impl Lease {
    /// A lease, for those who implement a store.
    pub fn new(session: SessionId, hold: impl Any + Send + Sync) -> Self {
        Self { session, _hold: Box::new(hold) }
    }

    /// The session it is for.
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

/// A session taken for writing.
#[derive(Debug)]
pub struct Opened {
    /// The session.
    pub session: Session,
    /// The right to write.
    pub lease: Lease,
    /// What a crash had left open.
    pub recovered: Recovered,
    /// The highest ids of its messages and parts, for [`praxis_proto::Mint::stay_behind`].
    pub newest: Vec<String>,
}

/// What was closed after a crash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// Calls, now interrupted.
    pub calls: Vec<PartId>,
    /// Texts and thoughts, now ended where they were.
    pub texts: Vec<PartId>,
    /// Messages, now completed with an error.
    pub messages: Vec<MessageId>,
}

impl Recovered {
    /// Whether there was nothing to close.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.texts.is_empty() && self.messages.is_empty()
    }
}

/// A field of a part that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The text of a text or a thought.
    Text,
    /// The text of a pending call's arguments.
    Arguments,
    /// The output of a running call, `metadata.output` of its state.
    Output,
}

impl Field {
    pub(crate) const ALL: [Self; 3] = [Self::Text, Self::Arguments, Self::Output];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Arguments => "raw",
            Self::Output => "output",
        }
    }

    /// Where it is in a part's fields.
    pub(crate) fn place(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["text"],
            Self::Arguments => &["state", "raw"],
            Self::Output => &["state", "metadata", "output"],
        }
    }
}

/// Which piece of a history.
#[derive(Debug, Clone)]
pub struct Cut {
    /// Only messages before this one.
    pub before: Option<MessageId>,
    /// At most so many messages.
    pub limit: usize,
    /// How much of each.
    pub detail: Detail,
}

impl Default for Cut {
    fn default() -> Self {
        Self { before: None, limit: 50, detail: Detail::Whole }
    }
}

/// How much of each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Whole,
    /// Big texts are left out, and named in the page.
    Light,
}

/// A piece of a history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The messages, oldest first.
    pub messages: Vec<MessageWithParts>,
    /// Whether there are older ones.
    pub more: bool,
    /// What a light page lacks.
    pub left_out: Vec<LeftOut>,
}

/// A big text that a light page leaves out; an empty text stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The id of the part or message it belongs to.
    pub owner: String,
    /// Where in its JSON, as a JSON pointer below the part's own fields.
    pub pointer: String,
    /// Names the content.
    pub blob: String,
    /// How long it is.
    pub bytes: u64,
}

/// A place where a text was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// In which session.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// Its title.
    pub title: String,
    /// When it was last used.
    pub updated: u64,
    /// In which message; none if the title has it.
    #[serde(rename = "messageID", skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// In which part.
    #[serde(rename = "partID", skip_serializing_if = "Option::is_none")]
    pub part: Option<PartId>,
    /// The words around it, on one line.
    pub snippet: String,
}

/// A whole session on its way, in the form OpenCode exports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// The session.
    pub info: Session,
    /// Its messages, oldest first.
    #[serde(default)]
    pub messages: Vec<MessageWithParts>,
}

/// What to do where there is such a session already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it, and say so.
    Keep,
    /// Put the new one in its place.
    Replace,
}
