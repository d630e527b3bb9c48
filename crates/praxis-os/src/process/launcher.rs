//! Starting commands.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use super::channel;
use super::guard::GUARD_ARGUMENT;
use super::keeper::{Reach, keep};
use super::order::{Order, Sandboxed, bytes};
use super::running::Running;

/// A larger pipe lets a loud command write while we are busy; the system may give less.
const PIPE_SIZE: usize = 1 << 20;
/// A guard that takes longer to accept a command is stuck.
const GUARD_PATIENCE: Duration = Duration::from_secs(10);

/// A command to be started.
#[derive(Debug)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads.
    pub stdin: Stdin,
    /// Where it writes, errors included.
    pub stdout: Stdout,
    /// What contains it.
    pub sandbox: Option<Sandboxed>,
}

/// What a command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    Empty,
    /// What we send.
    Pipe,
}

/// Where a command writes.
#[derive(Debug)]
pub enum Stdout {
    /// To us; it ends when we do.
    Pipe,
    /// To a file; it goes on when we have ended.
    Outliving(File),
}

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The guard could not be started.
    #[error("could not start the guard of commands: {0}")]
    Guard(#[source] io::Error),
    /// The keeper went away.
    #[error("the keeper of the command did not answer")]
    Keeper,
    /// The system refused the command.
    #[error("could not start `{program}` in {}: {text}", cwd.display())]
    Refused {
        /// The program.
        program: String,
        /// Where it was to run.
        cwd: PathBuf,
        /// What the system said.
        text: String,
    },
    /// Pipes and sockets could not be made.
    #[error("could not connect to the command: {0}")]
    Connect(#[from] io::Error),
}

/// Starts commands. Cheap to clone; clones share one guard.
#[derive(Debug, Clone)]
pub struct Launcher {
    guard: Option<Arc<Guard>>,
}

#[derive(Debug)]
struct Guard {
    program: PathBuf,
    running: Mutex<Option<RunningGuard>>,
}

#[derive(Debug)]
struct RunningGuard {
    line: UnixStream,
    process: Child,
}

impl Launcher {
    /// Commands are kept by processes forked from `program`, which calls [`guard_main`](super::guard_main). It is
    /// started with the first command.
    pub fn guarded_by(program: impl Into<PathBuf>) -> Self {
        Self { guard: Some(Arc::new(Guard { program: program.into(), running: Mutex::default() })) }
    }

    /// Commands are kept by threads of this program.
    pub fn unguarded() -> Self {
        Self { guard: None }
    }

    /// Whether commands end when this program is killed.
    pub fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Starts a command. It ends, with everything it started, when what is returned is dropped.
    pub async fn start(&self, command: Command) -> Result<Running, StartError> {
        let program =
            command.argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let cwd = command.cwd.clone();
        let launcher = self.clone();
        let opened = tokio::task::spawn_blocking(move || launcher.open(command));
        let opened = opened.await.map_err(|_| StartError::Keeper)??;
        Running::open(opened, &program, cwd).await
    }

    fn open(&self, command: Command) -> Result<Opened, StartError> {
        let (ours, keepers) = channel::pair()?;
        ours.set_write_timeout(Some(GUARD_PATIENCE))?;
        let outlives = matches!(command.stdout, Stdout::Outliving(_));
        let (output, to) = match command.stdout {
            Stdout::Pipe => {
                let (read, write) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
                let _ = fcntl_setpipe_size(&write, PIPE_SIZE);
                (Some(read), write)
            }
            Stdout::Outliving(file) => (None, OwnedFd::from(file)),
        };
        let (from, input) = match command.stdin {
            Stdin::Empty => (None, None),
            Stdin::Pipe => {
                let (read, write) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
                (Some(read), Some(write))
            }
        };
        let order = Order {
            argv: command.argv.into_iter().map(bytes).collect(),
            cwd: bytes(command.cwd.into_os_string()),
            env: command.env.into_iter().map(|(name, value)| (bytes(name), bytes(value))).collect(),
            has_stdin: from.is_some(),
            outlives,
            sandbox: command.sandbox,
        };
        let body = serde_json::to_vec(&order).map_err(io::Error::from)?;
        self.hand_over(keepers)?;
        let descriptors: Vec<_> = [Some(&to), from.as_ref()].into_iter().flatten().map(AsFd::as_fd).collect();
        channel::send(&ours, &body, &descriptors)?;
        Ok(Opened { line: ours, output, input })
    }

    /// Gives a keeper its end of the line.
    fn hand_over(&self, line: UnixStream) -> Result<(), StartError> {
        let Some(guard) = &self.guard else {
            std::thread::Builder::new()
                .name("keeper".into())
                .spawn(move || keep(line, Reach::Session))
                .map_err(StartError::Guard)?;
            return Ok(());
        };
        let mut running = guard.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(guard) = running.as_ref()
            && channel::send(&guard.line, &[], &[line.as_fd()]).is_ok()
        {
            return Ok(());
        }
        // None yet, or it was killed: what it kept has keepers of its own and goes on.
        if let Some(mut gone) = running.take() {
            let _ = gone.process.kill();
            let _ = gone.process.wait();
        }
        let fresh = guard.start().map_err(StartError::Guard)?;
        channel::send(&fresh.line, &[], &[line.as_fd()]).map_err(StartError::Guard)?;
        *running = Some(fresh);
        Ok(())
    }
}

impl Guard {
    fn start(&self) -> io::Result<RunningGuard> {
        let (ours, theirs) = channel::pair()?;
        ours.set_write_timeout(Some(GUARD_PATIENCE))?;
        // No environment: what commands may see of ours they are given.
        let process = std::process::Command::new(&self.program)
            .arg(GUARD_ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(RunningGuard { line: ours, process })
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        // It ends when its line closes; shutting it down first makes the wait a short one.
        let _ = self.line.shutdown(std::net::Shutdown::Both);
        let _ = self.process.wait();
    }
}

/// The ends of a command that has been ordered.
pub(super) struct Opened {
    pub(super) line: UnixStream,
    pub(super) output: Option<OwnedFd>,
    pub(super) input: Option<OwnedFd>,
}
