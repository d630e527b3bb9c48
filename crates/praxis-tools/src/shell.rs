//! What the shell tools share: the shell, the environment, the processes that run.

mod choice;
mod environment;
mod job;
mod jobs;
mod spool;
mod views;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use praxis_os::process::{Command, Launcher, Sandboxed, Stdin, Stdout};
use praxis_policy::shell::Protected;
use praxis_proto::SessionId;

pub use choice::ShellChoice;
pub use environment::Environment;
pub use job::{Job, Label, Progress};
pub use jobs::Jobs;
pub(crate) use jobs::MOST_RUNNING;
pub use spool::Shown;
pub(crate) use spool::Spool;
pub use views::{Extra, ViewKind, ViewMode, ViewParts, Views};

use crate::{Cx, Grant, Guard, Hooks, OutputStore, ToolError};

/// How long a command may take unless it says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// What happens to a command that passes its time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnTimeout {
    /// It is stopped.
    #[default]
    Stop,
    /// It goes on as a job.
    Background,
}

/// What a [`Shell`] is made of.
pub struct ShellParts {
    /// Starts processes.
    pub launcher: Launcher,
    /// The shell that reads commands.
    pub choice: ShellChoice,
    /// What commands see.
    pub environment: Environment,
    /// Keeps long outputs.
    pub outputs: OutputStore,
    /// How long a command may take unless it says otherwise.
    pub timeout: Duration,
    /// What happens then.
    pub on_timeout: OnTimeout,
    /// The user's home folder.
    pub home: PathBuf,
    /// A folder for temporary files that may be used without asking.
    pub temp: PathBuf,
    /// Places that no command may destroy unless a person says so.
    pub protected: Vec<Protected>,
    /// What commands see of the machine.
    pub views: Views,
    /// Extensions that may add to the environment.
    pub hooks: Vec<Arc<Guard<dyn Hooks>>>,
}

/// Runs commands. Clones share their jobs.
#[derive(Clone)]
pub struct Shell {
    parts: Arc<ShellParts>,
    jobs: Jobs,
}

/// How a command is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// Somebody waits for it; it reads nothing.
    Foreground,
    /// It is a job of its session.
    Session,
    /// It goes on when Praxis has ended.
    Outliving,
}

impl Shell {
    /// Puts it together; nothing is started.
    pub fn new(parts: ShellParts) -> Self {
        Self { parts: Arc::new(parts), jobs: Jobs::default() }
    }

    /// What it is made of.
    pub fn parts(&self) -> &ShellParts {
        &self.parts
    }

    /// The commands that run in the background.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Starts the command that the grant is for, outside of any tool, in a view of this kind and with more variables. It
    /// reads nothing, and ends when the job is dropped.
    pub async fn begin(
        &self,
        grant: &Grant,
        kind: ViewKind,
        more: &[(&str, &str)],
        cx: &Cx,
    ) -> Result<Job, ToolError> {
        let kind = if self.parts.views.kind(cx) == ViewKind::Free { ViewKind::Free } else { kind };
        let sandboxed = self.parts.views.sandboxed(kind, &Extra::default(), cx)?;
        self.launch(grant, sandboxed, Lifetime::Foreground, false, more, cx).await
    }

    /// Starts the command that the grant is for.
    pub(crate) async fn start(
        &self,
        permit: (&Grant, Option<Sandboxed>),
        lifetime: Lifetime,
        doubtful: bool,
        cx: &Cx,
    ) -> Result<Job, ToolError> {
        let (grant, sandboxed) = permit;
        self.launch(grant, sandboxed, lifetime, doubtful, &[], cx).await
    }

    async fn launch(
        &self,
        grant: &Grant,
        sandboxed: Option<Sandboxed>,
        lifetime: Lifetime,
        doubtful: bool,
        more: &[(&str, &str)],
        cx: &Cx,
    ) -> Result<Job, ToolError> {
        let Some((command, cwd)) = grant.runnable() else {
            return Err(crate::cx::not_granted("run a command"));
        };
        let outside =
            |error: std::io::Error| ToolError::Outside(format!("could not save the output: {error}"));
        let (stdout, spool) = match lifetime {
            Lifetime::Outliving => {
                let (file, path) = self.parts.outputs.create().map_err(outside)?;
                let spool = Spool::following(self.parts.outputs.clone(), path).map_err(outside)?;
                (Stdout::Outliving(file), spool)
            }
            Lifetime::Foreground | Lifetime::Session => {
                (Stdout::Pipe, Spool::new(self.parts.outputs.clone()))
            }
        };
        let ordered = Command {
            argv: self.argv(command),
            cwd: cwd.to_owned(),
            env: self.environment(cwd, sandboxed.as_ref(), more, cx).await,
            stdin: if lifetime == Lifetime::Foreground { Stdin::Empty } else { Stdin::Pipe },
            stdout,
            sandbox: sandboxed,
        };
        let running = self
            .parts
            .launcher
            .start(ordered)
            .await
            .map_err(|error| ToolError::Outside(error.to_string()))?;
        let label = Label {
            id: String::new(),
            session: cx.session().clone(),
            command: command.to_owned(),
            cwd: cwd.to_owned(),
            doubtful,
        };
        Ok(Job::attend(label, running, spool))
    }

    fn argv(&self, command: &str) -> Vec<OsString> {
        vec![self.parts.choice.program.clone().into(), "-c".into(), command.into()]
    }

    async fn environment(
        &self,
        cwd: &Path,
        sandboxed: Option<&Sandboxed>,
        more: &[(&str, &str)],
        cx: &Cx,
    ) -> Vec<(OsString, OsString)> {
        let temp = sandboxed.map(|sandboxed| ("TMPDIR".to_owned(), self.temporary(sandboxed)));
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut environment = self.parts.environment.clone().with(temp).with(more);
        for hook in &self.parts.hooks {
            let (session, call) = (cx.session(), cx.call());
            let more =
                hook.attempt("shell.env", Some(session), |hook| hook.shell_env(cwd, session, call)).await;
            environment = environment.with(more.unwrap_or_default());
        }
        environment.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Where a command finds its temporary files.
    fn temporary(&self, sandboxed: &Sandboxed) -> String {
        match sandboxed.mechanisms.namespaces {
            Some(_) => "/tmp".to_owned(),
            // Without a tree of its own every name means what it means outside.
            None => self.parts.temp.to_string_lossy().into_owned(),
        }
    }

    /// Ends all jobs of a session, because the session has ended.
    pub fn end_session(&self, session: &SessionId) {
        self.jobs.end_session(session);
    }
}
