//! Runs a command in the shell: read first, asked for, then run in the foreground or as a job.

mod permit;
mod verdict;

use std::time::{Duration, Instant};

use praxis_os::process::Process;
use praxis_os::{FileError, RealPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use self::permit::{Permit, permit};
pub(super) use self::verdict::how_it_ended;
use self::verdict::{Finish, Sandbox, Verdict};
use crate::registry::Scene;
use crate::shell::{Job, Lifetime, MOST_RUNNING, OnTimeout, Progress, Shell};
use crate::{Cx, Report, Tool, ToolError};

/// The longest time a command may be given; what takes longer is a job.
const LONGEST_TIMEOUT: u64 = 3_600_000;
/// What a command gets to end by itself after its time, and after a cancel.
const TIMEOUT_GRACE: Duration = Duration::from_secs(3);
const CANCEL_GRACE: Duration = Duration::from_millis(100);
/// The system takes no longer argument, and the script is one.
const LONGEST_COMMAND: usize = 128 * 1_024 - 1;
/// Characters of a running command's output that clients are shown.
const PREVIEW: usize = 30_000;
/// The shortest time between two such previews.
const PREVIEW_PACE: Duration = Duration::from_millis(100);
/// How long a command that was started in the background is watched for an early end.
const FIRST_LOOK: Duration = Duration::from_millis(300);

/// Run a command in the shell and get what it prints.
///
/// Every call is a new shell: variables, functions and the folder do not carry over. Nothing is typed to it, and there is
/// no terminal, so use flags that keep programs from asking (`--yes`, `-m`, `--no-pager`).
///
/// - Use the other tools for files: `read`, not cat, head or tail; `grep` and `glob`, not grep, rg or find; `edit` and
///   `write`, not sed, awk or `echo >`. They are faster, and they show the user what changes.
/// - To work in another folder give `workdir`; do not write `cd folder && …`.
/// - Quote paths that have spaces. Join commands that depend on each other with `&&`; send independent ones as separate
///   calls, which run side by side. Do not use line feeds to join commands.
/// - Servers, watchers and whatever runs for long: set `background`; the `job` tool reads, waits for and stops it.
/// - Output beyond the limits is shown with its beginning and its end and saved as a whole; there is no need for `head`.
///
/// Git: commit, push, amend or rewrite history only when the user asks for it. Look at `git status` and `git diff` before
/// a commit, name the files you add, never skip hooks, never force a push, and never change the git configuration. Use
/// `gh` for pull requests, issues and checks.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The command.
    command: String,
    /// How long it may take, in milliseconds.
    #[schemars(range(min = 1))]
    timeout: Option<u64>,
    /// The folder to run it in, absolute or relative to the project directory.
    workdir: Option<String>,
    /// Start it and come back at once; it goes on as a job.
    background: Option<bool>,
    /// Like `background`, and let it run on after Praxis has ended.
    outlive: Option<bool>,
    /// Places that the sandbox must show to the command beyond the usual. Asks the user: only when a run was refused.
    access: Option<Vec<WantedPlace>>,
    /// Run it outside the sandbox. Asks the user: only when nothing less will do.
    outside: Option<bool>,
}

/// A place that a command shall see.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct WantedPlace {
    /// An existing file or folder, absolute or relative to the project directory.
    path: String,
    /// Whether the command shall write there too.
    write: Option<bool>,
}

/// The `bash` tool.
pub struct Bash {
    shell: Shell,
}

impl Bash {
    /// Runs commands in this shell.
    pub fn new(shell: Shell) -> Self {
        Self { shell }
    }
}

impl Tool for Bash {
    type Input = Input;

    const NAME: &'static str = "bash";

    async fn run(&self, input: Input, cx: &Cx) -> Result<Report, ToolError> {
        let timeout = check(&input)?.unwrap_or(self.shell.parts().timeout);
        let cwd = working_folder(input.workdir.as_deref(), cx)?;
        let lifetime = match (input.background, input.outlive) {
            (_, Some(true)) => Lifetime::Outliving,
            (Some(true), _) => Lifetime::Session,
            _ => Lifetime::Foreground,
        };
        if lifetime != Lifetime::Foreground && self.shell.jobs().running(cx.session()) >= MOST_RUNNING {
            return Err(ToolError::misuse(format!(
                "{MOST_RUNNING} jobs are running already; stop one with the `job` tool first"
            )));
        }
        let Permit { grant, doubtful, sandboxed } = permit(&input, &cwd, &self.shell, cx).await?;
        cx.progress(Some(&input.command), preview(String::new()));
        let started = Instant::now();
        let job = self.shell.start((&grant, sandboxed.clone()), lifetime, doubtful, cx).await?;
        let finish = match lifetime {
            Lifetime::Foreground => self.foreground(&job, timeout, cx).await,
            Lifetime::Session | Lifetime::Outliving => first_look(&job, cx).await,
        };
        let took = started.elapsed();
        let sandbox =
            sandboxed.as_ref().map(|sandboxed| Sandbox { views: &self.shell.parts().views, sandboxed });
        let cwd = cwd.as_path().to_owned();
        let outlives = lifetime == Lifetime::Outliving;
        let verdict = Verdict { command: input.command, cwd, finish, took, timeout, outlives, sandbox };
        Ok(self.report(verdict, job, lifetime, cx))
    }

