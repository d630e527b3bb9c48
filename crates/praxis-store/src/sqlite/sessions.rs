//! Rows of sessions.

use praxis_proto::{Session, SessionId, StepFinishPart, Todo, Tokens};
use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use super::blobs;
use crate::StoreError;
use crate::error::Work;
use crate::store::{Change, Detail, Filter};

/// The ledger's smallest coin: a dollar has this many.
const COINS: f64 = 1e12;
const COLUMNS: &str = "id, project, directory, path, parent, title, created, updated, archived, cost, input, output, \
                       reasoning, cache_read, cache_write, data, blobs";
/// Fields that have a column of their own.
const OWN_COLUMN: [&str; 8] = ["id", "projectID", "directory", "path", "parentID", "title", "cost", "tokens"];

/// What a session has used, or what a step adds to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    cost: i64,
    input: i64,
    output: i64,
    reasoning: i64,
    cache_read: i64,
    cache_write: i64,
}

impl Ledger {
    pub(crate) fn of(step: &StepFinishPart) -> Self {
        let Tokens { total: _, input, output, reasoning, cache } = step.tokens;
        let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        Self {
            // The cast saturates, as a ledger should.
            cost: (step.cost * COINS).round() as i64,
            input: count(input),
            output: count(output),
            reasoning: count(reasoning),
            cache_read: count(cache.read),
            cache_write: count(cache.write),
        }
    }

    /// Combines two, entry by entry.
    pub(crate) fn with(self, other: Self, combine: fn(i64, i64) -> i64) -> Self {
        Self {
            cost: combine(self.cost, other.cost),
            input: combine(self.input, other.input),
            output: combine(self.output, other.output),
            reasoning: combine(self.reasoning, other.reasoning),
            cache_read: combine(self.cache_read, other.cache_read),
            cache_write: combine(self.cache_write, other.cache_write),
        }
    }

    pub(crate) fn of_row(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            cost: row.get(first)?,
            input: row.get(first + 1)?,
            output: row.get(first + 2)?,
            reasoning: row.get(first + 3)?,
            cache_read: row.get(first + 4)?,
            cache_write: row.get(first + 5)?,
        })
    }

    fn fields(self) -> (Value, Value) {
        let tokens = json!({
            "input": self.input, "output": self.output, "reasoning": self.reasoning,
            "cache": { "read": self.cache_read, "write": self.cache_write },
        });
        (json!(self.cost as f64 / COINS), tokens)
    }
}

/// Adds to what a session has used.
pub(crate) fn charge(connection: &Connection, session: &str, by: Ledger) -> Work<()> {
    if by == Ledger::default() {
        return Ok(());
    }
    connection
        .prepare_cached(
            "UPDATE session SET cost = cost + ?2, input = input + ?3, output = output + ?4, reasoning = reasoning + ?5,
             cache_read = cache_read + ?6, cache_write = cache_write + ?7 WHERE id = ?1",
        )?
        .execute(params![session, by.cost, by.input, by.output, by.reasoning, by.cache_read, by.cache_write])?;
    Ok(())
}

/// Says what a session has used, whatever was there.
pub(crate) fn set_ledger(connection: &Connection, session: &str, to: Ledger) -> Work<()> {
    connection
        .prepare_cached(
            "UPDATE session SET cost = ?2, input = ?3, output = ?4, reasoning = ?5, cache_read = ?6, cache_write = ?7
             WHERE id = ?1",
        )?
        .execute(params![session, to.cost, to.input, to.output, to.reasoning, to.cache_read, to.cache_write])?;
    Ok(())
}

/// The session was used just now; a clock that went back does not make it older.
pub(crate) fn touch(connection: &Connection, session: &str, now: u64) -> Work<()> {
    connection
        .prepare_cached("UPDATE session SET updated = ?2 WHERE id = ?1 AND updated < ?2")?
        .execute(params![session, time(now)])?;
    Ok(())
}

/// Makes a session's row, or replaces it; what it has used comes from its steps alone.
pub(crate) fn put(connection: &Connection, session: &Session) -> Work<()> {
    let unreadable = |e: &serde_json::Error| blobs::unreadable(session.id.as_str(), e);
    let mut value = serde_json::to_value(session).map_err(|e| unreadable(&e))?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, _| !OWN_COLUMN.contains(&name.as_str()));
    }
    let spilled = blobs::spill(&mut value);
    let id = session.id.as_str();
    connection
        .prepare_cached(
            "INSERT INTO session (id, project, directory, path, parent, title, created, updated, archived, data, blobs)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (id) DO UPDATE SET project = excluded.project, directory = excluded.directory,
             path = excluded.path, parent = excluded.parent, title = excluded.title, created = excluded.created,
             updated = excluded.updated, archived = excluded.archived, data = excluded.data, blobs = excluded.blobs",
        )?
        .execute(params![
            id,
            session.project,
            session.directory,
            session.path,
            session.parent.as_ref().map(SessionId::as_str),
            session.title,
            time(session.time.created),
            time(session.time.updated),
            session.time.archived.map(time),
            value.to_string(),
            blobs::note(&spilled),
        ])?;
    blobs::use_only(connection, id, id, &spilled)
}

