//! Big texts, kept once by their content and referred to from rows.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::error::{Trouble, Work};
use crate::store::LeftOut;
use crate::{StoreError, store::Detail};

/// A text longer than this does not stay in its row.
pub(crate) const INLINE: usize = 16 * 1_024;
/// Bytes in one stored piece.
pub(crate) const PIECE: usize = 1_024 * 1_024;

/// A text taken out of a row.
#[derive(Clone)]
pub(crate) struct Spilled {
    pub(crate) pointer: String,
    pub(crate) id: String,
    pub(crate) text: Arc<str>,
}

/// Takes big texts out of a value and leaves empty ones.
pub(crate) fn spill(value: &mut Value) -> Vec<Spilled> {
    let mut spilled = Vec::new();
    walk(value, &mut String::new(), &mut spilled);
    spilled
}

fn walk(value: &mut Value, pointer: &mut String, spilled: &mut Vec<Spilled>) {
    let length = pointer.len();
    match value {
        Value::String(text) if text.len() > INLINE => {
            let text: Arc<str> = std::mem::take(text).into();
            let id = blake3::hash(text.as_bytes()).to_hex().to_string();
            spilled.push(Spilled { pointer: pointer.clone(), id, text });
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                pointer.push_str(&format!("/{index}"));
                walk(item, pointer, spilled);
                pointer.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                walk(field, pointer, spilled);
                pointer.truncate(length);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a row's `blobs` column holds.
pub(crate) fn note(spilled: &[Spilled]) -> Option<String> {
    let entries: Vec<Value> =
        spilled.iter().map(|one| serde_json::json!([one.pointer, one.id, one.text.len()])).collect();
    (!entries.is_empty()).then(|| Value::Array(entries).to_string())
}

/// The same read again.
pub(crate) fn read_note(owner: &str, note: &str) -> Work<Vec<LeftOut>> {
    let entries: Vec<(String, String, u64)> =
        serde_json::from_str(note).map_err(|e| unreadable(owner, &e))?;
    let one = |(pointer, blob, bytes)| LeftOut { owner: owner.to_owned(), pointer, blob, bytes };
    Ok(entries.into_iter().map(one).collect())
}

/// Writes pieces of a text; those that are there stay.
pub(crate) fn write_pieces(
    connection: &Connection,
    id: &str,
    text: &str,
    pieces: std::ops::Range<usize>,
) -> Work<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO blob_piece (id, position, body) VALUES (?1, ?2, ?3) ON CONFLICT (id, position) DO NOTHING",
    )?;
    for (position, piece) in text.as_bytes().chunks(PIECE).enumerate().take(pieces.end).skip(pieces.start) {
        insert.execute(params![id, position as i64, piece])?;
    }
    Ok(())
}

/// Whether a text is stored already.
pub(crate) fn is_there(connection: &Connection, id: &str) -> Work<bool> {
    let found = connection
        .prepare_cached("SELECT 1 FROM blob WHERE id = ?1")?
        .query_row([id], |_| Ok(()))
        .optional()?;
    Ok(found.is_some())
}

/// Makes the texts count as stored and used by an owner, which uses no others.
pub(crate) fn use_only(connection: &Connection, session: &str, owner: &str, spilled: &[Spilled]) -> Work<()> {
    let before = used_by(connection, session, owner)?;
    for one in spilled {
        seal(connection, one)?;
        connection
            .prepare_cached(
                "INSERT INTO blob_use (session_id, owner, blob) VALUES (?1, ?2, ?3)
                 ON CONFLICT (session_id, owner, blob) DO NOTHING",
            )?
            .execute([session, owner, &one.id])?;
    }
    for blob in before.iter().filter(|blob| spilled.iter().all(|one| one.id != **blob)) {
        connection
            .prepare_cached("DELETE FROM blob_use WHERE session_id = ?1 AND owner = ?2 AND blob = ?3")?
            .execute([session, owner, blob])?;
        drop_unused(connection, blob)?;
    }
    Ok(())
}

fn seal(connection: &Connection, one: &Spilled) -> Work<()> {
    if is_there(connection, &one.id)? {
        return Ok(());
    }
    let pieces = one.text.len().div_ceil(PIECE);
    let there: i64 = connection
        .prepare_cached("SELECT count(*) FROM blob_piece WHERE id = ?1")?
        .query_row([&one.id], |row| row.get(0))?;
    if there != pieces as i64 {
        write_pieces(connection, &one.id, &one.text, 0..pieces)?;
    }
    connection
        .prepare_cached("INSERT INTO blob (id, bytes) VALUES (?1, ?2)")?
        .execute(params![one.id, one.text.len() as i64])?;
    Ok(())
}

/// The texts an owner uses.
pub(crate) fn used_by(connection: &Connection, session: &str, owner: &str) -> Work<Vec<String>> {
    let mut rows =
        connection.prepare_cached("SELECT blob FROM blob_use WHERE session_id = ?1 AND owner = ?2")?;
    Ok(rows.query_map([session, owner], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The texts a whole session uses.
pub(crate) fn used_in(connection: &Connection, session: &str) -> Work<Vec<String>> {
    let mut rows = connection.prepare_cached("SELECT DISTINCT blob FROM blob_use WHERE session_id = ?1")?;
    Ok(rows.query_map([session], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Forgets a text that nobody uses any more.
pub(crate) fn drop_unused(connection: &Connection, blob: &str) -> Work<()> {
    let gone = connection
        .prepare_cached(
            "DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE blob = ?1)",
        )?
        .execute([blob])?;
    if gone > 0 {
        connection.prepare_cached("DELETE FROM blob_piece WHERE id = ?1")?.execute([blob])?;
    }
    Ok(())
}

/// Puts the texts back into a value, or says what is left out.
pub(crate) fn fill(
    connection: &Connection,
    value: &mut Value,
    notes: Vec<LeftOut>,
    detail: Detail,
    left_out: &mut Vec<LeftOut>,
) -> Work<()> {
    for one in notes {
        if detail == Detail::Light {
            left_out.push(one);
            continue;
        }
        let text = load(connection, &one)?;
        if let Some(place) = value.pointer_mut(&one.pointer) {
            *place = Value::String(text);
        }
    }
    Ok(())
}

/// A whole text, checked against its name.
pub(crate) fn load(connection: &Connection, left_out: &LeftOut) -> Work<String> {
    let mut bytes = Vec::with_capacity(usize::try_from(left_out.bytes).unwrap_or(0));
    let mut rows =
        connection.prepare_cached("SELECT body FROM blob_piece WHERE id = ?1 ORDER BY position")?;
    let mut rows = rows.query([&left_out.blob])?;
    while let Some(row) = rows.next()? {
        bytes.extend_from_slice(row.get_ref(0)?.as_blob().unwrap_or_default());
    }
    if blake3::hash(&bytes).to_hex().as_str() != left_out.blob {
        return Err(lost(left_out));
    }
    String::from_utf8(bytes).map_err(|_| lost(left_out))
}

fn lost(left_out: &LeftOut) -> Trouble {
    let detail = format!("its text at `{}` is missing", left_out.pointer);
    StoreError::Unreadable { what: format!("`{}`", left_out.owner), detail }.into()
}

pub(crate) fn unreadable(what: &str, error: &serde_json::Error) -> Trouble {
    StoreError::Unreadable { what: format!("`{what}`"), detail: error.to_string() }.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_leaves_its_row_one_byte_above_the_limit() {
        let at = "x".repeat(INLINE);
        let above = "y".repeat(INLINE + 1);
        let mut value = json!({ "a/b": [{ "~": above }], "c": at, "d": "" });
        let spilled = spill(&mut value);
        assert_eq!(value, json!({ "a/b": [{ "~": "" }], "c": at, "d": "" }));
        assert_eq!(spilled.iter().map(|one| one.pointer.as_str()).collect::<Vec<_>>(), ["/a~1b/0/~0"]);
        assert!(value.pointer("/a~1b/0/~0").is_some());
    }
}
