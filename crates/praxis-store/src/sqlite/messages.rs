//! Rows of messages, and pages of a history.

use praxis_proto::{AssistantMessage, Message, MessageId, MessageWithParts, SessionId, UserMessage};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::{blobs, bounded, parts, sessions};
use crate::StoreError;
use crate::error::Work;
use crate::store::{Cut, Detail, LeftOut, Page};

/// A message ready for its row.
pub(crate) struct Ready {
    id: MessageId,
    session: SessionId,
    role: &'static str,
    open: bool,
    data: String,
    pub(crate) spilled: Vec<blobs::Spilled>,
}

/// Encodes a message outside the writer's thread.
pub(crate) fn ready(message: &Message) -> Result<Ready, StoreError> {
    let (role, encoded) = match message {
        Message::User(user) => ("user", bounded::encode(user)),
        Message::Assistant(assistant) => ("assistant", bounded::encode(assistant)),
    };
    let (data, spilled) = encoded.map_err(|e| bounded::not_json(message.id().as_str(), &e))?;
    let (id, session) = (message.id().clone(), message.session().clone());
    Ok(Ready { id, session, role, open: message.is_open(), data, spilled })
}

/// Appends a message or replaces it where it stands.
pub(crate) fn put(connection: &Connection, message: &Ready, now: u64) -> Work<()> {
    let Ready { id, session, role, open, data, spilled } = message;
    let note = blobs::note(spilled);
    let replaced = connection
        .prepare_cached("UPDATE message SET role = ?3, open = ?4, data = ?5, blobs = ?6 WHERE session_id = ?1 AND id = ?2")?
        .execute(params![session.as_str(), id.as_str(), role, open, data, note])?;
    if replaced == 0 {
        let seq: i64 = connection
            .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM message WHERE session_id = ?1")?
            .query_row([session.as_str()], |row| row.get(0))?;
        if seq == 1 {
            // A session that is not there is told as such; with messages in it, it is.
            sessions::get(connection, session)?;
        }
        connection
            .prepare_cached(
                "INSERT INTO message (session_id, seq, id, role, open, data, blobs) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![session.as_str(), seq, id.as_str(), role, open, data, note])?;
        sessions::touch(connection, session.as_str(), now)?;
    }
    if replaced > 0 || !spilled.is_empty() {
        blobs::use_only(connection, session.as_str(), id.as_str(), spilled)?;
    }
    Ok(())
}

/// Gives a message the last place, and its parts with it.
pub(crate) fn move_last(connection: &Connection, session: &SessionId, message: &MessageId) -> Work<()> {
    let seq = seq_of(connection, session, message)?;
    // Parts point at the place of their message: both move before the transaction ends.
    connection.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    let last: i64 = connection
        .prepare_cached("SELECT max(seq) + 1 FROM message WHERE session_id = ?1")?
        .query_row([session.as_str()], |row| row.get(0))?;
    for sql in [
        "UPDATE message SET seq = ?3 WHERE session_id = ?1 AND seq = ?2",
        "UPDATE part SET message_seq = ?3 WHERE session_id = ?1 AND message_seq = ?2",
    ] {
        connection.prepare_cached(sql)?.execute(params![session.as_str(), seq, last])?;
    }
    Ok(())
}

/// Removes a message with its parts.
pub(crate) fn remove(connection: &Connection, session: &SessionId, message: &MessageId) -> Work<()> {
    let seq = seq_of(connection, session, message)?;
    for part in parts::ids_of(connection, session, seq)? {
        parts::remove(connection, session, &part)?;
    }
    blobs::use_only(connection, session.as_str(), message.as_str(), &[])?;
    connection
        .prepare_cached("DELETE FROM message WHERE session_id = ?1 AND seq = ?2")?
        .execute(params![session.as_str(), seq])?;
    Ok(())
}

/// The place of a message in its session.
pub(crate) fn seq_of(connection: &Connection, session: &SessionId, message: &MessageId) -> Work<i64> {
    let seq = connection
        .prepare_cached("SELECT seq FROM message WHERE session_id = ?1 AND id = ?2")?
        .query_row([session.as_str(), message.as_str()], |row| row.get(0))
        .optional()?;
    seq.ok_or_else(|| StoreError::NoMessage { session: session.clone(), message: message.clone() }.into())
}

/// The newest messages before a point, oldest first.
pub(crate) fn page(connection: &Connection, session: &SessionId, cut: &Cut) -> Work<Page> {
    let before = match &cut.before {
        Some(message) => seq_of(connection, session, message)?,
        None => i64::MAX,
    };
    let limit = i64::try_from(cut.limit).unwrap_or(i64::MAX - 1).min(i64::MAX - 1);
    let mut statement = connection.prepare_cached(
        "SELECT seq, id, role, data, blobs FROM message WHERE session_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
    )?;
    let mut rows = statement.query(params![session.as_str(), before, limit + 1])?;
    let mut page = Page::default();
    let mut seqs = Vec::new();
    while let Some(row) = rows.next()? {
        if seqs.len() == cut.limit {
            page.more = true;
            break;
        }
        seqs.push(row.get::<_, i64>(0)?);
        let info = decode(connection, row, cut.detail, &mut page.left_out)?;
        page.messages.push(MessageWithParts { info, parts: Vec::new() });
    }
    if seqs.is_empty() && cut.before.is_none() {
        sessions::get(connection, session)?;
    }
    page.messages.reverse();
    seqs.reverse();
    parts::attach(connection, session, &seqs, cut.detail, &mut page)?;
    Ok(page)
}

/// One message with its parts.
pub(crate) fn one(
    connection: &Connection,
    session: &SessionId,
    message: &MessageId,
) -> Work<MessageWithParts> {
    let seq = seq_of(connection, session, message)?;
    let mut statement = connection.prepare_cached(
        "SELECT seq, id, role, data, blobs FROM message WHERE session_id = ?1 AND seq = ?2",
    )?;
    let mut rows = statement.query(params![session.as_str(), seq])?;
    let missing = || StoreError::NoMessage { session: session.clone(), message: message.clone() };
    let row = rows.next()?.ok_or_else(missing)?;
    let mut page = Page::default();
    let info = decode(connection, row, Detail::Whole, &mut page.left_out)?;
    page.messages.push(MessageWithParts { info, parts: Vec::new() });
    parts::attach(connection, session, &[seq], Detail::Whole, &mut page)?;
    page.messages.pop().ok_or_else(|| missing().into())
}

/// The highest ids of messages and parts.
pub(crate) fn newest(connection: &Connection, session: &SessionId) -> Work<Vec<String>> {
    let mut newest = Vec::new();
    for sql in [
        "SELECT max(id) FROM message WHERE session_id = ?1",
        "SELECT max(id) FROM part WHERE session_id = ?1",
    ] {
        let id: Option<String> =
            connection.prepare_cached(sql)?.query_row([session.as_str()], |row| row.get(0))?;
        newest.extend(id);
    }
    Ok(newest)
}

/// Messages that a crash left open.
pub(crate) fn open(connection: &Connection, session: &SessionId) -> Work<Vec<Message>> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, id, role, data, blobs FROM message WHERE session_id = ?1 AND open = 1 ORDER BY seq",
    )?;
    let mut rows = statement.query([session.as_str()])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        messages.push(decode(connection, row, Detail::Whole, &mut Vec::new())?);
    }
    Ok(messages)
}

fn decode(
    connection: &Connection,
    row: &Row<'_>,
    detail: Detail,
    left_out: &mut Vec<LeftOut>,
) -> Work<Message> {
    let id = row.get_ref(1)?.as_str().unwrap_or_default();
    let user = row.get_ref(2)?.as_str() == Ok("user");
    let data = row.get_ref(3)?.as_str().unwrap_or_default();
    let unreadable = |e: serde_json::Error| blobs::unreadable(id, &e);
    let Ok(Some(note)) = row.get_ref(4)?.as_str_or_null() else {
        return if user {
            serde_json::from_str::<UserMessage>(data).map(Message::User).map_err(unreadable)
        } else {
            serde_json::from_str::<AssistantMessage>(data).map(Message::Assistant).map_err(unreadable)
        };
    };
    let mut value: Value = serde_json::from_str(data).map_err(unreadable)?;
    blobs::fill(connection, &mut value, blobs::read_note(id, note)?, detail, left_out)?;
    if user {
        serde_json::from_value::<UserMessage>(value).map(Message::User).map_err(unreadable)
    } else {
        serde_json::from_value::<AssistantMessage>(value).map(Message::Assistant).map_err(unreadable)
    }
}
