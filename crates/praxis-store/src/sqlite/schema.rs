//! The tables, and how a store of an older version becomes one of this.
//!
//! Statements elsewhere keep to SQL that PostgreSQL reads too; what is SQLite's own stands in this folder alone.

use std::path::Path;

use rusqlite::Connection;

use crate::StoreError;
use crate::error::from_sqlite;

/// `PRAX`: marks the file as ours.
pub(crate) const APPLICATION: i64 = 0x5052_4158;

/// Each brings a store from the version of its index to the next. Never change one that was released.
const STEPS: &[&str] = &[TABLES, WORDS];

/// Money is counted in millionths of a millionth of a dollar, so that sums are exact.
const TABLES: &str = "
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  directory TEXT NOT NULL,
  path TEXT,
  parent TEXT,
  title TEXT NOT NULL,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  archived BIGINT,
  cost BIGINT NOT NULL DEFAULT 0,
  input BIGINT NOT NULL DEFAULT 0,
  output BIGINT NOT NULL DEFAULT 0,
  reasoning BIGINT NOT NULL DEFAULT 0,
  cache_read BIGINT NOT NULL DEFAULT 0,
  cache_write BIGINT NOT NULL DEFAULT 0,
  data TEXT NOT NULL,
  blobs TEXT
);
CREATE INDEX session_updated ON session (updated, id);
CREATE INDEX session_parent ON session (parent);

CREATE TABLE message (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL,
  role TEXT NOT NULL,
  open BIGINT NOT NULL,
  data TEXT NOT NULL,
  blobs TEXT,
  PRIMARY KEY (session_id, seq)
);
CREATE UNIQUE INDEX message_id ON message (session_id, id);
CREATE INDEX message_open ON message (session_id) WHERE open = 1;

CREATE TABLE part (
  number INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  message_seq BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  open BIGINT NOT NULL,
  data TEXT NOT NULL,
  blobs TEXT,
  FOREIGN KEY (session_id, message_seq) REFERENCES message (session_id, seq) ON DELETE CASCADE
);
CREATE UNIQUE INDEX part_id ON part (session_id, id);
CREATE UNIQUE INDEX part_order ON part (session_id, message_seq, seq);
CREATE INDEX part_open ON part (session_id) WHERE open = 1;
CREATE INDEX part_step ON part (session_id) WHERE type = 'step-finish';

CREATE TABLE delta (
  session_id TEXT NOT NULL,
  part_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  field TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session_id, part_id, seq),
  FOREIGN KEY (session_id, part_id) REFERENCES part (session_id, id) ON DELETE CASCADE
);

CREATE TABLE todo (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  content TEXT NOT NULL,
  status TEXT NOT NULL,
  priority TEXT NOT NULL,
  PRIMARY KEY (session_id, position)
);

CREATE TABLE blob (id TEXT PRIMARY KEY, bytes BIGINT NOT NULL);
CREATE TABLE blob_piece (
  id TEXT NOT NULL,
  position BIGINT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (id, position)
);
CREATE TABLE blob_use (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  owner TEXT NOT NULL,
  blob TEXT NOT NULL REFERENCES blob (id),
  PRIMARY KEY (session_id, owner, blob)
);
CREATE INDEX blob_use_blob ON blob_use (blob);
";

/// What was said, by word. The words alone are kept; the texts are in their parts.
const WORDS: &str = "
CREATE VIRTUAL TABLE words USING fts5 (body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER part_gone AFTER DELETE ON part WHEN old.type = 'text' BEGIN
  DELETE FROM words WHERE rowid = old.number;
END;
INSERT INTO words (rowid, body)
  SELECT number, substr(json_extract(data, '$.text'), 1, 65536) FROM part WHERE type = 'text' AND open = 0;
";

/// The version this program writes.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// How a store stands to this program.
pub(crate) enum Standing {
    Current,
    Old,
}

/// Looks at the marks of a store and refuses one that is not for us; changes nothing.
pub(crate) fn look(connection: &Connection, path: &Path) -> Result<Standing, StoreError> {
    let sql = |error: rusqlite::Error| from_sqlite(&error, path);
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).map_err(sql);
    let (application, found) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    let tables = number("SELECT count(*) FROM sqlite_master")?;
    match (application, found) {
        (APPLICATION, VERSION) => Ok(Standing::Current),
        (APPLICATION, 0..VERSION) => Ok(Standing::Old),
        (APPLICATION, _) => Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION }),
        (0, 0) if tables == 0 => Ok(Standing::Old),
        _ => Err(StoreError::Foreign(path.to_owned())),
    }
}

/// Brings a store to this version, whole or not at all; another process may be at it as well.
pub(crate) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    migrate_to(connection, VERSION).map_err(|error| from_sqlite(&error, path))
}

fn migrate_to(connection: &Connection, version: i64) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let done = (|| {
        let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let from = usize::try_from(found).unwrap_or(0);
        let to = usize::try_from(version).unwrap_or(0);
        for step in STEPS.iter().take(to).skip(from) {
            connection.execute_batch(step)?;
        }
        let version = found.max(version);
        connection.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version}; COMMIT"
        ))
    })();
    if done.is_err() {
        // The failure is what counts; rolling back a transaction that SQLite has ended already fails harmlessly.
        let _ = connection.execute_batch("ROLLBACK");
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_each_older_version_becomes_one_of_this() {
        let fresh = Connection::open_in_memory().unwrap();
        migrate_to(&fresh, VERSION).unwrap();
        let schema = |connection: &Connection| -> Vec<(String, Option<String>)> {
            let mut rows = connection.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").unwrap();
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
        };
        for version in 0..VERSION {
            let old = Connection::open_in_memory().unwrap();
            migrate_to(&old, version).unwrap();
            assert!(matches!(look(&old, Path::new("x")), Ok(Standing::Old)));
            migrate(&old, Path::new("x")).unwrap();
            assert!(matches!(look(&old, Path::new("x")), Ok(Standing::Current)));
            assert_eq!(schema(&old), schema(&fresh));
        }
    }

    #[test]
    fn a_failing_step_leaves_the_store_as_it_was() {
        let store = Connection::open_in_memory().unwrap();
        store.execute_batch("CREATE TABLE blob (x)").unwrap();
        assert!(migrate(&store, Path::new("x")).is_err());
        let tables: i64 =
            store.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 1);
    }
}
