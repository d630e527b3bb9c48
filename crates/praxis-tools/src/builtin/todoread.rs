//! Shows the session's task list.

use std::sync::Arc;

use praxis_proto::Todo;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{Ask, Cx, Report, TodoStore, Tool, ToolError};

/// Show the task list of this session as it stands.
///
/// Use it when you are not sure what is left, for example after a long stretch of work. It takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {}

/// Reads the list.
pub struct TodoRead {
    todos: Arc<dyn TodoStore>,
}

impl TodoRead {
    /// Reads lists from `todos`.
    pub fn new(todos: Arc<dyn TodoStore>) -> Self {
        Self { todos }
    }
}

impl Tool for TodoRead {
    type Input = Input;

    const NAME: &'static str = "todoread";

    async fn run(&self, Input {}: Input, cx: &Cx) -> Result<Report, ToolError> {
        let _list = cx.ask(Ask::new(Self::NAME, "*")).await?;
        let todos = self
            .todos
            .list(cx.session())
            .await
            .map_err(|e| ToolError::Outside(format!("the task list could not be read: {e}")))?;
        Ok(show(&todos).with("todos", json!(todos)))
    }
}

/// The list for people and models: how many are open, and all of it as JSON.
pub(super) fn show(todos: &[Todo]) -> Report {
    let open = todos.iter().filter(|todo| todo.status != "completed").count();
    Report::new(format!("{open} todos"), format!("{:#}", json!(todos)))
}
