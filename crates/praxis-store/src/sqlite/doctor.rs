//! What is wrong with a store, and putting it right.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use praxis_proto::{PartBody, SessionId, StepFinishPart};
use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::Value;

use super::connect::{beside, reader};
use super::mend::mended;
use super::sessions::Ledger;
use super::{SqliteStore, blobs, lease, recover, sessions, transfer};
use crate::error::{Work, from_sqlite};
use crate::store::{Clock, Existing, Store};
use crate::{StoreError, Transfer};

/// Complaints of SQLite that are shown; the rest are alike.
const SHOWN: usize = 20;

/// Whether to put right what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Look only.
    No,
    /// Put it right.
    Yes,
}

/// One thing that is wrong with a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which kind of thing.
    pub kind: &'static str,
    /// What exactly.
    pub detail: String,
    /// Whether it was put right.
    pub repaired: bool,
}

impl SqliteStore {
    /// Looks for everything that can be wrong; with [`Repair::Yes`] puts it right.
    pub async fn examine(&self, repair: Repair) -> Result<Vec<Finding>, StoreError> {
        let (path, clock) = (self.path().to_owned(), self.clock());
        let work = move |connection: &Connection| {
            let mut findings = Vec::new();
            integrity(connection, &mut findings)?;
            orphans(connection, repair, &mut findings)?;
            dangling(connection, &path, (clock)(), repair, &mut findings)?;
            texts(connection, repair, &mut findings)?;
            rows(connection, &mut findings)?;
            totals(connection, repair, &mut findings)?;
            words(connection, repair, &mut findings)?;
            Ok(findings)
        };
        match repair {
            Repair::Yes => self.write(work).await,
            Repair::No => self.read(work).await,
        }
    }

    /// Moves a damaged store aside and takes what can be read of it into a new one.
    pub async fn rescue(path: &Path, clock: Clock) -> Result<(Vec<Finding>, PathBuf), StoreError> {
        let aside = beside(path, &format!(".damaged-{}", (clock)()));
        let moved = |from: PathBuf, to: PathBuf| match std::fs::rename(&from, &to) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            done => done.map_err(|source| StoreError::File { action: "move aside", path: from, source }),
        };
        // The log goes with its store: beside another one it would be poison.
        for ending in ["", "-wal", "-shm"] {
            moved(beside(path, ending), beside(&aside, ending))?;
        }
        let store = Self::open(path, clock)?;
        let mut findings = Vec::new();
        let Salvage { sessions, trouble } = salvage(&aside);
        for (id, saved) in sessions {
            let (detail, repaired) = match saved {
                Ok(transfer) => match store.import(*transfer, Existing::Keep).await {
                    Ok(_) => (format!("session `{id}` was saved"), true),
                    Err(e) => (format!("session `{id}` could not be saved: {e}"), false),
                },
                Err(e) => (format!("session `{id}` could not be read: {e}"), false),
            };
            findings.push(Finding { kind: "damaged", detail, repaired });
        }
        if let Some(trouble) = trouble {
            found(&mut findings, "damaged", format!("nothing more could be read: {trouble}"), false);
        }
        Ok((findings, aside))
    }
}

type Saved = (SessionId, Result<Box<Transfer>, StoreError>);

/// What a damaged store still gives.
struct Salvage {
    sessions: Vec<Saved>,
    /// Why there may have been more.
    trouble: Option<String>,
}

/// Every session that a damaged store still gives.
fn salvage(path: &Path) -> Salvage {
    match reader(path) {
        Ok(connection) => salvage_from(&connection, path),
        Err(error) => match mended(path) {
            Ok(mended) => salvage_from(&mended.connection, path),
            Err(_) => Salvage { sessions: Vec::new(), trouble: Some(in_short(error)) },
        },
    }
}

/// Why it cannot be read; that it is damaged is known by now.
fn in_short(error: StoreError) -> String {
    match error {
        StoreError::Corrupt { detail, .. } => detail,
        other => other.to_string(),
    }
}

fn salvage_from(connection: &Connection, path: &Path) -> Salvage {
    let mut ids: Vec<String> = Vec::new();
    // What comes before the damage is worth having.
    let listed = (|| -> rusqlite::Result<()> {
        let mut rows = connection.prepare("SELECT id FROM session ORDER BY rowid")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            ids.push(row.get(0)?);
        }
        Ok(())
    })();
    let save = |id: String| {
        let id = SessionId::from_raw(id);
        let saved = transfer::export(connection, &id).map(Box::new).map_err(|trouble| trouble.at(path));
        (id, saved)
    };
    Salvage { sessions: ids.into_iter().map(save).collect(), trouble: listed.err().map(|e| e.to_string()) }
}

