//! A project, a model that says numbered words, and everything that must hold after a kill.

use std::path::Path;
use std::time::{Duration, Instant};

use praxis_testkit::{Format, Killed, Live, ModelServer, Project};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::kept::{self, Loss};
use super::requests;
use crate::project;

/// How soon a run must ask its model after a kill. The budget is 200 ms; this is for a debug build on a busy machine.
const READY: Duration = Duration::from_secs(5);
/// What the file `made.txt` holds once it is written.
const MADE: &str = "a line that is written whole or not at all\n";

/// A project whose model plays a script over HTTP.
pub(super) struct Lab {
    pub(super) project: Project,
    pub(super) server: ModelServer,
    format: Format,
}

/// What was measured after one kill.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Figures {
    /// From the start of the next run to its request.
    pub(super) ready: Duration,
    /// What was sent and is not stored.
    pub(super) loss: Loss,
}

impl Lab {
    pub(super) async fn new(format: Format, turns: Value) -> Self {
        let go_on = json!({ "when": { "user": "go on" }, "say": "Going on." });
        let Value::Array(mut turns) = turns else { panic!("turns are a list") };
        turns.insert(0, go_on);
        let server = ModelServer::play(&Value::Array(turns).to_string()).await;
        let mut config = crate::run::wires::config(format, &server.url());
        config["permission"] = json!({ "bash": "allow" });
        let project = project().file("a.txt", "one\nlast\n").file("praxis.json", config.to_string());
        Self { project, server, format }
    }

    /// Begins a run that tells everything.
    pub(super) fn begin(&self) -> Live {
        self.project.start(&["run", "--format", "json", "--thinking", "begin"])
    }

    /// Everything that must hold after a kill.
    pub(super) async fn check(&self, killed: &Killed, context: &str) -> Figures {
        let sessions = self.json(&["session", "list", "--json"]);
        let mut loss = Loss::default();
        if sessions.as_array().is_some_and(|sessions| !sessions.is_empty()) {
            let whole = self.json(&["session", "export", "last"]);
            kept::nothing_is_open(&whole, context);
            kept::what_was_told_is_stored(&whole, &killed.heard, context);
            kept::totals_add_up(&whole, context);
            loss = kept::texts_are_what_was_sent(&whole, &self.server.sent(), killed.at, context);
            self.effects_agree(&whole, context);
            assert!(self.run(&["session", "show", "last"]).code == 0, "{context}");
        }
        self.doctor(context);
        let ready = self.go_on(!sessions.as_array().unwrap().is_empty(), context).await;
        self.doctor(context);
        Figures { ready, loss }
    }

    /// Goes on, and gives the time to the first request.
    async fn go_on(&self, is_known: bool, context: &str) -> Duration {
        let before = self.server.requests().len();
        let begun = Instant::now();
        let again: &[&str] = if is_known { &["run", "--continue", "go on"] } else { &["run", "go on"] };
        let live = self.project.start(again);
        self.server.until_requests(before + 1).await;
        let ready = begun.elapsed();
        let run = block_in_place(|| live.finish());
        assert_eq!((run.code, run.stdout.as_str()), (0, "Going on.\n"), "{context}: {run:?}");
        assert!(ready < READY, "{context}: the next run asked only after {ready:?}");
        let asked = self.server.request(before);
        requests::is_valid(self.format, &asked.body, context);
        let whole = self.json(&["session", "export", "last"]);
        kept::nothing_is_open(&whole, context);
        kept::totals_add_up(&whole, context);
        ready
    }

    /// A call that is stored as completed has happened; one that is not has happened whole or not at all.
    fn effects_agree(&self, whole: &Value, context: &str) {
        let directory = self.project.directory();
        let read = |name: &str| std::fs::read_to_string(directory.join(name)).ok();
        let is_completed = |tool: &str| {
            kept::parts(whole).any(|part| part["tool"] == tool && part["state"]["status"] == "completed")
        };
        let made = read("made.txt");
        assert!(made.as_deref().is_none_or(|made| made == MADE), "{context}: {made:?}");
        assert!(made.is_some() || !is_completed("write"), "{context}: made.txt");
        let edited = read("a.txt").unwrap();
        assert!(["one\nlast\n", "two\nlast\n"].contains(&edited.as_str()), "{context}: {edited}");
        assert!(edited.starts_with("two") || !is_completed("edit"), "{context}: {edited}");
        let log = read("log").unwrap_or_default();
        assert!("begun\ndone\n".starts_with(&log), "{context}: {log}");
        assert!(log.ends_with("done\n") || !is_completed("bash"), "{context}: {log}");
        assert!(nothing_half_written(&directory), "{context}");
    }

    fn doctor(&self, context: &str) {
        let found = self.json(&["session", "doctor", "--json"]);
        assert_eq!(found["findings"], json!([]), "{context}");
    }

    fn run(&self, arguments: &[&str]) -> praxis_testkit::Run {
        block_in_place(|| self.project.start(arguments).finish())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?} {run:?}");
        run.json()
    }
}

/// Whether only files are there that somebody wanted. What a kill leaves beside a file is named with a dot.
fn nothing_half_written(directory: &Path) -> bool {
    let known = ["a.txt", "made.txt", "log", "praxis.json", "pipe"];
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .all(|name| known.contains(&name.as_str()) || name.starts_with('.'))
}

/// Numbered words in pieces of about a hundred bytes.
pub(super) fn words(letter: char, count: usize) -> Value {
    (0..count).map(|n| format!("{letter}{n:05}-{} ", ".".repeat(90))).collect()
}

/// A run of four steps that takes about two seconds: thoughts, texts, and calls that read, write, run and edit.
pub(super) fn long_run() -> Value {
    let bash = "echo begun >> log; sleep 0.2; echo done >> log";
    json!([
        { "think": words('r', 40), "say": words('w', 120), "call": { "read": { "filePath": "a.txt" } },
          "usage": { "input": 100, "output": 10 }, "gap_ms": 2 },
        { "say": words('w', 40), "gap_ms": 2, "usage": { "input": 200, "output": 20 },
          "calls": [{ "tool": "write", "args": { "filePath": "made.txt", "content": MADE } },
                    { "tool": "bash", "args": { "command": bash, "description": "Takes its time" } }] },
        { "say": words('w', 40), "gap_ms": 2, "usage": { "input": 300, "output": 30 },
          "call": { "edit": { "filePath": "a.txt", "oldString": "one", "newString": "two" } } },
        { "think": words('r', 20), "say": words('w', 200), "gap_ms": 2, "usage": { "input": 400, "output": 40 } },
    ])
}
