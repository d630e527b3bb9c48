//! The store on one SQLite file.

mod blobs;
mod bounded;
mod connect;
mod deltas;
mod doctor;
mod lease;
mod mend;
mod messages;
mod parts;
mod readers;
mod recover;
mod schema;
mod search;
mod sessions;
mod transfer;
mod writer;

pub use doctor::{Finding, Repair};

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use praxis_proto::{
    Message, MessageId, MessageWithParts, Mint, Part, PartId, Session, SessionId, SessionTime, Todo, Tokens,
    default_title,
};
use rusqlite::Connection;

use self::blobs::{PIECE, Spilled};
use self::deltas::Deltas;
use self::readers::Readers;
use self::writer::Writer;
use crate::StoreError;
use crate::error::Work;
use crate::slug::slug;
use crate::store::{
    Boxed, Change, Clock, Cut, Draft, Existing, Field, Filter, Hit, Lease, LeftOut, Opened, Page, Recovered,
    Store, Transfer,
};

/// Pieces of a big text that one transaction takes, so that others get their turn in between.
const PIECES_AT_ONCE: usize = 4;
/// The path of a store that nobody wants to keep.
const PASSING: &str = ":memory:";

/// Sessions in one SQLite file, shared by any number of processes.
///
/// One thread writes, in transactions that take all work that waits; a few connections read beside it.
pub struct SqliteStore {
    path: PathBuf,
    readers: Readers,
    /// None where the file can only be read.
    writer: Option<Writer>,
    mint: Mint,
    clock: Clock,
    /// Where a store lives that nobody wants to keep; dropped last.
    _passing: Option<tempfile::TempDir>,
}

impl SqliteStore {
    /// Opens the store for reading and writing; makes it where there is none.
    ///
    /// The path `:memory:` means a store that is gone when this is dropped.
    pub fn open(path: &Path, clock: Clock) -> Result<Self, StoreError> {
        if path == Path::new(PASSING) {
            return Self::passing(clock);
        }
        let writer = Writer::start(connect::writer(path)?, path, Arc::default())?;
        Ok(Self::with(path, clock, Some(writer)))
    }

    /// Opens the store only to read it; none if there is none yet.
    pub fn look(path: &Path, clock: Clock) -> Result<Option<Self>, StoreError> {
        if !path.exists() || path == Path::new(PASSING) {
            return Ok(None);
        }
        let store = Self::with(path, clock, None);
        store.readers.keep(connect::reader(path)?);
        Ok(Some(store))
    }

    /// In a folder of its own, since connections to memory would not see each other.
    fn passing(clock: Clock) -> Result<Self, StoreError> {
        let made = |source| StoreError::File { action: "make a folder for", path: PASSING.into(), source };
        let folder = tempfile::tempdir().map_err(made)?;
        let store = Self::open(&folder.path().join("praxis.db"), clock)?;
        Ok(Self { _passing: Some(folder), ..store })
    }

    /// Whether the file can be read at all, and SQLite finds it sound.
    pub fn check_file(path: &Path) -> Result<(), StoreError> {
        doctor::readable(path)
    }

    /// Whether a crash left something open in a session that nobody has at work; [`Store::open`] closes it.
    pub async fn is_left_open(&self, id: &SessionId) -> Result<bool, StoreError> {
        let (path, id) = (self.path.clone(), id.clone());
        self.read(move |connection| Ok(recover::is_needed(connection, &id)? && !lease::is_held(&path, &id)))
            .await
    }

    fn with(path: &Path, clock: Clock, writer: Option<Writer>) -> Self {
        let ticking = Arc::clone(&clock);
        let mint = Mint::new(move || (ticking)());
        Self { path: path.to_owned(), readers: Readers::new(path), writer, mint, clock, _passing: None }
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn clock(&self) -> Clock {
        Arc::clone(&self.clock)
    }

    fn now(&self) -> u64 {
        (self.clock)()
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.writer.as_ref().ok_or_else(|| StoreError::ReadOnly(self.path.clone()))
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Work<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.run(work).await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Work<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.read(work).await
    }

    /// Everything appended by this process can be read from now on.
    async fn catch_up(&self) -> Result<(), StoreError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        if lock(writer.deltas()).is_empty() {
            return Ok(());
        }
        let deltas = writer.shared_deltas();
        writer
            .run(move |connection| {
                let taken = lock(&deltas).take_all();
                let stored = deltas::store(connection, &taken);
                if stored.is_err() {
                    lock(&deltas).put_all_back(taken);
                }
                Ok(stored?)
            })
            .await
    }

