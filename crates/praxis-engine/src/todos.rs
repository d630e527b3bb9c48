//! The task lists of sessions: in the store once there is one, until then in memory.

use std::io;
use std::sync::{Arc, OnceLock};

use praxis_proto::{SessionId, Todo};
use praxis_store::Store;
use praxis_tools::{Boxed, MemoryTodos, TodoStore};

/// Task lists, kept where sessions are kept.
///
/// A project can be opened without a store, to run one tool or to look at the rules; then lists live as long as it.
#[derive(Default)]
pub(crate) struct SessionTodos {
    store: OnceLock<Arc<dyn Store>>,
    memory: MemoryTodos,
}

impl SessionTodos {
    /// Keeps lists in the store from now on; the first store stays.
    pub(crate) fn keep_in(&self, store: Arc<dyn Store>) {
        let _ = self.store.set(store);
    }
}

impl TodoStore for SessionTodos {
    fn replace<'a>(&'a self, session: &'a SessionId, todos: Vec<Todo>) -> Boxed<'a, io::Result<()>> {
        match self.store.get() {
            Some(store) => {
                Box::pin(async move { store.put_todos(session, todos).await.map_err(io::Error::other) })
            }
            None => self.memory.replace(session, todos),
        }
    }

    fn list<'a>(&'a self, session: &'a SessionId) -> Boxed<'a, io::Result<Vec<Todo>>> {
        match self.store.get() {
            Some(store) => Box::pin(async move { store.todos(session).await.map_err(io::Error::other) }),
            None => self.memory.list(session),
        }
    }
}
