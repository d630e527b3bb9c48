//! Looks after commands that run in the background.

use std::time::Duration;

use praxis_os::process::Ended;
use praxis_policy::Care;
use schemars::JsonSchema;
use serde::Deserialize;

use super::bash::how_it_ended;
use crate::shell::{Job, Progress, Shell};
use crate::{Ask, Cx, Report, Tool, ToolError};

/// How long `wait` waits unless it is told.
const USUAL_WAIT: Duration = Duration::from_secs(30);
/// And at most.
const LONGEST_WAIT: Duration = Duration::from_mins(10);
/// What a job that is stopped gets to end by itself.
const GRACE: Duration = Duration::from_secs(3);

/// Look after commands that run in the background: those that `bash` started with `background`, and what a command left
/// running behind it.
///
/// - `list` shows the jobs of this session; the other actions need the `id` of one.
/// - `read` gives what it wrote since the last time. `wait` does so once it has ended, or after `timeout`.
/// - `send` writes `input` to it as it is given: end a line with a line feed.
/// - `stop` ends it and everything it started. Jobs end with the session.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// What to do.
    action: Action,
    /// The job, for example `job_1`.
    id: Option<String>,
    /// What to send.
    input: Option<String>,
    /// How long to wait at most, in milliseconds.
    #[schemars(range(min = 1, max = 600_000))]
    timeout: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    List,
    Read,
    Wait,
    Send,
    Stop,
}

/// The `job` tool.
pub struct JobTool {
    shell: Shell,
}

impl JobTool {
    /// Looks after the jobs of this shell.
    pub fn new(shell: Shell) -> Self {
        Self { shell }
    }

    fn find(&self, id: Option<&str>, cx: &Cx) -> Result<Job, ToolError> {
        let jobs = self.shell.jobs().of(cx.session());
        let known: Vec<&str> = jobs.iter().map(|job| job.label().id.as_str()).collect();
        let Some(id) = id else {
            return Err(ToolError::misuse(format!("`id` is missing; {}", choices(&known))));
        };
        let found = jobs.iter().find(|job| job.label().id == id);
        found
            .cloned()
            .ok_or_else(|| ToolError::misuse(format!("there is no job `{id}`; {}", choices(&known))))
    }

    async fn send(&self, job: &Job, input: Option<String>, cx: &Cx) -> Result<Report, ToolError> {
        let input = input.filter(|input| !input.is_empty());
        let input = input.ok_or_else(|| ToolError::misuse("`input` is missing; give the text to send"))?;
        let label = job.label();
        let pattern = format!("{} <<< {}", label.command, input.trim_end());
        // What a shell or an interpreter reads is a command that nobody has judged.
        let care = match label.doubtful {
            true => Care::doubt(format!("`{}` may run what it is sent", label.command)),
            false => Care::Usual,
        };
        let ask = Ask::new("bash", &pattern).careful(care).always([pattern.clone()]);
        let _granted = cx.ask(ask.with("command", pattern).with("job", label.id.as_str())).await?;
        let count = input.len();
        let sent = job.send(input.into_bytes()).await;
        sent.map_err(|error| ToolError::Outside(format!("could not send to {}: {error}", label.id)))?;
        Ok(Report::new(format!("{}: send", label.id), format!("Sent {count} bytes to {}.", label.id)))
    }
}

impl Tool for JobTool {
    type Input = Input;

    const NAME: &'static str = "job";

    async fn run(&self, Input { action, id, input, timeout }: Input, cx: &Cx) -> Result<Report, ToolError> {
        if action == Action::List {
            return Ok(list(&self.shell.jobs().of(cx.session())));
        }
        let job = self.find(id.as_deref(), cx)?;
        match action {
            Action::Send => return self.send(&job, input, cx).await,
            Action::Wait => {
                let time = timeout.map_or(USUAL_WAIT, Duration::from_millis).min(LONGEST_WAIT);
                tokio::select! {
                    _ = job.ended() => {}
                    () = tokio::time::sleep(time) => {}
                    () = cx.cancelled() => return Err(ToolError::Cancelled),
                }
            }
            Action::Stop => {
                job.stop(GRACE).await;
            }
            Action::Read | Action::List => {}
        }
        Ok(told(&job).await)
    }

    fn deadline(&self) -> Option<Duration> {
        Some(LONGEST_WAIT + Duration::from_secs(30))
    }
}

fn choices(known: &[&str]) -> String {
    if known.is_empty() {
        return "there are none in this session, start one with `bash` and `background`".to_owned();
    }
    format!("there are {}", known.join(", "))
}

fn list(jobs: &[Job]) -> Report {
    if jobs.is_empty() {
        return Report::new("0 jobs", "No jobs in this session.");
    }
    let line = |job: &Job| {
        let label = job.label();
        let command: String = label.command.lines().next().unwrap_or_default().chars().take(80).collect();
        format!("{}  {}, {} bytes written  {command}", label.id, state(job), job.written())
    };
    let lines: Vec<String> = jobs.iter().map(line).collect();
    Report::new(format!("{} jobs", jobs.len()), lines.join("\n"))
}

fn state(job: &Job) -> String {
    let age = job.age().as_secs();
    match job.progress() {
        Progress::Running => format!("running for {age} s"),
        Progress::Left(ended) => format!("{}, what it started still runs", how_it_ended(ended)),
        Progress::Over(ended) => how_it_ended(ended),
    }
}

async fn told(job: &Job) -> Report {
    let label = job.label();
    let output = match job.fresh() {
        None => "(no new output)".to_owned(),
        Some((text, 0)) => text,
        Some((text, skipped)) => format!("...{skipped} bytes left out...\n\n{text}"),
    };
    let mut notes = vec![format!("{} is {}", label.id, state(job))];
    let processes = match job.progress() {
        Progress::Over(_) => Vec::new(),
        Progress::Running | Progress::Left(_) => job.processes().await,
    };
    if let Some(process) = processes.iter().find(|process| process.waits_for_input) {
        notes.push(format!("{} waits for input; use `send`, or `stop` it", process.name));
    }
    let exit = match job.progress().ended() {
        Some(Ended::Code(code)) => Some(code),
        Some(Ended::Signal(_)) | None => None,
    };
    let output = format!("{output}\n\n<shell_metadata>\n{}\n</shell_metadata>", notes.join("\n"));
    Report::new(format!("{}: {}", label.id, label.command), output)
        .with("job", label.id.as_str())
        .with("running", job.progress() == Progress::Running)
        .with("exit", exit)
}