/// Milliseconds as SQLite keeps them.
pub(crate) fn time(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds).unwrap_or(i64::MAX)
}

pub(crate) fn get(connection: &Connection, id: &SessionId) -> Work<Session> {
    let mut rows = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM session WHERE id = ?1"))?;
    let mut rows = rows.query([id.as_str()])?;
    let Some(row) = rows.next()? else { return Err(StoreError::NoSession(id.clone()).into()) };
    decode(connection, row)
}

fn decode(connection: &Connection, row: &Row<'_>) -> Work<Session> {
    let id: String = row.get(0)?;
    let data = row.get_ref(15)?.as_str().unwrap_or_default();
    let mut value: Value = serde_json::from_str(data).map_err(|e| blobs::unreadable(&id, &e))?;
    if let Some(note) = row.get::<_, Option<String>>(16)? {
        let notes = blobs::read_note(&id, &note)?;
        blobs::fill(connection, &mut value, notes, Detail::Whole, &mut Vec::new())?;
    }
    let (cost, tokens) = Ledger::of_row(row, 9)?.fields();
    if let Value::Object(fields) = &mut value {
        let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        set("id", json!(id));
        set("projectID", json!(row.get::<_, String>(1)?));
        set("directory", json!(row.get::<_, String>(2)?));
        set("title", json!(row.get::<_, String>(5)?));
        set("cost", cost);
        set("tokens", tokens);
        for (name, column) in [("path", 3), ("parentID", 4)] {
            if let Some(text) = row.get::<_, Option<String>>(column)? {
                set(name, json!(text));
            }
        }
        let Some(Value::Object(time)) = fields.get_mut("time") else {
            return Err(
                StoreError::Unreadable { what: format!("`{id}`"), detail: "it has no time".into() }.into()
            );
        };
        time.insert("updated".to_owned(), json!(row.get::<_, i64>(7)?));
    }
    serde_json::from_value(value).map_err(|e| blobs::unreadable(&id, &e))
}

/// Changes some properties in the row as it is now.
pub(crate) fn change(connection: &Connection, id: &SessionId, changes: Vec<Change>) -> Work<Session> {
    let mut session = get(connection, id)?;
    for change in changes {
        match change {
            Change::Title(title) => session.title = title,
            Change::Agent(agent) => session.agent = agent,
            Change::Model(model) => session.model = model,
            Change::Summary(summary) => session.summary = summary,
            Change::Revert(revert) => session.revert = revert,
            Change::Permission(rules) => session.permission = rules,
            Change::Metadata(metadata) => session.metadata = metadata,
            Change::Share(share) => session.share = share,
            Change::Compacting(since) => session.time.compacting = since,
            Change::Archived(since) => session.time.archived = since,
        }
    }
    put(connection, &session)?;
    Ok(session)
}

