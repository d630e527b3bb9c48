//! One command that runs, with its output and its end.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use praxis_os::process::{Ended, Notice, Output, Process, Running};
use praxis_proto::SessionId;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::spool::{Shown, Spool};
use crate::lock::lock;

/// Read from a command at a time.
const CHUNK: usize = 256 << 10;
/// Read from it before others get their turn.
const AT_ONCE: usize = 1 << 20;
/// Read after the command's end at most: what its pipe can hold.
const LAST_WORDS: usize = 1 << 20;
/// How long a killed command may take to be gone.
const KILL_PATIENCE: Duration = Duration::from_secs(5);
/// Requests to a job that wait at once.
const MOST_WAITING: usize = 16;
/// How long a job is given to take what is sent to it.
const INPUT_PATIENCE: Duration = Duration::from_secs(5);

/// How far a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It runs.
    Running,
    /// It has ended; processes that it started still run.
    Left(Ended),
    /// It has ended and nothing of it runs.
    Over(Ended),
}

impl Progress {
    /// How the command itself ended.
    pub fn ended(self) -> Option<Ended> {
        match self {
            Self::Running => None,
            Self::Left(ended) | Self::Over(ended) => Some(ended),
        }
    }
}

/// What a job is known by.
#[derive(Debug, Clone)]
pub struct Label {
    /// Names it.
    pub id: String,
    /// The session that started it.
    pub session: SessionId,
    /// The command.
    pub command: String,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Whether it was found to be more than its text tells.
    pub doubtful: bool,
}

/// A command that runs. Clones are the same job; it ends when the last of them goes.
#[derive(Debug, Clone)]
pub struct Job {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    label: Label,
    started: Instant,
    spool: Arc<Mutex<Spool>>,
    grown: Arc<Notify>,
    progress: watch::Receiver<Progress>,
    requests: mpsc::Sender<Request>,
}

enum Request {
    Terminate,
    Kill,
    Input(Vec<u8>, oneshot::Sender<io::Result<()>>),
    List(oneshot::Sender<Vec<Process>>),
}

impl Job {
    /// Takes charge of a command that was started.
    pub(crate) fn attend(label: Label, mut running: Running, spool: Spool) -> Self {
        let spool = Arc::new(Mutex::new(spool));
        let grown = Arc::new(Notify::new());
        let (told, progress) = watch::channel(Progress::Running);
        let (requests, waiting) = mpsc::channel(MOST_WAITING);
        let attendant = Attendant {
            output: running.take_output(),
            input: running.take_input(),
            running,
            spool: Arc::clone(&spool),
            grown: Arc::clone(&grown),
            told,
            lists: Vec::new(),
        };
        tokio::spawn(attendant.work(waiting));
        Self { inner: Arc::new(Inner { label, started: Instant::now(), spool, grown, progress, requests }) }
    }

