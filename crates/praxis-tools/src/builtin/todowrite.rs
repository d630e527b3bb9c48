//! Replaces the session's task list.

use std::sync::Arc;

use praxis_proto::{Event, Todo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::todoread::show;
use crate::{Ask, Cx, Report, TodoStore, Tool, ToolError};

/// Keep the task list of this session. Each call replaces the whole list.
///
/// Use it for work of three or more steps, when the user names several things to do, and when new work turns up on
/// the way. Leave it out for a single simple step and for questions.
///
/// - Keep exactly one task `in_progress`, and mark it so before you start it.
/// - Mark a task `completed` as soon as it is done and checked, not in batches; never while tests fail or parts are missing.
/// - Mark what is no longer needed `cancelled`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The whole new list, in order.
    todos: Vec<Todo>,
}

/// Keeps the list.
pub struct TodoWrite {
    todos: Arc<dyn TodoStore>,
}

impl TodoWrite {
    /// Keeps lists in `todos`.
    pub fn new(todos: Arc<dyn TodoStore>) -> Self {
        Self { todos }
    }
}

impl Tool for TodoWrite {
    type Input = Input;

    const NAME: &'static str = "todowrite";

    async fn run(&self, Input { todos }: Input, cx: &Cx) -> Result<Report, ToolError> {
        let _list = cx.ask(Ask::new(Self::NAME, "*")).await?;
        self.todos
            .replace(cx.session(), todos.clone())
            .await
            .map_err(|e| ToolError::Outside(format!("the task list could not be stored: {e}")))?;
        cx.bus().publish(Event::TodoUpdated { session: cx.session().clone(), todos: todos.clone() });
        Ok(show(&todos).with("todos", json!(todos)))
    }
}
