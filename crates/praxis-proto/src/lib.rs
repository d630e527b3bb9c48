//! The words every floor of Praxis shares: ids, sessions, messages, parts, rules, requests, reports and events.
//!
//! Nothing here does I/O or knows an async runtime; the JSON forms are those OpenCode's clients read.
//!
//! ```
//! use praxis_proto::{Mint, Prefix};
//!
//! let mint = Mint::seeded(|| 1_700_000_000_000, 7);
//! let (first, second) = (mint.next(Prefix::Message), mint.next(Prefix::Message));
//! assert!(first.starts_with("msg_") && first < second);
//! ```

mod diff;
mod event;
mod failure;
mod id;
mod message;
mod number;
mod part;
mod permission;
mod question;
mod report;
mod rule;
mod session;
mod status;
mod todo;
mod tokens;

pub use diff::FileDiff;
pub use event::{Event, FileEvent, SessionInfo};
pub use failure::{ApiFailure, Failure};
pub use id::{CallId, MessageId, Mint, PartId, Prefix, SessionId};
pub use message::{
    AnswerFormat, AnswerPath, AnswerTime, AssistantMessage, Created, Message, MessageModel, MessageWithParts,
    UserMessage, UserSummary,
};
pub use part::{
    AgentPart, CompactionPart, Completed, Failed, FilePart, FileSource, Part, PartBody, PatchPart, Pending,
    RanFor, Range, ReasoningPart, RetryPart, Running, SnapshotPart, SourceText, Span, Spot, Started,
    StepFinishPart, StepStartPart, SubtaskPart, TextPart, ToolPart, ToolState,
};
pub use permission::{CallRef, PermissionReplied, PermissionRequest, Reply, ReplyKind};
pub use question::{Answers, Choice, Question, QuestionRequest};
pub use report::{Attachment, Report};
pub use rule::{Action, Origin, Place, Rule};
pub use session::{
    Revert, Session, SessionModel, SessionRule, SessionSummary, SessionTime, Share, default_title,
};
pub use status::{RetryAction, SessionStatus};
pub use todo::Todo;
pub use tokens::{CacheTokens, Tokens};
