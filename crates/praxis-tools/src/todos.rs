//! Where a session's task list is kept.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;

use praxis_proto::{SessionId, Todo};

use crate::Boxed;
use crate::lock::lock;

/// Keeps one task list for each session.
pub trait TodoStore: Send + Sync {
    /// Replaces the list as a whole; an empty one clears it.
    fn replace<'a>(&'a self, session: &'a SessionId, todos: Vec<Todo>) -> Boxed<'a, io::Result<()>>;

    /// The list, empty if there is none.
    fn list<'a>(&'a self, session: &'a SessionId) -> Boxed<'a, io::Result<Vec<Todo>>>;
}

/// Keeps lists while the program runs.
#[derive(Debug, Default)]
pub struct MemoryTodos {
    lists: Mutex<HashMap<SessionId, Vec<Todo>>>,
}

impl TodoStore for MemoryTodos {
    fn replace<'a>(&'a self, session: &'a SessionId, todos: Vec<Todo>) -> Boxed<'a, io::Result<()>> {
        Box::pin(async move {
            let mut lists = lock(&self.lists);
            if todos.is_empty() {
                lists.remove(session);
            } else {
                lists.insert(session.clone(), todos);
            }
            Ok(())
        })
    }

    fn list<'a>(&'a self, session: &'a SessionId) -> Boxed<'a, io::Result<Vec<Todo>>> {
        Box::pin(async move { Ok(lock(&self.lists).get(session).cloned().unwrap_or_default()) })
    }
}
