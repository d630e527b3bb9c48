//! One writer for each path. A lock goes when nobody holds or wants it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use praxis_os::RealPath;
use tokio::sync::OwnedMutexGuard;

use crate::lock::lock;
use crate::{Cx, ToolError};

type Table = Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>;

/// The locks of one project.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathLocks {
    table: Arc<Table>,
}

/// Paths that are held; gives them back when it goes.
pub(crate) struct Held {
    table: Arc<Table>,
    held: Vec<(PathBuf, Option<OwnedMutexGuard<()>>)>,
}

impl PathLocks {
    /// Waits for all paths. They are taken in one order, so that two calls never wait for each other.
    pub(crate) async fn hold(&self, paths: &[&RealPath], cx: &Cx) -> Result<Held, ToolError> {
        let mut names: Vec<PathBuf> = paths.iter().map(|path| path.as_path().to_owned()).collect();
        names.sort();
        names.dedup();
        let mut held = Held { table: Arc::clone(&self.table), held: Vec::new() };
        // Another call may be waiting for the user while it holds a path.
        let _waiting = cx.waiting();
        for name in names {
            let mutex = Arc::clone(lock(&self.table).entry(name.clone()).or_default());
            // Named before it is held, so that it is given back even if the wait is cut short.
            held.held.push((name, None));
            let guard = tokio::select! {
                biased;
                () = cx.cancelled() => return Err(ToolError::Cancelled),
                guard = mutex.lock_owned() => guard,
            };
            if let Some(last) = held.held.last_mut() {
                last.1 = Some(guard);
            }
        }
        Ok(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut table = lock(&self.table);
        for (name, guard) in self.held.drain(..) {
            drop(guard);
            // The table's own reference is the only one left: nobody holds it, nobody waits.
            if table.get(&name).is_some_and(|mutex| Arc::strong_count(mutex) == 1) {
                table.remove(&name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use praxis_proto::Rule;

    use super::*;
    use crate::Standalone;

    #[tokio::test]
    async fn a_lock_that_nobody_holds_or_wants_is_gone() {
        let allow = Rule::built_in("test", "*", "*", praxis_proto::Action::Allow);
        let tools = Standalone::in_folder(".").rule(allow).open().await.unwrap();
        let (locks, cx) = (PathLocks::default(), tools.cx(Default::default()));
        let path = RealPath::already_resolved("/a".into());
        let held = locks.hold(&[&path, &path], &cx).await.unwrap();
        assert_eq!(lock(&locks.table).len(), 1);
        let waiting = tokio::spawn({
            let (locks, cx, path) = (locks.clone(), cx.clone(), path.clone());
            async move { locks.hold(&[&path], &cx).await.map(drop) }
        });
        tokio::task::yield_now().await;
        drop(held);
        waiting.await.unwrap().unwrap();
        assert_eq!(lock(&locks.table).len(), 0);

        let held = locks.hold(&[&path], &cx).await.unwrap();
        cx.cancel().cancel();
        assert!(matches!(locks.hold(&[&path], &cx).await, Err(ToolError::Cancelled)));
        drop(held);
        assert_eq!(lock(&locks.table).len(), 0);
    }
}