/// The sessions a filter lets through, the last used first.
pub(crate) fn list(connection: &Connection, filter: Filter) -> Work<Vec<Session>> {
    let mut conditions = vec!["1 = 1".to_owned()];
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    let mut add = |condition: &str, value: Box<dyn ToSql>| {
        values.push(value);
        conditions.push(condition.replace('?', &format!("?{}", values.len())));
    };
    if let Some(directory) = filter.directory {
        add("directory = ?", Box::new(directory));
    }
    if let Some(project) = filter.project {
        add("project = ?", Box::new(project));
    }
    if let Some(path) = filter.path.filter(|path| !path.is_empty()) {
        // Not `LIKE`, for which `A` is `a` and `_` is anything.
        add("(path = ? OR substr(path, 1, length(?) + 1) = ? || '/')", Box::new(path));
    }
    if let Some(workspace) = filter.workspace {
        add("json_extract(data, '$.workspaceID') = ?", Box::new(workspace));
    }
    if let Some(since) = filter.since {
        add("updated >= ?", Box::new(time(since)));
    }
    if let Some(before) = filter.before {
        add("updated < ?", Box::new(time(before)));
    }
    if let Some(title) = filter.title {
        add("title LIKE '%' || ? || '%' ESCAPE '\\'", Box::new(like(&title)));
    }
    if filter.roots {
        conditions.push("parent IS NULL".to_owned());
    }
    if !filter.archived {
        conditions.push("archived IS NULL".to_owned());
    }
    values.push(Box::new(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
    let sql = format!(
        "SELECT {COLUMNS} FROM session WHERE {} ORDER BY updated DESC, id LIMIT ?{}",
        conditions.join(" AND "),
        values.len()
    );
    several(connection, &sql, &values.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

/// Text as `LIKE` finds it literally.
pub(crate) fn like(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

pub(crate) fn children(connection: &Connection, id: &SessionId) -> Work<Vec<Session>> {
    let sql = format!("SELECT {COLUMNS} FROM session WHERE parent = ?1 ORDER BY created, id DESC");
    several(connection, &sql, &[&id.as_str()])
}

fn several(connection: &Connection, sql: &str, values: &[&dyn ToSql]) -> Work<Vec<Session>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(decode(connection, row)?);
    }
    Ok(sessions)
}

/// A session and those below it, the deepest first. A circle of parents ends where it began.
pub(crate) fn family(connection: &Connection, id: &SessionId) -> Work<Vec<SessionId>> {
    let mut rows = connection.prepare_cached(
        "WITH RECURSIVE family (id) AS (SELECT id FROM session WHERE id = ?1
         UNION SELECT session.id FROM session JOIN family ON session.parent = family.id) SELECT id FROM family",
    )?;
    let mut ids: Vec<SessionId> = rows
        .query_map([id.as_str()], |row| row.get::<_, String>(0))?
        .map(|id| id.map(SessionId::from_raw))
        .collect::<Result<_, _>>()?;
    if ids.is_empty() {
        return Err(StoreError::NoSession(id.clone()).into());
    }
    ids.reverse();
    Ok(ids)
}

/// Deletes sessions with all that belongs to them.
pub(crate) fn delete(connection: &Connection, ids: &[SessionId]) -> Work<()> {
    for id in ids {
        let texts = blobs::used_in(connection, id.as_str())?;
        connection.prepare_cached("DELETE FROM session WHERE id = ?1")?.execute([id.as_str()])?;
        for text in texts {
            blobs::drop_unused(connection, &text)?;
        }
    }
    Ok(())
}

/// The session whose id begins like this; `last` is the one used last that nobody else started.
pub(crate) fn find(connection: &Connection, given: &str) -> Work<SessionId> {
    const SHOWN: i64 = 5;
    if given == "last" {
        let sql = "SELECT id FROM session WHERE parent IS NULL ORDER BY updated DESC, id LIMIT 1";
        let id = connection.query_row(sql, [], |row| row.get::<_, String>(0)).optional()?;
        let none = || StoreError::Invalid("there is no session yet".to_owned());
        return Ok(SessionId::from_raw(id.ok_or_else(none)?));
    }
    let mut rows = connection
        .prepare_cached("SELECT id FROM session WHERE id LIKE ?1 || '%' ESCAPE '\\' ORDER BY id LIMIT ?2")?;
    let matches: Vec<String> =
        rows.query_map(params![like(given), SHOWN], |row| row.get(0))?.collect::<Result<_, _>>()?;
    match matches.as_slice() {
        [one] => Ok(SessionId::from_raw(one.as_str())),
        several if several.iter().any(|id| id == given) => Ok(SessionId::from_raw(given)),
        [] => Err(StoreError::NoSession(SessionId::from_raw(given)).into()),
        _ => Err(StoreError::Ambiguous { given: given.to_owned(), matches }.into()),
    }
}

pub(crate) fn put_todos(connection: &Connection, session: &SessionId, todos: &[Todo]) -> Work<()> {
    get(connection, session)?;
    connection.prepare_cached("DELETE FROM todo WHERE session_id = ?1")?.execute([session.as_str()])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO todo (session_id, position, content, status, priority) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, todo) in (0_i64..).zip(todos) {
        insert.execute(params![session.as_str(), position, todo.content, todo.status, todo.priority])?;
    }
    Ok(())
}

pub(crate) fn todos(connection: &Connection, session: &SessionId) -> Work<Vec<Todo>> {
    let mut rows = connection.prepare_cached(
        "SELECT content, status, priority FROM todo WHERE session_id = ?1 ORDER BY position",
    )?;
    let todo = |row: &Row<'_>| Ok(Todo { content: row.get(0)?, status: row.get(1)?, priority: row.get(2)? });
    Ok(rows.query_map([session.as_str()], todo)?.collect::<Result<_, _>>()?)
}
