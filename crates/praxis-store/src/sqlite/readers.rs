//! Connections for reading, a few at most, each seeing one moment of the store.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::connect;
use crate::StoreError;
use crate::error::{Work, from_sqlite};

/// Readers at the same time.
const MOST: usize = 4;

/// Connections for reading.
pub(crate) struct Readers {
    path: Arc<Path>,
    idle: Arc<Mutex<Vec<Connection>>>,
    gate: Semaphore,
}

impl Readers {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.into(), idle: Arc::default(), gate: Semaphore::new(MOST) }
    }

    /// Keeps a connection that was made already.
    pub(crate) fn keep(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    /// Reads on a thread where waiting is allowed.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Work<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _place = self.gate.acquire().await.map_err(|_| StoreError::Closed)?;
        let (path, idle) = (Arc::clone(&self.path), Arc::clone(&self.idle));
        let reading = tokio::task::spawn_blocking(move || {
            let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match kept {
                Some(connection) => connection,
                None => connect::reader(&path)?,
            };
            let result = one_moment(&connection, work, &path);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            result
        });
        reading.await.map_err(|_| StoreError::Closed)?
    }
}

fn one_moment<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Work<T>,
    path: &Path,
) -> Result<T, StoreError> {
    let moment = connection.unchecked_transaction().map_err(|e| from_sqlite(&e, path))?;
    let result = work(&moment).map_err(|trouble| trouble.at(path));
    // Nothing was written; how the transaction ends does not matter.
    let _ = moment.finish();
    result
}
