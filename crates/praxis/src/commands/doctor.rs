//! `praxis doctor`: what this machine gives us, what is missing, and what to do about it.

use std::process::ExitCode;

use praxis_config::Want;
use praxis_engine::Workbench;
use praxis_llm::provider::{ProviderError, Providers};
use praxis_os::process::{Command, Launcher, Notice, Stdin, Stdout};
use praxis_store::SqliteStore;
use praxis_tools::shell::ViewKind;
use serde::Serialize;

use crate::Outcome;
use crate::cli::Place;
use crate::opened::{launcher, look, surroundings};
use crate::paint::Paint;
use crate::screen::{WORK_FAILED, say, say_json};
use crate::shelf;
use crate::trusting::place;

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Good,
    /// Works, but less than it could.
    Limited,
    /// Does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    name: &'static str,
    state: State,
    told: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Finding {
    fn new(name: &'static str, state: State, told: impl Into<String>) -> Self {
        Self { name, state, told: told.into(), notes: Vec::new() }
    }
}

pub(crate) async fn run(place: &Place, json: bool) -> Outcome {
    let workbench = look(place)?;
    let findings = [
        configuration(&workbench),
        trust(&workbench),
        shell(&workbench),
        guard(&launcher()).await,
        mechanisms(&workbench),
        sandbox(&workbench),
        model(&workbench),
        sessions(),
        git(),
    ];
    if json {
        say_json(&findings)?;
    } else {
        for finding in &findings {
            tell(finding)?;
        }
    }
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if bad { ExitCode::from(WORK_FAILED) } else { ExitCode::SUCCESS })
}

fn tell(finding: &Finding) -> std::io::Result<()> {
    let mark = match finding.state {
        State::Good => "ok  ",
        State::Limited => "some",
        State::Bad => "bad ",
    };
    let paint = Paint::of_stdout();
    say(paint.wrap(&format!("{mark}  {:<13}  {}", finding.name, finding.told)))?;
    finding.notes.iter().try_for_each(|note| say(paint.wrap(&format!("      - {note}"))))
}

fn configuration(workbench: &Workbench) -> Finding {
    let warnings = workbench.warnings();
    let files = workbench.loaded.sources.len();
    let state = if warnings.is_empty() { State::Good } else { State::Limited };
    let noun = if files == 1 { "file" } else { "files" };
    let told = format!("{files} {noun} read; `praxis config path` names them");
    Finding { notes: warnings, ..Finding::new("configuration", state, told) }
}

/// Whether the project's own configuration counts whole.
fn trust(workbench: &Workbench) -> Finding {
    let loaded = &workbench.loaded;
    let told = match (loaded.wants.is_empty(), loaded.trusted) {
        (true, _) => "this project's configuration wants nothing that needs trust",
        (false, true) => "this project's configuration is trusted",
        (false, false) => "left out of this project's configuration; `praxis trust add` lets it in",
    };
    let root = workbench.instance.root();
    let note = |want: &Want| format!("{}: {} [{}]", want.kind.heading(), want.text, place(want, root));
    let notes: Vec<String> = loaded.left_out().iter().map(note).collect();
    let state = if notes.is_empty() { State::Good } else { State::Limited };
    Finding { notes, ..Finding::new("trust", state, told) }
}

fn shell(workbench: &Workbench) -> Finding {
    let choice = &workbench.shell.parts().choice;
    match choice.program.is_file() {
        true => Finding::new("shell", State::Good, choice.program.display().to_string()),
        false => {
            Finding::new("shell", State::Bad, format!("{} is missing; set `shell`", choice.program.display()))
        }
    }
}

/// Starts a command as the shell tool would.
async fn guard(launcher: &Launcher) -> Finding {
    let command = Command {
        argv: vec!["/bin/sh".into(), "-c".into(), ":".into()],
        cwd: "/".into(),
        env: Vec::new(),
        stdin: Stdin::Empty,
        stdout: Stdout::Pipe,
        sandbox: None,
    };
    match launcher.start(command).await {
        Ok(mut running) => match running.notice().await {
            Notice::Ended { .. } if launcher.is_guarded() => {
                Finding::new("processes", State::Good, "guarded: no command outlives Praxis")
            }
            Notice::Ended { .. } => Finding::new(
                "processes",
                State::Limited,
                "not guarded: what leaves its session may outlive Praxis",
            ),
            Notice::Gone | Notice::Processes(_) => {
                Finding::new("processes", State::Bad, "a command was started and nothing was heard of it")
            }
        },
        Err(error) => Finding::new("processes", State::Bad, error.to_string()),
    }
}

/// What the kernel has, whether it is used or not.
fn mechanisms(workbench: &Workbench) -> Finding {
    let mechanisms = workbench.shell.parts().views.mechanisms();
    let state =
        if mechanisms.namespaces.is_some() && mechanisms.seccomp { State::Good } else { State::Limited };
    Finding::new("kernel", state, mechanisms.describe())
}

/// What is used, and what it does not hold.
fn sandbox(workbench: &Workbench) -> Finding {
    let views = &workbench.shell.parts().views;
    let Some(report) = views.report(ViewKind::Work, &workbench.instance) else {
        return Finding::new(
            "sandbox",
            State::Limited,
            "off by your own configuration; take `sandbox` out of it to contain commands",
        );
    };
    let mut notes: Vec<String> =
        report.gaps.iter().map(ToString::to_string).chain(report.notes.clone()).collect();
    notes.extend(views.open_points(&workbench.instance));
    let is_refused = report.view.required && !report.missing().is_empty();
    let state = match (is_refused, report.held.files() && notes.is_empty()) {
        (true, _) => State::Bad,
        (false, true) => State::Good,
        (false, false) => State::Limited,
    };
    let summary = report.summary();
    let told = summary.strip_prefix("sandbox: ").unwrap_or(&summary);
    Finding { notes, ..Finding::new("sandbox", state, told) }
}

/// Who would answer a run.
fn model(workbench: &Workbench) -> Finding {
    let none = |why: String| Finding::new("model", State::Limited, why);
    match Providers::open(&surroundings(), &workbench.loaded.config) {
        Ok(providers) => match providers.default_model(&[]) {
            Ok(choice) => Finding::new("model", State::Good, choice.to_string()),
            Err(ProviderError::NothingUsable) => none(
                "none can be used yet; `praxis auth login` stores a key, `praxis demo` needs none".to_owned(),
            ),
            Err(error) => none(error.to_string()),
        },
        Err(error) => Finding::new("model", State::Bad, error.to_string()),
    }
}

/// Where sessions are kept. Nothing is written.
fn sessions() -> Finding {
    let path = shelf::path();
    let place = path.display();
    if !path.exists() {
        return Finding::new("sessions", State::Good, format!("{place}, made with the first of them"));
    }
    match SqliteStore::check_file(&path) {
        Ok(()) => Finding::new("sessions", State::Good, place.to_string()),
        Err(error) => {
            let told = format!("{error}; `praxis session doctor` looks closer");
            Finding::new("sessions", State::Bad, told)
        }
    }
}

fn git() -> Finding {
    let version = std::process::Command::new("git").arg("--version").output();
    match version {
        Ok(output) if output.status.success() => {
            Finding::new("git", State::Good, String::from_utf8_lossy(&output.stdout).trim())
        }
        Ok(_) | Err(_) => Finding::new("git", State::Limited, "not found; snapshots and worktrees need it"),
    }
}
