//! Where extensions take part in a call.

mod guard;

use std::path::Path;
use std::time::Duration;

use praxis_proto::{Action, CallId, PermissionRequest, Report, SessionId};
use serde_json::Value;

pub use guard::{Guard, HookTrouble};

use crate::Boxed;
use crate::registry::Definition;

/// How long a hook may take, unless its extension says otherwise.
pub const HOOK_DEADLINE: Duration = Duration::from_secs(5);

/// A call as hooks see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// The session.
    pub session: SessionId,
    /// The call.
    pub call: CallId,
}

/// A hook failed, or refuses; where it refuses a call, the model reads the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookFailure(pub String);

/// What a hook comes to.
pub type Hooked<'a, T = ()> = Boxed<'a, Result<T, HookFailure>>;

/// Whoever takes part: its name, and how long it may take.
pub trait Extension: Send + Sync {
    /// What people know it as.
    fn name(&self) -> &str;

    /// How long each of its hooks may take.
    fn deadline(&self) -> Duration {
        HOOK_DEADLINE
    }
}

/// The hook points of the tool layer. Everything has a default, so that an extension writes only what it needs.
///
/// A hook changes a draft, which counts when the hook ends well and in time. A [`Guard`] sees to that.
pub trait Hooks: Extension {
    /// `tool.definition`: may change what a model is told about a tool.
    fn definition<'a>(&'a self, definition: &'a mut Definition) -> Hooked<'a> {
        let _ = definition;
        nothing()
    }

    /// `tool.execute.before`: may change the arguments, or refuse the call.
    fn before<'a>(&'a self, call: &'a ToolCall, arguments: &'a mut Value) -> Hooked<'a> {
        let _ = (call, arguments);
        nothing()
    }

    /// `tool.execute.after`: may change the report of a call that succeeded.
    fn after<'a>(&'a self, call: &'a ToolCall, arguments: &'a Value, report: &'a mut Report) -> Hooked<'a> {
        let _ = (call, arguments, report);
        nothing()
    }

    /// `shell.env`: variables for a command that is about to run in this directory.
    fn shell_env<'a>(
        &'a self,
        directory: &'a Path,
        session: &'a SessionId,
        call: &'a CallId,
    ) -> Hooked<'a, Vec<(String, String)>> {
        let _ = (directory, session, call);
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// `permission.ask`: may answer a question in the user's place; `ask` and nothing leave it to them.
    fn permission<'a>(&'a self, request: &'a PermissionRequest) -> Hooked<'a, Option<Action>> {
        let _ = request;
        Box::pin(std::future::ready(Ok(None)))
    }
}

fn nothing<'a>() -> Hooked<'a> {
    Box::pin(std::future::ready(Ok(())))
}