fn found(findings: &mut Vec<Finding>, kind: &'static str, detail: String, repaired: bool) {
    findings.push(Finding { kind, detail, repaired });
}

fn integrity(connection: &Connection, findings: &mut Vec<Finding>) -> Work<()> {
    let mut rows = connection.prepare(&format!("PRAGMA integrity_check({SHOWN})"))?;
    let lines = rows.query_map([], |row| row.get::<_, String>(0))?;
    for line in lines {
        let line = line?;
        if line != "ok" {
            found(findings, "damaged", line, false);
        }
    }
    Ok(())
}

/// Rows whose owner is gone.
fn orphans(connection: &Connection, repair: Repair, findings: &mut Vec<Finding>) -> Work<()> {
    let mut rows = connection.prepare("PRAGMA foreign_key_check")?;
    let broken: Vec<(String, Option<i64>)> =
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let mut by_table: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for (table, row) in broken {
        by_table.entry(table).or_default().extend(row);
    }
    for (table, numbers) in by_table {
        if repair == Repair::Yes {
            let mut delete = connection.prepare(&format!("DELETE FROM \"{table}\" WHERE rowid = ?1"))?;
            for number in &numbers {
                delete.execute([number])?;
            }
        }
        let detail = format!("{} rows of `{table}` belong to nothing", numbers.len());
        found(findings, "orphan", detail, repair == Repair::Yes);
    }
    Ok(())
}

/// Sessions that a crash left open and nobody has opened since.
fn dangling(
    connection: &Connection,
    path: &Path,
    now: u64,
    repair: Repair,
    findings: &mut Vec<Finding>,
) -> Work<()> {
    let mut rows = connection.prepare(
        "SELECT session_id FROM part WHERE open = 1 UNION SELECT session_id FROM message WHERE open = 1",
    )?;
    let ids: Vec<String> = rows.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in ids.into_iter().map(SessionId::from_raw) {
        // Where somebody is at it, it is not dangling but alive.
        if lease::is_held(path, &id) {
            continue;
        }
        if repair == Repair::Yes {
            let _hold = lease::take(path, &id)?;
            recover::recover(connection, &id, now)?;
        }
        found(
            findings,
            "dangling",
            format!("session `{id}` was left open by a crash"),
            repair == Repair::Yes,
        );
    }
    Ok(())
}

/// Big texts that are missing, and those nobody uses.
fn texts(connection: &Connection, repair: Repair, findings: &mut Vec<Finding>) -> Work<()> {
    for table in ["part", "message", "session"] {
        let (session, id) = if table == "session" { ("id", "id") } else { ("session_id", "id") };
        let sql = format!("SELECT rowid, {session}, {id}, data, blobs FROM {table} WHERE blobs IS NOT NULL");
        let mut rows = connection.prepare(&sql)?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (number, session, owner): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (data, note): (String, String) = (row.get(3)?, row.get(4)?);
            let notes = blobs::read_note(&owner, &note).unwrap_or_default();
            let missing: Vec<_> = notes.iter().filter(|one| blobs::load(connection, one).is_err()).collect();
            for one in &missing {
                let detail = format!("a text of {} bytes of `{owner}` in `{session}` is missing", one.bytes);
                found(findings, "missing-text", detail, repair == Repair::Yes);
            }
            if repair == Repair::Yes && !missing.is_empty() {
                let left: Vec<Value> = notes
                    .iter()
                    .filter(|one| !missing.contains(one))
                    .map(|one| serde_json::json!([one.pointer, one.blob, one.bytes]))
                    .collect();
                let note = (!left.is_empty()).then(|| Value::Array(left).to_string());
                let mut value: Value = serde_json::from_str(&data).unwrap_or_default();
                for one in &missing {
                    if let Some(place) = value.pointer_mut(&one.pointer) {
                        *place = Value::String(format!("[{} bytes were lost]", one.bytes));
                    }
                    connection.execute(
                        "DELETE FROM blob_use WHERE session_id = ?1 AND owner = ?2 AND blob = ?3",
                        params![session, owner, one.blob],
                    )?;
                    connection.execute("DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE blob = ?1)", [&one.blob])?;
                }
                connection.execute(
                    &format!("UPDATE {table} SET data = ?2, blobs = ?3 WHERE rowid = ?1"),
                    params![number, value.to_string(), note],
                )?;
            }
        }
    }
    sweep(connection, repair, findings)
}

