//! Closing what a crash left open, before anything new is written.

use praxis_proto::{Failure, Message, PartBody, SessionId, Span};
use rusqlite::Connection;

use super::{messages, parts, sessions};
use crate::error::Work;
use crate::store::{Change, Recovered};

const CUT_CALL: &str = "the program ended before this call did; whether it took effect is not known";
const CUT_MESSAGE: &str = "the program ended before the answer did";

/// Whether anything is open; only whoever holds the lease may conclude that it was left so.
pub(crate) fn is_needed(connection: &Connection, session: &SessionId) -> Work<bool> {
    Ok(connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM part WHERE session_id = ?1 AND open = 1)
             OR EXISTS (SELECT 1 FROM message WHERE session_id = ?1 AND open = 1)",
        )?
        .query_row([session.as_str()], |row| row.get(0))?)
}

/// Interrupts calls, ends texts where they are, completes messages with an error. Nothing that was stored is lost.
pub(crate) fn recover(connection: &Connection, session: &SessionId, now: u64) -> Work<Recovered> {
    let mut recovered = Recovered::default();
    for mut part in parts::open(connection, session)? {
        let ended = |start: u64| Span { start, end: Some(now.max(start)) };
        match &mut part.body {
            PartBody::Tool(call) => {
                call.interrupt(CUT_CALL, now);
                recovered.calls.push(part.id.clone());
            }
            PartBody::Text(text) => {
                text.time = text.time.map(|time| ended(time.start));
                recovered.texts.push(part.id.clone());
            }
            PartBody::Reasoning(thought) => {
                thought.time = ended(thought.time.start);
                recovered.texts.push(part.id.clone());
            }
            _ => continue,
        }
        parts::put(connection, &parts::ready(part)?)?;
    }
    for message in messages::open(connection, session)? {
        let Message::Assistant(mut answer) = message else { continue };
        answer.time.completed = Some(now.max(answer.time.created));
        answer.error.get_or_insert_with(|| Failure::aborted(CUT_MESSAGE));
        recovered.messages.push(answer.id.clone());
        messages::put(connection, &messages::ready(&Message::Assistant(answer))?, now)?;
    }
    if sessions::get(connection, session)?.time.compacting.is_some() {
        sessions::change(connection, session, vec![Change::Compacting(None)])?;
    }
    Ok(recovered)
}
