//! The one thread that writes: it takes all waiting work into one transaction and answers once that is committed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot};

use super::deltas::{self, Deltas};
use crate::StoreError;
use crate::error::{Work, from_sqlite};

/// How long appended text may stay in memory.
pub(crate) const DELTA_AGE: Duration = Duration::from_millis(250);
/// Work that may wait; who brings more waits outside.
const WAITING: usize = 1_024;
/// Work that one transaction takes.
const BATCH: usize = 256;
/// Pages in the log before they are moved into the store.
const LOG_PAGES: i64 = 1_000;
/// Batches between two looks at the log.
const LOOK_EVERY: u32 = 4;

/// The writer's thread, as others see it.
pub(crate) struct Writer {
    inbox: Option<Sender<Mail>>,
    thread: Option<JoinHandle<()>>,
    gate: Arc<Semaphore>,
    deltas: Arc<Mutex<Deltas>>,
    path: Arc<Path>,
}

enum Mail {
    Job(Box<dyn Job>),
    /// There is appended text where there was none.
    Deltas,
}

/// Work of any result type.
trait Job: Send {
    /// Does the work; whether it succeeded.
    fn run(&mut self, connection: &Connection) -> bool;
    /// Gives the result to who waits, or the reason why the whole transaction failed.
    fn deliver(self: Box<Self>, failed: Option<StoreError>);
}

struct Typed<T, F> {
    work: Option<F>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
    path: Arc<Path>,
}

impl<T: Send, F: FnOnce(&Connection) -> Work<T> + Send> Job for Typed<T, F> {
    fn run(&mut self, connection: &Connection) -> bool {
        let Some(work) = self.work.take() else { return false };
        let result = work(connection).map_err(|trouble| trouble.at(&self.path));
        let fine = result.is_ok();
        self.result = Some(result);
        fine
    }

    fn deliver(self: Box<Self>, failed: Option<StoreError>) {
        let told = match (self.result, failed) {
            // Its own failure tells more than that of the transaction.
            (Some(Err(own)), _) => Err(own),
            (_, Some(failed)) => Err(failed),
            (Some(result), None) => result,
            (None, None) => Err(StoreError::Closed),
        };
        // Who no longer waits does not want to know.
        let _ = self.reply.send(told);
    }
}

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        path: &Path,
        deltas: Arc<Mutex<Deltas>>,
    ) -> Result<Self, StoreError> {
        let (inbox, mail) = mpsc::channel();
        let shared: Arc<Path> = path.into();
        let desk = Desk { connection, mail, deltas: Arc::clone(&deltas), path: path.to_owned(), batches: 0 };
        let thread =
            std::thread::Builder::new().name("praxis-store".to_owned()).spawn(move || desk.work()).map_err(
                |source| StoreError::File { action: "start the writer of", path: path.to_owned(), source },
            )?;
        let gate = Arc::new(Semaphore::new(WAITING));
        Ok(Self { inbox: Some(inbox), thread: Some(thread), gate, deltas, path: shared })
    }

    /// Does one piece of work in a transaction; returns once it is committed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Work<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _place = self.gate.acquire().await.map_err(|_| StoreError::Closed)?;
        let (reply, answer) = oneshot::channel();
        let job = Typed { work: Some(work), result: None, reply, path: Arc::clone(&self.path) };
        self.send(Mail::Job(Box::new(job)))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// The appended text that is not stored yet.
    pub(crate) fn deltas(&self) -> &Mutex<Deltas> {
        &self.deltas
    }

    /// The same, for work that runs on the writer's thread.
    pub(crate) fn shared_deltas(&self) -> Arc<Mutex<Deltas>> {
        Arc::clone(&self.deltas)
    }

    /// Tells the thread that there is appended text to be stored in time.
    pub(crate) fn wake(&self) -> Result<(), StoreError> {
        self.send(Mail::Deltas)
    }

    fn send(&self, mail: Mail) -> Result<(), StoreError> {
        let inbox = self.inbox.as_ref().ok_or(StoreError::Closed)?;
        inbox.send(mail).map_err(|_| StoreError::Closed)
    }
}

/// What waits is written before the store is gone.
impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.inbox.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to write.
            let _ = thread.join();
        }
    }
}

/// The thread itself.
struct Desk {
    connection: Connection,
    mail: Receiver<Mail>,
    deltas: Arc<Mutex<Deltas>>,
    path: PathBuf,
    batches: u32,
}