fn sweep(connection: &Connection, repair: Repair, findings: &mut Vec<Finding>) -> Work<()> {
    let unused = "SELECT id FROM blob WHERE id NOT IN (SELECT blob FROM blob_use)";
    let pieces = "SELECT DISTINCT id FROM blob_piece WHERE id NOT IN (SELECT id FROM blob)";
    for (sql, what) in [(unused, "big texts are used by nobody"), (pieces, "big texts were never finished")] {
        let mut rows = connection.prepare(sql)?;
        let ids: Vec<String> = rows.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if ids.is_empty() {
            continue;
        }
        if repair == Repair::Yes {
            for id in &ids {
                connection.execute("DELETE FROM blob WHERE id = ?1", [id])?;
                connection.execute("DELETE FROM blob_piece WHERE id = ?1", [id])?;
            }
        }
        found(findings, "unused-text", format!("{} {what}", ids.len()), repair == Repair::Yes);
    }
    Ok(())
}

/// Rows that cannot be read. They are only told: what they meant is not known.
fn rows(connection: &Connection, findings: &mut Vec<Finding>) -> Work<()> {
    let mut parts = connection.prepare("SELECT session_id, id, type, data FROM part")?;
    let mut rows = parts.query([])?;
    while let Some(row) = rows.next()? {
        let text =
            |column| row.get_ref(column).ok().and_then(|value| value.as_str().ok()).unwrap_or_default();
        if let Err(e) = PartBody::decode(text(2), text(3)) {
            found(findings, "unreadable", format!("part `{}` of `{}`: {e}", text(1), text(0)), false);
        }
    }
    Ok(())
}

/// What sessions have used, against the sum of their steps.
fn totals(connection: &Connection, repair: Repair, findings: &mut Vec<Finding>) -> Work<()> {
    let mut sums: BTreeMap<String, Ledger> = BTreeMap::new();
    let mut steps = connection.prepare("SELECT session_id, data FROM part WHERE type = 'step-finish'")?;
    let mut rows = steps.query([])?;
    while let Some(row) = rows.next()? {
        let Ok(step) = serde_json::from_str::<StepFinishPart>(row.get_ref(1)?.as_str().unwrap_or_default())
        else {
            continue;
        };
        let sum = sums.entry(row.get(0)?).or_default();
        *sum = sum.with(Ledger::of(&step), i64::saturating_add);
    }
    let mut all = connection.prepare(
        "SELECT id, cost, input, output, reasoning, cache_read, cache_write FROM session ORDER BY id",
    )?;
    let kept: Vec<(String, Ledger)> =
        all.query_map([], |row| Ok((row.get(0)?, Ledger::of_row(row, 1)?)))?.collect::<Result<_, _>>()?;
    for (id, ledger) in kept {
        let sum = sums.remove(&id).unwrap_or_default();
        if sum == ledger {
            continue;
        }
        if repair == Repair::Yes {
            sessions::set_ledger(connection, &id, sum)?;
        }
        found(
            findings,
            "totals",
            format!("session `{id}` has used something else than its steps say"),
            repair == Repair::Yes,
        );
    }
    Ok(())
}

/// Texts that a search would not find.
fn words(connection: &Connection, repair: Repair, findings: &mut Vec<Finding>) -> Work<()> {
    let lacking = "type = 'text' AND open = 0 AND number NOT IN (SELECT rowid FROM words)";
    let texts: i64 =
        connection.query_row(&format!("SELECT count(*) FROM part WHERE {lacking}"), [], |row| row.get(0))?;
    if texts == 0 {
        return Ok(());
    }
    if repair == Repair::Yes {
        let fill =
            "INSERT INTO words (rowid, body) SELECT number, json_extract(data, '$.text') FROM part WHERE";
        connection.execute(&format!("{fill} {lacking}"), [])?;
    }
    found(
        findings,
        "unsearchable",
        format!("{texts} texts cannot be found by a search"),
        repair == Repair::Yes,
    );
    Ok(())
}

/// The same for a file that may be anything: whether SQLite can read it at all.
pub(crate) fn readable(path: &Path) -> Result<(), StoreError> {
    let connection = reader(path)?;
    let answer: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|e| from_sqlite(&e, path))?;
    if answer == "ok" { Ok(()) } else { Err(StoreError::Corrupt { path: path.to_owned(), detail: answer }) }
}
