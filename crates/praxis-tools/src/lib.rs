//! The tool system: define, register, validate, permit, run and bound, and the tools that come with Praxis.
//!
//! A tool is one type. Its input's doc comment is what the model reads:
//!
//! ```
//! use praxis_tools::{Cx, Report, Standalone, Tool, ToolError};
//!
//! /// Add two numbers.
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Sum {
//!     /// The first.
//!     a: i64,
//!     /// The second.
//!     b: i64,
//! }
//!
//! struct Adder;
//!
//! impl Tool for Adder {
//!     type Input = Sum;
//!     const NAME: &'static str = "add";
//!
//!     async fn run(&self, input: Sum, _: &Cx) -> Result<Report, ToolError> {
//!         Ok(Report::new("sum", (input.a + input.b).to_string()))
//!     }
//! }
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let tools = Standalone::in_folder(".").tool(Adder).open().await?;
//! let done = tools.call("add", serde_json::json!({ "a": 1, "b": "2" })).await;
//! assert_eq!(done.outcome?.output, "3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/note.rs` registers such a tool, asks a permission and calls it.

mod ask;
pub mod builtin;
mod bus;
mod clock;
mod cx;
mod error;
mod files;
mod grants;
mod hooks;
mod instance;
mod lock;
mod media;
mod output;
mod permissions;
mod private;
mod progress;
mod questions;
pub mod registry;
pub mod schema;
pub mod shell;
mod standalone;
mod todos;
mod tool;
mod trust;

pub use ask::Ask;
pub use bus::Bus;
pub use clock::{Clock, system_clock};
pub use cx::{Cx, CxParts};
pub use error::ToolError;
pub use files::{AfterWrite, Diagnostic, Files, NoAfterWrite, Seen, Severity};
pub use grants::{GrantFile, GrantStore, NoGrants, ProjectGrants};
pub use hooks::{Extension, Guard, HOOK_DEADLINE, HookFailure, HookTrouble, Hooked, Hooks, ToolCall};
pub use instance::Instance;
pub use media::{ImageLimits, attach_media, fit_picture, fit_pictures};
pub use output::{OutputStore, RETENTION, Saved};
pub use permissions::{Attendance, DecisionObserver, NotStored, Permissions, PermissionsParts, ReplyError};
pub use praxis_policy::{Act, Authority, Grant};
pub use praxis_proto::{Attachment, Report};
pub use progress::Observer;
pub use questions::Questions;
pub use registry::{Offer, Registry};
pub use standalone::{Standalone, StandalonePlan};
pub use todos::{MemoryTodos, TodoStore};
pub use tool::{AnyTool, Boxed, DEFAULT_DEADLINE, Tool, Typed};
pub use trust::{FolderTrust, TrustFile};