    /// The same job under a name.
    pub(crate) fn named(self, id: String) -> Self {
        let Inner { label, started, spool, grown, progress, requests } = &*self.inner;
        let inner = Inner {
            label: Label { id, ..label.clone() },
            started: *started,
            spool: Arc::clone(spool),
            grown: Arc::clone(grown),
            progress: progress.clone(),
            requests: requests.clone(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// What it is known by.
    pub fn label(&self) -> &Label {
        &self.inner.label
    }

    /// How long ago it was started.
    pub fn age(&self) -> Duration {
        self.inner.started.elapsed()
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        *self.inner.progress.borrow()
    }

    /// Waits until the command itself has ended, and everything it had written has been read.
    pub async fn ended(&self) -> Ended {
        let mut progress = self.inner.progress.clone();
        let ended = progress.wait_for(|progress| progress.ended().is_some()).await;
        match ended.map(|progress| progress.ended()) {
            Ok(Some(ended)) => ended,
            // The attendant is gone only with its runtime.
            Ok(None) | Err(_) => Ended::Signal(9),
        }
    }

    /// Waits for output that was not there before. One waiter at a time.
    pub async fn grown(&self) {
        self.inner.grown.notified().await;
    }

    /// Asks it, and everything it started, to end.
    pub async fn terminate(&self) {
        let _ = self.inner.requests.send(Request::Terminate).await;
    }

    /// Ends it and everything it started.
    pub async fn kill(&self) {
        let _ = self.inner.requests.send(Request::Kill).await;
    }

    /// Asks it to end, and ends it if it does not within `grace`. The command itself has ended when this returns.
    pub async fn stop(&self, grace: Duration) -> Ended {
        self.terminate().await;
        if let Ok(ended) = tokio::time::timeout(grace, self.over()).await {
            return ended;
        }
        self.kill().await;
        // What cannot even be killed hangs in the kernel; nobody is helped by hanging with it.
        tokio::time::timeout(KILL_PATIENCE, self.over()).await.unwrap_or(Ended::Signal(9))
    }

    async fn over(&self) -> Ended {
        let mut progress = self.inner.progress.clone();
        let over = progress.wait_for(|progress| matches!(progress, Progress::Over(_))).await;
        over.ok().and_then(|progress| progress.ended()).unwrap_or(Ended::Signal(9))
    }

    /// Sends input.
    pub async fn send(&self, bytes: Vec<u8>) -> io::Result<()> {
        let (reply, answer) = oneshot::channel();
        let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the job has ended");
        self.inner.requests.send(Request::Input(bytes, reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// What runs of it.
    pub async fn processes(&self) -> Vec<Process> {
        let (reply, answer) = oneshot::channel();
        if self.inner.requests.send(Request::List(reply)).await.is_err() {
            return Vec::new();
        }
        answer.await.unwrap_or_default()
    }

    /// What the model gets of the whole output.
    pub fn show(&self) -> Shown {
        self.spool().show()
    }

    /// The newest characters of the output.
    pub fn newest(&self, most: usize) -> String {
        self.spool().newest(most)
    }

    /// What came since the last time, and how many bytes before it were left out.
    pub(crate) fn fresh(&self) -> Option<(String, u64)> {
        self.spool().fresh()
    }

    fn spool(&self) -> MutexGuard<'_, Spool> {
        let mut spool = lock(&self.inner.spool);
        spool.catch_up();
        spool
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.spool().total()
    }
}

/// Reads, listens and does what is asked, until nothing of the command runs or nobody holds the job any more.
struct Attendant {
    running: Running,
    output: Option<Output>,
    input: Option<pipe::Sender>,
    spool: Arc<Mutex<Spool>>,
    grown: Arc<Notify>,
    told: watch::Sender<Progress>,
    lists: Vec<oneshot::Sender<Vec<Process>>>,
}

impl Attendant {
    async fn work(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut buffer = vec![0; CHUNK];
        loop {
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => self.serve(request).await,
                    // The last holder has gone: dropping `running` ends the command.
                    None => return,
                },
                notice = self.running.notice() => match notice {
                    Notice::Ended { how, left } => {
                        self.read_last(&mut buffer);
                        if !left {
                            self.told.send_replace(Progress::Over(how));
                            return;
                        }
                        self.told.send_replace(Progress::Left(how));
                    }
                    Notice::Processes(processes) => {
                        if !self.lists.is_empty() {
                            let _ = self.lists.remove(0).send(processes);
                        }
                    }
                    Notice::Gone => break,
                },
                () = readable(self.output.as_ref()) => self.read(&mut buffer),
            }
        }
        self.read_last(&mut buffer);
        self.told.send_modify(|progress| {
            *progress = Progress::Over(progress.ended().unwrap_or(Ended::Signal(9)));
        });
    }

    /// Reads some of what is there, so that others get their turn.
    fn read(&mut self, buffer: &mut [u8]) {
        self.read_most(buffer, AT_ONCE, false);
    }

    /// Reads all that is there after the command's end.
    fn read_last(&mut self, buffer: &mut [u8]) {
        self.read_most(buffer, LAST_WORDS, true);
    }

    /// Reads `most` bytes or a little more.
    fn read_most(&mut self, buffer: &mut [u8], most: usize, last: bool) {
        let mut total = 0;
        while total < most {
            let Some(output) = &self.output else { break };
            match lock(&self.spool).take(output, buffer, last) {
                Ok(0) => self.output = None,
                Ok(count) => total += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.output = None,
            }
        }
        if total > 0 {
            self.grown.notify_one();
        }
    }

    async fn serve(&mut self, request: Request) {
        match request {
            Request::Terminate => self.running.terminate().await,
            Request::Kill => self.running.kill().await,
            Request::List(reply) => {
                self.lists.push(reply);
                self.running.list().await;
            }
            Request::Input(bytes, reply) => {
                let _ = reply.send(self.send(&bytes).await);
            }
        }
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.input else {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "the job takes no input"));
        };
        match tokio::time::timeout(INPUT_PATIENCE, input.write_all(bytes)).await {
            Ok(written) => written,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the job does not read its input")),
        }
    }
}

/// Waits for output; for ever where there is none to come.
async fn readable(output: Option<&Output>) {
    match output {
        Some(output) => output.readable().await,
        None => std::future::pending().await,
    }
}
