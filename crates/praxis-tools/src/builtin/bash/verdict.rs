//! What the model is told about a command that ran.

use std::path::PathBuf;
use std::time::Duration;

use praxis_os::process::{Ended, Sandboxed};

use crate::Report;
use crate::shell::{Job, Progress, Shown, Views};

/// Durations worth telling.
const LONG: Duration = Duration::from_secs(10);
/// Characters of the output that clients are shown.
const PREVIEW: usize = 30_000;
/// What programs say that wanted a terminal.
const WANTED_TERMINAL: [&str; 9] = [
    "not a tty",
    "not a terminal",
    "not from a terminal",
    "a terminal is required",
    "/dev/tty",
    "Inappropriate ioctl for device",
    "could not read Username",
    "could not read Password",
    "TERM environment variable not set",
];

/// How the wait for a command came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finish {
    /// The command ended.
    Ended(Ended),
    /// It was started in the background.
    Started,
    /// It passed its time and was stopped; the program that waited for input, if one did.
    TimedOut { waiting: Option<String> },
    /// It passed its time and goes on as a job.
    Moved { waiting: Option<String> },
    /// The user stopped it.
    Aborted,
}

/// A command that ran, and how it went.
pub(super) struct Verdict<'a> {
    pub(super) command: String,
    pub(super) finish: Finish,
    pub(super) took: Duration,
    pub(super) timeout: Duration,
    /// Whether it may run on after Praxis has ended.
    pub(super) outlives: bool,
    /// Where it ran.
    pub(super) cwd: PathBuf,
    /// What it saw, unless that was everything.
    pub(super) sandbox: Option<Sandbox<'a>>,
}

/// The view that a command had.
pub(super) struct Sandbox<'a> {
    pub(super) views: &'a Views,
    pub(super) sandboxed: &'a Sandboxed,
}

impl Sandbox<'_> {
    /// One line for people.
    fn summary(&self) -> String {
        let Sandboxed { view, mechanisms } = self.sandboxed;
        view.report(mechanisms).summary()
    }
}

impl Verdict<'_> {
    /// The report; `id` is the job that goes on.
    pub(super) fn report(self, job: &Job, id: Option<&str>) -> Report {
        let Shown { text, cut, path, problem } = job.show();
        let mut notes = self.notes(&text, job.progress(), id);
        notes.extend(problem);
        let mut output = if text.is_empty() { "(no output)".to_owned() } else { text };
        if let (true, Some(path)) = (cut, &path) {
            output =
                format!("...output truncated...\n\nFull output saved to: {}\n\n{output}", path.display());
        }
        if !notes.is_empty() {
            output.push_str(&format!("\n\n<shell_metadata>\n{}\n</shell_metadata>", notes.join("\n")));
        }
        let (exit, signal) = match self.finish {
            Finish::Ended(Ended::Code(code)) => (Some(code), None),
            Finish::Ended(Ended::Signal(signal)) => (None, Some(signal)),
            Finish::Started | Finish::TimedOut { .. } | Finish::Moved { .. } | Finish::Aborted => {
                (None, None)
            }
        };
        let duration = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX);
        let mut report = Report::new(self.command, output)
            .with("output", job.newest(PREVIEW))
            .with("exit", exit)
            .with("truncated", cut)
            .with("duration", duration);
        if let Some(path) = path.filter(|_| cut) {
            report = report.with("outputPath", path.to_string_lossy());
        }
        if let Some(sandbox) = &self.sandbox {
            report = report.with("sandbox", sandbox.summary());
        }
        if let Some(signal) = signal {
            report = report.with("signal", signal);
        }
        match id {
            Some(id) => report.with("job", id),
            None => report,
        }
    }

    fn notes(&self, text: &str, progress: Progress, id: Option<&str>) -> Vec<String> {
        let mut notes = Vec::new();
        match &self.finish {
            Finish::Ended(Ended::Code(0)) => {}
            Finish::Ended(ended) => {
                notes.push(format!("The command {} after {:.1?}", how_it_ended(*ended), self.took));
                notes.extend(
                    self.sandbox.as_ref().and_then(|sandbox| {
                        sandbox.views.explain(text, *ended, &self.cwd, sandbox.sandboxed)
                    }),
                );
                if WANTED_TERMINAL.iter().any(|said| text.contains(said)) {
                    notes.push(
                        "It seems to have wanted a terminal; there is none. Use a flag that keeps it from asking, or \
                         run it with `background` and answer it with the `job` tool."
                            .into(),
                    );
                }
            }
            Finish::Started => {}
            Finish::TimedOut { waiting } => {
                notes.push(format!(
                    "shell tool terminated command after exceeding timeout {} ms. If it needs longer and does not wait \
                     for input, retry with a larger timeout value in milliseconds, or with `background`.",
                    self.timeout.as_millis()
                ));
                notes.extend(told_waiting(waiting.as_deref()));
            }
            Finish::Moved { waiting } => {
                notes.push(format!("It was not done after {} ms and goes on", self.timeout.as_millis()));
                notes.extend(told_waiting(waiting.as_deref()));
            }
            Finish::Aborted => notes.push("User aborted the command".into()),
        }
        if let (Finish::Ended(Ended::Code(0)), true) = (&self.finish, self.took >= LONG) {
            notes.push(format!("It took {:.1?}", self.took));
        }
        let end =
            if self.outlives { "It goes on after Praxis has ended." } else { "It ends with the session." };
        notes.extend(id.map(|id| match progress {
            Progress::Running => {
                format!("It runs in the background as `{id}`; the `job` tool reads and stops it.")
            }
            Progress::Left(_) => {
                format!("What it started still runs, as `{id}`; the `job` tool reads and stops it. {end}")
            }
            Progress::Over(_) => format!("It was `{id}` and has ended."),
        }));
        notes
    }
}

fn told_waiting(name: Option<&str>) -> Option<String> {
    name.map(|name| format!("`{name}` was waiting for input, and nothing is typed to a command here."))
}

/// In words.
pub(in crate::builtin) fn how_it_ended(ended: Ended) -> String {
    match ended {
        Ended::Code(0) => "ended well".to_owned(),
        Ended::Code(code) => format!("ended with exit code {code}"),
        Ended::Signal(signal) => format!("was ended by signal {signal}{}", signal_name(signal)),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        14 => " (SIGALRM)",
        15 => " (SIGTERM)",
        24 => " (SIGXCPU: out of CPU time)",
        25 => " (SIGXFSZ: file too large)",
        31 => " (SIGSYS: forbidden system call)",
        _ => "",
    }
}