impl Desk {
    fn work(mut self) {
        loop {
            let deadline = self.deltas().since().map(|since| since + DELTA_AGE);
            let mail = match deadline {
                Some(deadline) => self.mail.recv_timeout(deadline.saturating_duration_since(Instant::now())),
                None => self.mail.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match mail {
                Ok(Mail::Job(first)) => self.batch(first),
                Ok(Mail::Deltas) => {}
                Err(RecvTimeoutError::Timeout) => self.store_deltas(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.store_deltas();
                    return;
                }
            }
            // A steady stream of work must not keep appended text waiting.
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.store_deltas();
            }
        }
    }

    fn batch(&mut self, first: Box<dyn Job>) {
        let mut jobs = vec![first];
        while jobs.len() < BATCH {
            match self.mail.try_recv() {
                Ok(Mail::Job(job)) => jobs.push(job),
                Ok(Mail::Deltas) => {}
                Err(_) => break,
            }
        }
        let failed = self.commit(&mut jobs).err();
        for job in jobs {
            job.deliver(failed.as_ref().map(|error| from_sqlite(error, &self.path)));
        }
        self.tidy_log();
    }

    /// All work in one transaction; a piece that fails is taken back alone.
    fn commit(&self, jobs: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let alone = jobs.len() == 1;
        for job in jobs {
            if !alone {
                connection.prepare_cached("SAVEPOINT piece")?.execute([])?;
            }
            let fine = job.run(connection);
            if connection.is_autocommit() {
                // The disk failed it and took the transaction along; nothing before it was committed either.
                return Err(lost());
            }
            if alone && !fine {
                return connection.execute_batch("ROLLBACK");
            }
            if !alone {
                if !fine {
                    connection.prepare_cached("ROLLBACK TO piece")?.execute([])?;
                }
                connection.prepare_cached("RELEASE piece")?.execute([])?;
            }
        }
        connection.execute_batch("COMMIT").inspect_err(|_| {
            // It may be gone already, which is as good.
            let _ = connection.execute_batch("ROLLBACK");
        })
    }

    /// What cannot be stored stays in memory, where its cap stops whoever appends more.
    fn store_deltas(&self) {
        // Taken first: nobody who appends may wait for the disk.
        let taken = self.deltas().take_all();
        if taken.is_empty() {
            return;
        }
        let connection = &self.connection;
        let stored = connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            let stored = deltas::store(connection, &taken).and_then(|()| connection.execute_batch("COMMIT"));
            stored.inspect_err(|_| {
                let _ = connection.execute_batch("ROLLBACK");
            })
        });
        if let Err(error) = stored {
            tracing::warn!(%error, "text could not be stored yet");
            self.deltas().put_all_back(taken);
        }
    }

    fn deltas(&self) -> std::sync::MutexGuard<'_, Deltas> {
        self.deltas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the log into the store while nobody waits.
    fn tidy_log(&mut self) {
        self.batches += 1;
        if self.batches < LOOK_EVERY {
            return;
        }
        self.batches = 0;
        let pages = |mode: &str| {
            let pragma = format!("PRAGMA wal_checkpoint({mode})");
            self.connection.query_row(&pragma, [], |row| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?))
        };
        if pages("NOOP").is_ok_and(|waiting| waiting > LOG_PAGES)
            && let Err(error) = pages("PASSIVE")
        {
            tracing::debug!(%error, "the log stays as it is for now");
        }
    }
}

fn lost() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
    rusqlite::Error::SqliteFailure(code, Some("the transaction was lost".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(connection: &Connection, number: i64) -> Work<()> {
        connection.execute("INSERT INTO t VALUES (?1)", [number])?;
        Ok(())
    }

    /// The first job holds the thread until the others wait, so that they come into one transaction.
    #[tokio::test]
    async fn of_one_transaction_only_the_work_that_failed_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        let writer = Writer::start(connection, &path, Arc::default()).unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let hold = writer.run(move |_| {
            let _ = wait.recv();
            Ok(())
        });
        let good = writer.run(|connection| insert(connection, 1));
        let bad = writer.run(|connection| {
            insert(connection, 2)?;
            Err::<(), _>(StoreError::Closed.into())
        });
        let after = writer.run(|connection| insert(connection, 3));
        let release = async { drop(go) };
        let (_, good, bad, after, ()) = tokio::join!(hold, good, bad, after, release);
        assert!(good.is_ok() && matches!(bad, Err(StoreError::Closed)) && after.is_ok());
        let kept = writer
            .run(|connection| {
                Ok(connection
                    .query_row("SELECT group_concat(x) FROM t", [], |row| row.get::<_, String>(0))?)
            })
            .await;
        assert_eq!(kept.unwrap(), "1,3");
    }
}