    fn describe(&self, text: &str, scene: &Scene) -> String {
        let parts = self.shell.parts();
        let limits = parts.outputs.limits();
        let timeout = parts.timeout.as_millis();
        let after = match parts.on_timeout {
            OnTimeout::Stop => format!("commands will time out after {timeout}ms"),
            OnTimeout::Background => format!("commands become jobs after {timeout}ms"),
        };
        let sandbox = parts.views.describe(&scene.authority);
        format!(
            "{text}\n\nThe shell is {} on {}. Unless `timeout` says otherwise, {after}. Up to {} lines or {} bytes of \
             output are shown. Temporary files go to {}, which needs no permission.{sandbox}",
            parts.choice.name,
            std::env::consts::OS,
            limits.lines,
            limits.bytes,
            parts.temp.display(),
        )
    }

    /// It brings its own.
    fn deadline(&self) -> Option<Duration> {
        None
    }
}

impl Bash {
    async fn foreground(&self, job: &Job, timeout: Duration, cx: &Cx) -> Finish {
        let deadline = tokio::time::sleep(timeout);
        tokio::pin!(deadline);
        loop {
            tokio::select! {
                biased;
                () = cx.cancelled() => {
                    job.stop(CANCEL_GRACE).await;
                    return Finish::Aborted;
                }
                ended = job.ended() => return Finish::Ended(ended),
                () = &mut deadline => break,
                () = job.grown() => {
                    // Shown a moment later, with what comes meanwhile; an end is not waited for.
                    tokio::select! {
                        _ = job.ended() => {}
                        () = cx.cancelled() => {}
                        () = tokio::time::sleep(PREVIEW_PACE) => cx.progress(None, preview(job.newest(PREVIEW))),
                    }
                }
            }
        }
        let waiting = waiting(&job.processes().await);
        if self.shell.parts().on_timeout == OnTimeout::Background {
            return Finish::Moved { waiting };
        }
        tokio::select! {
            _ = job.stop(TIMEOUT_GRACE) => {}
            () = cx.cancelled() => job.kill().await,
        }
        Finish::TimedOut { waiting }
    }

    /// Puts the report together; what still runs becomes a job.
    fn report(&self, verdict: Verdict<'_>, job: Job, lifetime: Lifetime, cx: &Cx) -> Report {
        let runs = !matches!(job.progress(), Progress::Over(_));
        let is_over = matches!(verdict.finish, Finish::Aborted | Finish::TimedOut { .. });
        let keeps = (runs && !is_over) || lifetime != Lifetime::Foreground;
        if !keeps {
            return verdict.report(&job, None);
        }
        let jobs = self.shell.jobs();
        if lifetime == Lifetime::Foreground && jobs.running(cx.session()) >= MOST_RUNNING {
            return verdict.report(&job, None).with("killed", true);
        }
        let job = job.named(jobs.name(cx.session()));
        let report = verdict.report(&job, Some(job.label().id.as_str()));
        jobs.keep(job);
        report
    }
}

/// Refuses what cannot be run, and says what could. Returns the time that was asked for.
fn check(input: &Input) -> Result<Option<Duration>, ToolError> {
    let command = &input.command;
    if command.trim().is_empty() {
        return Err(ToolError::misuse("The command is empty; give the command to run."));
    }
    if command.contains('\0') {
        return Err(ToolError::misuse(
            "The command has a NUL byte, which no shell can take; write `\\0` with printf instead.",
        ));
    }
    if command.len() > LONGEST_COMMAND {
        return Err(ToolError::misuse(format!(
            "The command has {} bytes and the system takes {LONGEST_COMMAND} at most; write it to a file and run that.",
            command.len()
        )));
    }
    match input.timeout {
        Some(0) => Err(ToolError::misuse("`timeout` must be at least 1 millisecond.")),
        Some(given) if given > LONGEST_TIMEOUT => Err(ToolError::misuse(format!(
            "`timeout` can be {LONGEST_TIMEOUT} milliseconds at most; run what takes longer with `background`."
        ))),
        given => Ok(given.map(Duration::from_millis)),
    }
}

fn working_folder(given: Option<&str>, cx: &Cx) -> Result<RealPath, ToolError> {
    let given = given.unwrap_or(".");
    let wrong = |problem: &str| {
        let folder = cx.instance().directory().display();
        Err(ToolError::misuse(format!("`workdir` {given} {problem}; leave it out to run in {folder}.")))
    };
    let path = match cx.instance().resolve(given) {
        Ok(path) => path,
        Err(error) => return wrong(&format!("cannot be used: {error}")),
    };
    match path.as_path().metadata() {
        Ok(data) if data.is_dir() => Ok(path),
        Ok(_) => wrong("is not a folder"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => wrong("does not exist"),
        Err(source) => Err(FileError::Io { path: path.as_path().to_owned(), source }.into()),
    }
}

/// Watches a job's first moments, so that one that fails at once is told as such.
async fn first_look(job: &Job, cx: &Cx) -> Finish {
    tokio::select! {
        ended = job.ended() => Finish::Ended(ended),
        () = tokio::time::sleep(FIRST_LOOK) => Finish::Started,
        () = cx.cancelled() => Finish::Aborted,
    }
}

fn waiting(processes: &[Process]) -> Option<String> {
    processes.iter().find(|process| process.waits_for_input).map(|process| process.name.clone())
}

fn preview(text: String) -> Map<String, Value> {
    Map::from_iter([("output".to_owned(), Value::from(text))])
}
