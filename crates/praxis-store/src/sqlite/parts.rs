//! Rows of parts.

use praxis_proto::{MessageId, Part, PartBody, PartId, SessionId, StepFinishPart};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::sessions::Ledger;
use super::{blobs, bounded, deltas, messages, search, sessions};
use crate::StoreError;
use crate::error::Work;
use crate::store::{Detail, LeftOut, Page};

/// A part ready for its row.
pub(crate) struct Ready {
    id: PartId,
    session: SessionId,
    message: MessageId,
    kind: String,
    open: bool,
    data: String,
    pub(crate) spilled: Vec<blobs::Spilled>,
    /// What it adds to the session's ledger.
    charge: Ledger,
    /// What can be searched for.
    words: Option<String>,
}

/// Encodes a part outside the writer's thread.
pub(crate) fn ready(part: Part) -> Result<Ready, StoreError> {
    let Part { id, session, message, body } = part;
    if body.is_malformed() {
        return Err(StoreError::Invalid(format!(
            "part `{id}` does not have the form of a part of type `{}`",
            body.kind()
        )));
    }
    let (data, spilled) = bounded::encode_body(&body).map_err(|e| bounded::not_json(id.as_str(), &e))?;
    let charge = match &body {
        PartBody::StepFinish(step) => Ledger::of(step),
        _ => Ledger::default(),
    };
    let words = search::words(&body);
    Ok(Ready {
        id,
        session,
        message,
        kind: body.kind().to_owned(),
        open: body.is_open(),
        data,
        spilled,
        charge,
        words,
    })
}

/// What stands where a part is to be put.
struct Standing {
    number: i64,
    kind: String,
    open: bool,
    spilled: bool,
}

/// Appends a part to its message or replaces it where it stands.
pub(crate) fn put(connection: &Connection, part: &Ready) -> Work<()> {
    let session = part.session.as_str();
    let note = blobs::note(&part.spilled);
    let number = match standing(connection, &part.session, &part.id)? {
        Some(standing) => {
            replace(connection, part, &standing, note)?;
            if standing.spilled || !part.spilled.is_empty() {
                blobs::use_only(connection, session, part.id.as_str(), &part.spilled)?;
            }
            standing.number
        }
        None => {
            let seq = messages::seq_of(connection, &part.session, &part.message)?;
            connection
                .prepare_cached(
                    "INSERT INTO part (session_id, message_seq, seq, id, type, open, data, blobs) VALUES (?1, ?2,
                     (SELECT coalesce(max(seq), 0) + 1 FROM part WHERE session_id = ?1 AND message_seq = ?2), ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![session, seq, part.id.as_str(), part.kind, part.open, part.data, note])?;
            let number = connection.last_insert_rowid();
            if !part.spilled.is_empty() {
                blobs::use_only(connection, session, part.id.as_str(), &part.spilled)?;
            }
            number
        }
    };
    sessions::charge(connection, session, part.charge)?;
    match &part.words {
        Some(words) => search::index(connection, number, words),
        None => Ok(()),
    }
}

fn replace(connection: &Connection, part: &Ready, standing: &Standing, note: Option<String>) -> Work<()> {
    let (session, id) = (part.session.as_str(), part.id.as_str());
    if standing.kind == "tool" && part.open && !standing.open {
        return Err(StoreError::Settled(part.id.clone()).into());
    }
    if standing.kind == "step-finish" {
        refund(connection, &part.session, &part.id)?;
    }
    if standing.kind == "text" && part.kind != "text" {
        search::forget(connection, standing.number)?;
    }
    if standing.open {
        connection
            .prepare_cached("DELETE FROM delta WHERE session_id = ?1 AND part_id = ?2")?
            .execute([session, id])?;
    }
    connection
        .prepare_cached("UPDATE part SET type = ?2, open = ?3, data = ?4, blobs = ?5 WHERE number = ?1")?
        .execute(params![standing.number, part.kind, part.open, part.data, note])?;
    Ok(())
}

fn standing(connection: &Connection, session: &SessionId, part: &PartId) -> Work<Option<Standing>> {
    let found = connection
        .prepare_cached(
            "SELECT number, type, open, blobs IS NOT NULL FROM part WHERE session_id = ?1 AND id = ?2",
        )?
        .query_row([session.as_str(), part.as_str()], |row| {
            Ok(Standing { number: row.get(0)?, kind: row.get(1)?, open: row.get(2)?, spilled: row.get(3)? })
        })
        .optional()?;
    Ok(found)
}

