//! Where extensions take part in a call.

use std::path::Path;

use praxis_proto::{Action, CallId, PermissionRequest, Report, SessionId};
use serde_json::Value;

use crate::Boxed;
use crate::registry::Definition;

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

/// A hook failed; the text goes to the model, the call does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookFailure(pub String);

/// The hook points of the tool layer. Everything has a default, so that an extension writes only what it needs.
pub trait Hooks: Send + Sync {
    /// May change what a model is told about a tool.
    fn definition<'a>(&'a self, definition: &'a mut Definition) -> Boxed<'a, ()> {
        let _ = definition;
        Box::pin(std::future::ready(()))
    }

    /// May change the arguments, or refuse the call.
    fn before<'a>(
        &'a self,
        call: &'a ToolCall,
        arguments: &'a mut Value,
    ) -> Boxed<'a, Result<(), HookFailure>> {
        let _ = (call, arguments);
        Box::pin(std::future::ready(Ok(())))
    }

    /// May change the report of a call that succeeded.
    fn after<'a>(
        &'a self,
        call: &'a ToolCall,
        arguments: &'a Value,
        report: &'a mut Report,
    ) -> Boxed<'a, ()> {
        let _ = (call, arguments, report);
        Box::pin(std::future::ready(()))
    }

    /// Variables for the commands that the shell tool runs.
    fn shell_env<'a>(
        &'a self,
        directory: &'a Path,
        session: &'a SessionId,
        call: &'a CallId,
    ) -> Boxed<'a, Vec<(String, String)>> {
        let _ = (directory, session, call);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// May answer a question in the user's place.
    fn permission<'a>(&'a self, request: &'a PermissionRequest) -> Boxed<'a, Option<Action>> {
        let _ = request;
        Box::pin(std::future::ready(None))
    }
}
