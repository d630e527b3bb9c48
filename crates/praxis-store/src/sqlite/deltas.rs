//! Text that parts have grown by and that is not stored yet.

use std::time::Instant;

use indexmap::{Equivalent, IndexMap};
use praxis_proto::{PartId, SessionId};
use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use crate::error::Work;
use crate::store::Field;

/// Text of one part that is stored at once when there is this much of it.
pub(crate) const DELTA_BYTES: usize = 4 * 1_024;

/// Text in memory, by part.
#[derive(Default)]
pub(crate) struct Deltas {
    parts: Taken,
    since: Option<Instant>,
}

/// Text by part, taken to be stored.
pub(crate) type Taken = IndexMap<(SessionId, PartId), Grown>;

/// A part to look for; nothing is copied for it.
#[derive(Hash)]
struct Key<'a>(&'a SessionId, &'a PartId);

impl Equivalent<(SessionId, PartId)> for Key<'_> {
    fn equivalent(&self, (session, part): &(SessionId, PartId)) -> bool {
        self.1 == part && self.0 == session
    }
}

/// What one part has grown by.
#[derive(Default, Clone)]
pub(crate) struct Grown {
    /// In the order in which the fields grew.
    runs: Vec<(Field, String)>,
    bytes: usize,
}

/// What the caller of [`Deltas::push`] has to do.
pub(crate) struct Next {
    /// The writer sleeps and must hear that there is something.
    pub(crate) wake: bool,
    /// This part has grown enough to be stored now.
    pub(crate) full: bool,
}

impl Deltas {
    pub(crate) fn push(&mut self, session: &SessionId, part: &PartId, field: Field, text: &str) -> Next {
        let wake = self.since.is_none();
        self.since.get_or_insert_with(Instant::now);
        let grown = match self.parts.get_index_of(&Key(session, part)) {
            Some(at) => &mut self.parts[at],
            None => self.parts.entry((session.clone(), part.clone())).or_default(),
        };
        match grown.runs.last_mut() {
            Some((last, run)) if *last == field => run.push_str(text),
            _ => grown.runs.push((field, text.to_owned())),
        }
        grown.bytes += text.len();
        Next { wake, full: grown.bytes >= DELTA_BYTES }
    }

    /// Since when the oldest text waits.
    pub(crate) fn since(&self) -> Option<Instant> {
        self.since
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a part has more text waiting than it may, because it could not be stored.
    pub(crate) fn is_stuck(&self, session: &SessionId, part: &PartId) -> bool {
        self.parts.get(&Key(session, part)).is_some_and(|grown| grown.bytes >= 2 * DELTA_BYTES)
    }

    /// Takes everything that waits.
    pub(crate) fn take_all(&mut self) -> Taken {
        self.since = None;
        std::mem::take(&mut self.parts)
    }

    /// Puts back what could not be stored, in front of what came since.
    pub(crate) fn put_all_back(&mut self, taken: Taken) {
        for ((session, part), grown) in taken {
            self.put_back(session, part, grown);
        }
    }

    /// Forgets what waits for one part.
    pub(crate) fn forget(&mut self, key: &(SessionId, PartId)) {
        self.parts.swap_remove(key);
        if self.parts.is_empty() {
            self.since = None;
        }
    }

    /// Puts back what was taken, in front of what came since.
    fn put_back(&mut self, session: SessionId, part: PartId, mut grown: Grown) {
        let since = self.parts.entry((session, part)).or_default();
        grown.runs.append(&mut since.runs);
        grown.bytes += since.bytes;
        *since = grown;
        // The moment is that of the failure, so that the next try is not at once.
        self.since.get_or_insert_with(Instant::now);
    }
}

/// Writes what was taken.
pub(crate) fn store(connection: &Connection, taken: &Taken) -> rusqlite::Result<()> {
    taken.iter().try_for_each(|((session, part), grown)| grown.store(connection, session, part))
}

impl Grown {
    /// A part that is gone by now, or a call that has settled, needs its text no longer.
    pub(crate) fn store(
        &self,
        connection: &Connection,
        session: &SessionId,
        part: &PartId,
    ) -> rusqlite::Result<()> {
        let mut insert = connection.prepare_cached(
            "INSERT INTO delta (session_id, part_id, seq, field, body)
             SELECT ?1, ?2, (SELECT coalesce(max(seq), 0) + 1 FROM delta WHERE session_id = ?1 AND part_id = ?2), ?3, ?4
             WHERE EXISTS (SELECT 1 FROM part WHERE session_id = ?1 AND id = ?2 AND (open = 1 OR type <> 'tool'))",
        )?;
        for (field, text) in &self.runs {
            insert.execute(params![session.as_str(), part.as_str(), field.name(), text])?;
        }
        // Only an open part is looked at for more text; one that grows is open, whatever its times say.
        connection
            .prepare_cached(
                "UPDATE part SET open = 1 WHERE session_id = ?1 AND id = ?2 AND open = 0 AND type <> 'tool'",
            )?
            .execute([session.as_str(), part.as_str()])?;
        Ok(())
    }
}

/// Lets a part's fields grow by what is stored for them; says whether there was anything.
pub(crate) fn apply(connection: &Connection, session: &str, part: &str, fields: &mut Value) -> Work<bool> {
    let mut rows = connection.prepare_cached(
        "SELECT field, body FROM delta WHERE session_id = ?1 AND part_id = ?2 ORDER BY seq",
    )?;
    let mut rows = rows.query([session, part])?;
    let mut any = false;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let Some(field) = Field::ALL.into_iter().find(|field| field.name() == name) else { continue };
        if let Some(text) = grown(fields, field) {
            text.push_str(row.get_ref(1)?.as_str().unwrap_or_default());
            any = true;
        }
    }
    Ok(any)
}

/// The text that grows, made where there is none yet.
fn grown(fields: &mut Value, field: Field) -> Option<&mut String> {
    let mut at = fields;
    let (last, path) = field.place().split_last()?;
    for step in path {
        at = at.as_object_mut()?.entry(*step).or_insert_with(|| Value::Object(Map::new()));
    }
    match at.as_object_mut()?.entry(*last).or_insert_with(|| Value::String(String::new())) {
        Value::String(text) => Some(text),
        _ => None,
    }
}
