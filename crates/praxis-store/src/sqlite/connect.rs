//! Opening the file: who may, in which version, with which settings.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::schema::{self, Standing};
use crate::StoreError;
use crate::error::from_sqlite;

/// Earlier ones can corrupt a WAL when one connection writes while another checkpoints.
const OLDEST_SQLITE: i32 = 3_051_003;
/// How long to wait for another process that writes.
const PATIENCE: &str = "5000";
/// What SQLite keeps in memory for a connection, in KiB. A session writes at its end, so more would only grow with it.
const WRITER_CACHE: u32 = 2 * 1_024;
const READER_CACHE: u32 = 2 * 1_024;
/// What is left of the log after a checkpoint, so that one big report does not stay twice on disk.
const LOG_KEPT: u32 = 16 * 1_024 * 1_024;

/// Opens the store for writing; makes it where there is none and brings an older one to this version.
pub(crate) fn writer(path: &Path) -> Result<Connection, StoreError> {
    check_sqlite(path)?;
    check_file(path)?;
    make_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| from_sqlite(&e, path))?;
    let standing = {
        let settle = format!("PRAGMA busy_timeout = {PATIENCE}");
        connection.execute_batch(&settle).map_err(|e| from_sqlite(&e, path))?;
        schema::look(&connection, path)
    };
    let standing = match standing {
        Ok(standing) => standing,
        Err(refusal) => {
            leave_untouched(&connection);
            return Err(refusal);
        }
    };
    // Checkpoints are made by the writer's thread between two batches, where nobody waits for them.
    let settings = format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
         PRAGMA cache_size = -{WRITER_CACHE}; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = {LOG_KEPT}"
    );
    run(&connection, &settings, path)?;
    if let Standing::Old = standing {
        schema::migrate(&connection, path)?;
    }
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens the store for reading; one of an older version is brought to this one first.
pub(crate) fn reader(path: &Path) -> Result<Connection, StoreError> {
    match current_reader(path)? {
        Some(connection) => Ok(connection),
        None => {
            drop(writer(path)?);
            current_reader(path)?.ok_or_else(|| StoreError::ReadOnly(path.to_owned()))
        }
    }
}

/// Opens the store for reading; none if it has an older version.
fn current_reader(path: &Path) -> Result<Option<Connection>, StoreError> {
    check_sqlite(path)?;
    check_file(path)?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let open = |uri: String| -> Result<Option<Connection>, StoreError> {
        let connection = Connection::open_with_flags(uri, flags).map_err(|e| from_sqlite(&e, path))?;
        let settings = format!(
            "PRAGMA busy_timeout = {PATIENCE}; PRAGMA cache_size = -{READER_CACHE}; PRAGMA trusted_schema = OFF"
        );
        run(&connection, &settings, path)?;
        match schema::look(&connection, path)? {
            Standing::Current => Ok(Some(connection)),
            Standing::Old => Ok(None),
        }
    };
    match open(uri(path, "")) {
        // In a folder that cannot be written there can be no log either, and without one nothing changes below us.
        Err(StoreError::ReadOnly(_)) if path.is_file() && !beside(path, "-wal").exists() => {
            open(uri(path, "&immutable=1"))
        }
        opened => opened,
    }
}

/// Closing must not even checkpoint a store that is not for us.
fn leave_untouched(connection: &Connection) {
    // If this fails too there is nothing gentler left to try.
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
}

fn run(connection: &Connection, settings: &str, path: &Path) -> Result<(), StoreError> {
    connection.execute_batch(settings).map_err(|e| from_sqlite(&e, path))
}

fn check_sqlite(path: &Path) -> Result<(), StoreError> {
    if rusqlite::version_number() >= OLDEST_SQLITE {
        return Ok(());
    }
    let detail = format!("SQLite {} can damage it; build with 3.51.3 or newer", rusqlite::version());
    Err(StoreError::Database { path: path.to_owned(), detail })
}

/// Refuses what SQLite would not refuse, or not in words that help.
fn check_file(path: &Path) -> Result<(), StoreError> {
    let Ok(file) = path.metadata() else { return Ok(()) };
    if file.is_dir() {
        let source =
            io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file with PRAXIS_DB");
        return Err(StoreError::File { action: "open", path: path.to_owned(), source });
    }
    // SQLite takes an empty file for a new one, and throws away the log beside it.
    if file.len() == 0 && beside(path, "-wal").metadata().is_ok_and(|log| log.len() > 0) {
        let detail = "the file is empty, and the log beside it is not".to_owned();
        return Err(StoreError::Corrupt { path: path.to_owned(), detail });
    }
    Ok(())
}

/// Only its owner reads what was said.
fn make_file(path: &Path) -> Result<(), StoreError> {
    let told = |action, source: io::Error| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly(path.to_owned())
        }
        io::ErrorKind::StorageFull => StoreError::Full(path.to_owned()),
        _ => StoreError::File { action, path: path.to_owned(), source },
    };
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        praxis_os::make_private_dir(folder).map_err(|e| told("make the folder of", e))?;
    }
    match praxis_os::create_private(path) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(told("make", e)),
    }
}

/// The path as SQLite reads it in a URI.
fn uri(path: &Path, options: &str) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("{uri}?mode=ro{options}")
}

/// A file of SQLite's own beside the store.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