    /// Writes big texts piece by piece before the row that refers to them.
    async fn write_ahead(&self, spilled: &[Spilled]) -> Result<(), StoreError> {
        for one in spilled.iter().filter(|one| one.text.len() > PIECE) {
            let pieces = one.text.len().div_ceil(PIECE);
            let id = one.id.clone();
            if self.read(move |connection| blobs::is_there(connection, &id)).await? {
                continue;
            }
            for first in (0..pieces).step_by(PIECES_AT_ONCE) {
                let (id, text) = (one.id.clone(), Arc::clone(&one.text));
                let these = first..(first + PIECES_AT_ONCE).min(pieces);
                self.write(move |connection| blobs::write_pieces(connection, &id, &text, these)).await?;
            }
        }
        Ok(())
    }

    /// Takes the leases of several sessions, or none.
    async fn hold(&self, ids: Vec<SessionId>) -> Result<Vec<lease::Hold>, StoreError> {
        self.writer()?;
        let path = self.path.clone();
        let taking =
            tokio::task::spawn_blocking(move || ids.iter().map(|id| lease::take(&path, id)).collect());
        taking.await.map_err(|_| StoreError::Closed)?
    }
}

fn lock(deltas: &Mutex<Deltas>) -> MutexGuard<'_, Deltas> {
    deltas.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A part or message goes only into the session its lease is for.
fn check(lease: &Lease, session: &SessionId) -> Result<(), StoreError> {
    if lease.session() == session {
        return Ok(());
    }
    Err(StoreError::Invalid(format!(
        "the lease is for session `{}` and not for `{session}`",
        lease.session()
    )))
}

