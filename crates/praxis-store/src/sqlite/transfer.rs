//! Whole sessions, out and in.

use std::collections::HashSet;

use praxis_proto::{Session, SessionId};
use rusqlite::Connection;

use super::{messages, parts, sessions};
use crate::StoreError;
use crate::error::Work;
use crate::store::{Cut, Detail, Existing, Transfer};

pub(crate) fn export(connection: &Connection, id: &SessionId) -> Work<Transfer> {
    let info = sessions::get(connection, id)?;
    let cut = Cut { before: None, limit: usize::MAX, detail: Detail::Whole };
    Ok(Transfer { info, messages: messages::page(connection, id, &cut)?.messages })
}

/// Says what does not fit together, before anything is written.
pub(crate) fn check(transfer: &Transfer) -> Result<(), StoreError> {
    let wrong = |problem: String| Err(StoreError::Invalid(format!("this is no whole session: {problem}")));
    let session = &transfer.info.id;
    if !session.as_str().starts_with("ses") {
        return wrong(format!("the session's id `{session}` does not begin with `ses`"));
    }
    let mut seen = HashSet::new();
    for message in &transfer.messages {
        let id = message.info.id();
        if !id.as_str().starts_with("msg") {
            return wrong(format!("the message id `{id}` does not begin with `msg`"));
        }
        if message.info.session() != session {
            return wrong(format!("message `{id}` belongs to session `{}`", message.info.session()));
        }
        if !seen.insert(id.as_str()) {
            return wrong(format!("message `{id}` is there twice"));
        }
        for part in &message.parts {
            if part.session != *session || part.message != *id {
                return wrong(format!(
                    "part `{}` belongs to message `{}` of `{}`",
                    part.id, part.message, part.session
                ));
            }
            if !part.id.as_str().starts_with("prt") {
                return wrong(format!("the part id `{}` does not begin with `prt`", part.id));
            }
            if !seen.insert(part.id.as_str()) {
                return wrong(format!("part `{}` is there twice", part.id));
            }
        }
    }
    Ok(())
}

/// Takes in a session; what it has used is counted anew from its steps.
pub(crate) fn import(connection: &Connection, transfer: Transfer, existing: Existing) -> Work<Session> {
    let id = transfer.info.id.clone();
    let there = match sessions::get(connection, &id) {
        Ok(_) => true,
        Err(crate::error::Trouble::Told(StoreError::NoSession(_))) => false,
        Err(other) => return Err(other),
    };
    if there && existing == Existing::Keep {
        return Err(StoreError::Exists(id).into());
    }
    sessions::delete(connection, std::slice::from_ref(&id))?;
    sessions::put(connection, &transfer.info)?;
    for message in transfer.messages {
        messages::put(connection, &messages::ready(&message.info)?, 0)?;
        for part in message.parts {
            parts::put(connection, &parts::ready(part)?)?;
        }
    }
    sessions::get(connection, &id)
}
