//! The words every floor of Praxis shares: ids, rules, requests, reports and events.
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

mod event;
mod id;
mod permission;
mod question;
mod report;
mod rule;
mod todo;

pub use event::{Event, FileEvent};
pub use id::{CallId, MessageId, Mint, Prefix, SessionId};
pub use permission::{CallRef, PermissionReplied, PermissionRequest, Reply, ReplyKind};
pub use question::{Answers, Choice, Question, QuestionRequest};
pub use report::{Attachment, Report};
pub use rule::{Action, Origin, Place, Rule};
pub use todo::Todo;