impl Store for SqliteStore {
    fn create(&self, draft: Draft) -> Boxed<'_, Session> {
        Box::pin(async move {
            let session = new_session(self.mint.session(), draft, self.now());
            self.write(move |connection| {
                sessions::put(connection, &session)?;
                Ok(session)
            })
            .await
        })
    }

    fn session<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Session> {
        let id = id.clone();
        Box::pin(self.read(move |connection| sessions::get(connection, &id)))
    }

    fn find<'a>(&'a self, given: &'a str) -> Boxed<'a, SessionId> {
        let given = given.to_owned();
        Box::pin(self.read(move |connection| sessions::find(connection, &given)))
    }

    fn change<'a>(&'a self, id: &'a SessionId, changes: Vec<Change>) -> Boxed<'a, Session> {
        let id = id.clone();
        Box::pin(self.write(move |connection| sessions::change(connection, &id, changes)))
    }

    fn list(&self, filter: Filter) -> Boxed<'_, Vec<Session>> {
        Box::pin(self.read(move |connection| sessions::list(connection, filter)))
    }

    fn children<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Vec<Session>> {
        let id = id.clone();
        Box::pin(self.read(move |connection| sessions::children(connection, &id)))
    }

    fn delete<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Vec<SessionId>> {
        Box::pin(async move {
            let root = id.clone();
            let family = self.read(move |connection| sessions::family(connection, &root)).await?;
            let _held = self.hold(family.clone()).await?;
            self.write(move |connection| {
                sessions::delete(connection, &family)?;
                Ok(family)
            })
            .await
        })
    }

    fn open<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Opened> {
        Box::pin(async move {
            let held = self.hold(vec![id.clone()]).await?;
            let lease = Lease::new(id.clone(), held);
            let asked = id.clone();
            let (session, left_open, newest) = self
                .read(move |connection| {
                    let session = sessions::get(connection, &asked)?;
                    Ok((
                        session,
                        recover::is_needed(connection, &asked)?,
                        messages::newest(connection, &asked)?,
                    ))
                })
                .await?;
            if !left_open {
                return Ok(Opened { session, lease, recovered: Recovered::default(), newest });
            }
            let (asked, now) = (id.clone(), self.now());
            let (session, recovered) = self
                .write(move |connection| {
                    let recovered = recover::recover(connection, &asked, now)?;
                    Ok((sessions::get(connection, &asked)?, recovered))
                })
                .await?;
            Ok(Opened { session, lease, recovered, newest })
        })
    }

    fn put_message<'a>(&'a self, lease: &'a Lease, message: Message) -> Boxed<'a, ()> {
        Box::pin(async move {
            check(lease, message.session())?;
            let ready = messages::ready(&message)?;
            drop(message);
            self.write_ahead(&ready.spilled).await?;
            let now = self.now();
            self.write(move |connection| messages::put(connection, &ready, now)).await
        })
    }

    fn put_message_last<'a>(&'a self, lease: &'a Lease, message: Message) -> Boxed<'a, ()> {
        Box::pin(async move {
            check(lease, message.session())?;
            let ready = messages::ready(&message)?;
            self.write_ahead(&ready.spilled).await?;
            let now = self.now();
            self.write(move |connection| {
                messages::move_last(connection, message.session(), message.id())?;
                messages::put(connection, &ready, now)
            })
            .await
        })
    }

    fn remove_message<'a>(&'a self, lease: &'a Lease, message: &'a MessageId) -> Boxed<'a, ()> {
        let (session, message) = (lease.session().clone(), message.clone());
        Box::pin(self.write(move |connection| messages::remove(connection, &session, &message)))
    }

    fn put_part<'a>(&'a self, lease: &'a Lease, part: Part) -> Boxed<'a, ()> {
        Box::pin(async move {
            check(lease, &part.session)?;
            let key = (part.session.clone(), part.id.clone());
            let ready = parts::ready(part)?;
            self.write_ahead(&ready.spilled).await?;
            let writer = self.writer()?;
            let deltas = writer.shared_deltas();
            writer
                .run(move |connection| {
                    parts::put(connection, &ready)?;
                    // Superseded, and forgotten here: on this thread nothing can come between.
                    lock(&deltas).forget(&key);
                    Ok(())
                })
                .await
        })
    }

    fn remove_part<'a>(&'a self, lease: &'a Lease, part: &'a PartId) -> Boxed<'a, ()> {
        let (session, part) = (lease.session().clone(), part.clone());
        Box::pin(self.write(move |connection| parts::remove(connection, &session, &part)))
    }

    fn append<'a>(
        &'a self,
        lease: &'a Lease,
        part: &'a PartId,
        field: Field,
        text: &'a str,
    ) -> Boxed<'a, ()> {
        Box::pin(async move {
            let writer = self.writer()?;
            if lock(writer.deltas()).is_stuck(lease.session(), part) {
                // Tells why the text could not be stored, or stores it now.
                self.catch_up().await?;
            }
            let next = lock(writer.deltas()).push(lease.session(), part, field, text);
            if next.wake {
                writer.wake()?;
            }
            if next.full { self.catch_up().await } else { Ok(()) }
        })
    }

    fn flush(&self) -> Boxed<'_, ()> {
        Box::pin(self.catch_up())
    }

    fn history<'a>(&'a self, session: &'a SessionId, cut: Cut) -> Boxed<'a, Page> {
        Box::pin(async move {
            self.catch_up().await?;
            let session = session.clone();
            self.read(move |connection| messages::page(connection, &session, &cut)).await
        })
    }

    fn message<'a>(&'a self, session: &'a SessionId, message: &'a MessageId) -> Boxed<'a, MessageWithParts> {
        Box::pin(async move {
            self.catch_up().await?;
            let (session, message) = (session.clone(), message.clone());
            self.read(move |connection| messages::one(connection, &session, &message)).await
        })
    }

    fn text<'a>(&'a self, left_out: &'a LeftOut) -> Boxed<'a, String> {
        let left_out = left_out.clone();
        Box::pin(self.read(move |connection| blobs::load(connection, &left_out)))
    }

    fn put_todos<'a>(&'a self, session: &'a SessionId, todos: Vec<Todo>) -> Boxed<'a, ()> {
        let session = session.clone();
        Box::pin(self.write(move |connection| sessions::put_todos(connection, &session, &todos)))
    }

    fn todos<'a>(&'a self, session: &'a SessionId) -> Boxed<'a, Vec<Todo>> {
        let session = session.clone();
        Box::pin(self.read(move |connection| sessions::todos(connection, &session)))
    }

    fn search<'a>(&'a self, text: &'a str, limit: usize) -> Boxed<'a, Vec<Hit>> {
        let text = text.to_owned();
        Box::pin(self.read(move |connection| search::search(connection, &text, limit)))
    }

    fn export<'a>(&'a self, id: &'a SessionId) -> Boxed<'a, Transfer> {
        Box::pin(async move {
            self.catch_up().await?;
            let id = id.clone();
            self.read(move |connection| transfer::export(connection, &id)).await
        })
    }

    fn import(&self, transfer: Transfer, existing: Existing) -> Boxed<'_, Session> {
        Box::pin(async move {
            transfer::check(&transfer)?;
            let _held = self.hold(vec![transfer.info.id.clone()]).await?;
            self.write(move |connection| transfer::import(connection, transfer, existing)).await
        })
    }
}

fn new_session(id: SessionId, draft: Draft, now: u64) -> Session {
    let title = draft.title.unwrap_or_else(|| default_title(draft.parent.is_some(), &iso(now)));
    Session {
        slug: slug(id.as_str()),
        id,
        project: draft.project,
        workspace: draft.workspace,
        directory: draft.directory,
        path: draft.path,
        parent: draft.parent,
        summary: None,
        cost: 0.0,
        tokens: Tokens::default(),
        share: None,
        title,
        agent: draft.agent,
        model: draft.model,
        version: draft.version,
        metadata: draft.metadata,
        time: SessionTime { created: now, updated: now, compacting: None, archived: None },
        permission: draft.permission,
        revert: None,
        extra: serde_json::Map::new(),
    }
}

/// `2026-08-14T11:19:55.123Z`.
fn iso(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