/// Takes a step's entry out of the ledger.
fn refund(connection: &Connection, session: &SessionId, part: &PartId) -> Work<()> {
    let data: String = connection
        .prepare_cached("SELECT data FROM part WHERE session_id = ?1 AND id = ?2")?
        .query_row([session.as_str(), part.as_str()], |row| row.get(0))?;
    let step: StepFinishPart =
        serde_json::from_str(&data).map_err(|e| blobs::unreadable(part.as_str(), &e))?;
    let back = Ledger::default().with(Ledger::of(&step), i64::saturating_sub);
    sessions::charge(connection, session.as_str(), back)
}

/// Removes a part; one that is not there is as good as removed.
pub(crate) fn remove(connection: &Connection, session: &SessionId, part: &PartId) -> Work<()> {
    let Some(standing) = standing(connection, session, part)? else { return Ok(()) };
    if standing.kind == "step-finish" {
        refund(connection, session, part)?;
    }
    if standing.spilled {
        blobs::use_only(connection, session.as_str(), part.as_str(), &[])?;
    }
    connection.prepare_cached("DELETE FROM part WHERE number = ?1")?.execute([standing.number])?;
    Ok(())
}

/// The parts of a message.
pub(crate) fn ids_of(connection: &Connection, session: &SessionId, message: i64) -> Work<Vec<PartId>> {
    let mut rows = connection
        .prepare_cached("SELECT id FROM part WHERE session_id = ?1 AND message_seq = ?2 ORDER BY seq")?;
    let ids = rows.query_map(params![session.as_str(), message], |row| row.get::<_, String>(0))?;
    Ok(ids.map(|id| id.map(PartId::from_raw)).collect::<Result<_, _>>()?)
}

const COLUMNS: &str = "message_seq, id, type, open, data, blobs";

/// Gives the messages of a page their parts; `seqs` are the places of the messages, ascending.
pub(crate) fn attach(
    connection: &Connection,
    session: &SessionId,
    seqs: &[i64],
    detail: Detail,
    page: &mut Page,
) -> Work<()> {
    let (Some(first), Some(last)) = (seqs.first(), seqs.last()) else { return Ok(()) };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM part WHERE session_id = ?1 AND message_seq BETWEEN ?2 AND ?3 ORDER BY message_seq, seq"
    ))?;
    let mut rows = statement.query(params![session.as_str(), first, last])?;
    let mut at = 0;
    while let Some(row) = rows.next()? {
        let seq: i64 = row.get(0)?;
        while seqs.get(at).is_some_and(|here| *here < seq) {
            at += 1;
        }
        if let Some(message) = page.messages.get_mut(at) {
            let id = message.info.id().clone();
            message.parts.push(decode(connection, session, id, row, detail, &mut page.left_out)?);
        }
    }
    Ok(())
}

/// Parts that a crash left open, whole.
pub(crate) fn open(connection: &Connection, session: &SessionId) -> Work<Vec<Part>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, (SELECT id FROM message WHERE session_id = ?1 AND seq = message_seq) FROM part
         WHERE session_id = ?1 AND open = 1 ORDER BY message_seq, seq"
    ))?;
    let mut rows = statement.query([session.as_str()])?;
    let mut parts = Vec::new();
    while let Some(row) = rows.next()? {
        let message = MessageId::from_raw(row.get::<_, String>(6)?);
        parts.push(decode(connection, session, message, row, Detail::Whole, &mut Vec::new())?);
    }
    Ok(parts)
}

fn decode(
    connection: &Connection,
    session: &SessionId,
    message: MessageId,
    row: &Row<'_>,
    detail: Detail,
    left_out: &mut Vec<LeftOut>,
) -> Work<Part> {
    let id = row.get_ref(1)?.as_str().unwrap_or_default();
    let kind = row.get_ref(2)?.as_str().unwrap_or_default();
    let open: bool = row.get(3)?;
    let data = row.get_ref(4)?.as_str().unwrap_or_default();
    let note = row.get_ref(5)?.as_str_or_null().unwrap_or(None);
    let unreadable = |e: serde_json::Error| blobs::unreadable(id, &e);
    let body = if !open && note.is_none() {
        PartBody::decode(kind, data).map_err(unreadable)?
    } else {
        let mut value: Value = serde_json::from_str(data).map_err(unreadable)?;
        if let Some(note) = note {
            blobs::fill(connection, &mut value, blobs::read_note(id, note)?, detail, left_out)?;
        }
        deltas::apply(connection, session.as_str(), id, &mut value)?;
        PartBody::decode(kind, &value.to_string()).map_err(unreadable)?
    };
    Ok(Part { id: PartId::from_raw(id), session: session.clone(), message, body })
}
