//! Where sessions are kept, and opening that place.

use std::error::Error;
use std::path::PathBuf;

use praxis_store::{SqliteStore, StoreError};
use praxis_tools::system_clock;

use crate::opened::surroundings;
use crate::screen::Failure;

/// The store's file: `PRAXIS_DB`, or `praxis.db` with our other data.
///
/// OpenCode's variable of that kind names its own file, which is not ours to open.
pub(crate) fn path() -> PathBuf {
    let surroundings = surroundings();
    match surroundings.variables.get("PRAXIS_DB").filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => surroundings.dirs.data().join("praxis.db"),
    }
}

/// The store, made where there is none.
pub(crate) fn open() -> Result<SqliteStore, Failure> {
    SqliteStore::open(&path(), system_clock()).map_err(told)
}

/// The store only to read it; none if nothing was ever kept.
pub(crate) fn look() -> Result<Option<SqliteStore>, Failure> {
    SqliteStore::look(&path(), system_clock()).map_err(told)
}

/// The failure with what is behind it; what the user typed wrong is wrong usage.
pub(crate) fn told(error: StoreError) -> Failure {
    let text = match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    match error {
        StoreError::NoSession(_) | StoreError::Ambiguous { .. } => Failure::usage(text),
        _ => Failure::work(text),
    }
}
