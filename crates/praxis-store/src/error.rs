//! What can go wrong with a store, sorted by who has to act.

use std::path::{Path, PathBuf};

use praxis_proto::{MessageId, PartId, SessionId};
use rusqlite::ErrorCode;

/// Why the store could not do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such session.
    #[error("there is no session `{0}`; `praxis session list --all` shows those there are")]
    NoSession(SessionId),
    /// There is no such message.
    #[error("there is no message `{message}` in session `{session}`")]
    NoMessage {
        /// Where it was looked for.
        session: SessionId,
        /// What was looked for.
        message: MessageId,
    },
    /// The beginning of an id fits several.
    #[error("`{given}` fits {}; give more of the id", .matches.join(", "))]
    Ambiguous {
        /// What was given.
        given: String,
        /// Some of those it fits.
        matches: Vec<String>,
    },
    /// There is a session with this id already.
    #[error("there is a session `{0}` already; use --replace to put the new one in its place")]
    Exists(SessionId),
    /// Another process, or another part of this one, runs the session.
    #[error("session `{session}` is in use{}; wait until that run ends or stop it", by(*.process))]
    InUse {
        /// The session.
        session: SessionId,
        /// The process, where it is known.
        process: Option<u32>,
    },
    /// A call that has settled cannot be opened again.
    #[error("the call `{0}` has settled already and stays as it is")]
    Settled(PartId),
    /// What was given does not fit the model.
    #[error("{0}")]
    Invalid(String),
    /// The store was written by a newer Praxis.
    #[error(
        "the store {} has version {found} and this program knows {known} at most; use a newer praxis, or another store with PRAXIS_DB",
        path.display()
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The highest version we know.
        known: i64,
    },
    /// The file is a database, and not ours.
    #[error("{} belongs to another program; name another file with PRAXIS_DB", .0.display())]
    Foreign(PathBuf),
    /// The file is damaged.
    #[error(
        "the store {} is damaged ({detail}); `praxis session doctor` tells more, and with --repair saves what can be read",
        path.display()
    )]
    Corrupt {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// The file, or its folder, cannot be written.
    #[error("the store {} cannot be written; check who owns it and its folder, or name another file with PRAXIS_DB", .0.display())]
    ReadOnly(PathBuf),
    /// No space is left.
    #[error("the disk that holds {} is full; free some space and try again, what was stored before is safe", .0.display())]
    Full(PathBuf),
    /// Another process kept the store locked.
    #[error("another process keeps {} locked; try again", .0.display())]
    Busy(PathBuf),
    /// The system did not play along.
    #[error("could not {action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// SQLite refused for another reason.
    #[error("the store {} failed: {detail}", path.display())]
    Database {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// A stored row could not be read as what it should be.
    #[error("{what} is stored in a form that cannot be read ({detail}); `praxis session doctor` tells more")]
    Unreadable {
        /// Which row.
        what: String,
        /// Why.
        detail: String,
    },
    /// The store was closed while the work waited.
    #[error("the store is closed")]
    Closed,
}

fn by(process: Option<u32>) -> String {
    process.map(|id| format!(" by process {id}")).unwrap_or_default()
}

/// A failure inside a piece of work, before it is known which file it was about.
#[derive(Debug)]
pub(crate) enum Trouble {
    Sql(rusqlite::Error),
    Told(StoreError),
}

pub(crate) type Work<T> = Result<T, Trouble>;

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Told(error)
    }
}

impl Trouble {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Sql(error) => from_sqlite(&error, path),
            Self::Told(error) => error,
        }
    }
}

/// Sorts what SQLite says.
pub(crate) fn from_sqlite(error: &rusqlite::Error, path: &Path) -> StoreError {
    let (path, detail) = (path.to_owned(), error.to_string());
    let extended = error.sqlite_error().map(|error| error.extended_code);
    if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
        // The index of the log could not grow, and only a full disk keeps it from that.
        return StoreError::Full(path);
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt { path, detail },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly(path)
        }
        Some(ErrorCode::DiskFull) => StoreError::Full(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(path),
        _ => StoreError::Database { path, detail },
    }
}
