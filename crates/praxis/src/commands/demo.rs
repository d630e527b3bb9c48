//! `praxis demo`: a short tour of the tool system on a sample project, with real files and real decisions.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use praxis_config::Surroundings;
use praxis_engine::{CallSetting, Opening, Workbench};
use praxis_proto::SessionId;
use praxis_tools::registry::{Reach, Scene};
use praxis_tools::{Attendance, Offer};
use serde_json::{Value, json};

use crate::Outcome;
use crate::opened::launcher;
use crate::prompt::Answerer;
use crate::screen::{Failure, say};

/// Lines of an output that the tour shows.
const SHOWN: usize = 9;

const SAMPLE: &[(&str, &str)] = &[
    ("README.md", "# Lighthouse\n\nBlinks every five seconds.\n"),
    ("src/blink.sh", "#!/bin/sh\nwhile :; do echo on; sleep 5; done\n"),
    (".env", "LAMP_PASSWORD=correct-horse\n"),
    (
        "praxis.jsonc",
        "{\n  // The last match wins.\n  \"permission\": {\n    \"edit\": { \"*\": \"allow\", \"*.lock\": \"deny\" }\n  }\n}\n",
    ),
];

pub(crate) async fn run() -> Outcome {
    let sample =
        Sample::make().map_err(|e| Failure::work(format!("could not write the sample project: {e}")))?;
    let answerer = Answerer::choose(None);
    let tour = Tour::open(&sample, answerer).await?;
    let _attending = answerer.attend(&tour.workbench);

    say(
        "Praxis gives a language model hands. Here a script plays the model; files, rules and answers are real.",
    )?;
    say(format!("The sample project is in {}", sample.project().display()))?;

    heading(1, "What a model is offered")?;
    for definition in tour.offer.definitions() {
        say(format!(
            "  {:<10} {}",
            definition.name,
            definition.description.lines().next().unwrap_or_default()
        ))?;
    }

    heading(2, "A call, from name to report")?;
    tour.call("read", json!({ "filePath": "src/blink.sh" })).await?;

    heading(3, "A model that gets it wrong is told how to get it right")?;
    tour.call("read", json!({ "filePath": 7, "limit": "two" })).await?;
    tour.call("readd", json!({ "filePath": "README.md" })).await?;
    tour.call("fly", json!({})).await?;

    heading(4, "Several calls at once")?;
    let read = |file: &str| json!({ "tool": "read", "parameters": { "filePath": file } });
    tour.call("batch", json!({ "tool_calls": [read("README.md"), read("src/missing.sh")] })).await?;

    heading(5, "A change, exact or refused")?;
    tour.call("grep", json!({ "pattern": "sleep [0-9]+" })).await?;
    let edit =
        |old: &str, new: &str| json!({ "filePath": "src/blink.sh", "oldString": old, "newString": new });
    tour.call("edit", edit("sleep 5", "sleep 3")).await?;
    tour.call("edit", edit("echo off", "echo dark")).await?;

    heading(6, "A secret file is a question")?;
    tour.call("read", json!({ "filePath": ".env" })).await?;

    heading(7, "Rules have reasons, and plan mode holds whatever the rules say")?;
    for (agent, file) in [("build", "src/blink.sh"), ("build", "Cargo.lock"), ("plan", "src/blink.sh")] {
        let authority = &tour.workbench.agents.get(Some(agent)).map_err(Failure::work)?.authority;
        let decision = authority.decide("edit", file, &[]);
        let reason = decision.reason().replace(&format!("{}/", sample.project().display()), "");
        say(format!("  {agent:<5} edit {file:<13} → {:<5} by {reason}", decision.action.as_str()))?;
    }

    heading(8, "Where to go from here")?;
    say("  praxis tool run read --input '{\"filePath\":\"README.md\"}' --ask print")?;
    say("  praxis permission explain --permission edit --pattern src/main.rs")?;
    say("  praxis config schema     every key a praxis.json (or opencode.json) may have")?;
    say("  cargo run -p praxis-tools --example note     a tool of your own, in one file")?;
    Ok(ExitCode::SUCCESS)
}

/// What a change did, without the lines that name the file.
fn changed_lines(diff: &Value) -> String {
    diff.as_str().unwrap_or_default().lines().skip(4).collect::<Vec<_>>().join("\n")
}

fn heading(number: usize, text: &str) -> io::Result<()> {
    say(format!("\n{number}. {text}\n"))
}

/// The sample project and a home of its own, so that the tour is the same everywhere and leaves nothing behind.
struct Sample {
    root: PathBuf,
}

impl Sample {
    fn make() -> io::Result<Self> {
        let root = std::env::temp_dir().canonicalize()?.join(format!("praxis-demo-{}", std::process::id()));
        let sample = Self { root };
        for (name, content) in SAMPLE {
            let path = sample.project().join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
            std::fs::write(path, content)?;
        }
        Ok(sample)
    }

    fn project(&self) -> PathBuf {
        self.root.join("lighthouse")
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        // Left files in the temporary folder do no harm.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

struct Tour {
    workbench: Workbench,
    offer: Offer,
    session: SessionId,
}

impl Tour {
    async fn open(sample: &Sample, answerer: Answerer) -> Result<Self, Failure> {
        let home = sample.home().display().to_string();
        let workbench = Workbench::open(Opening {
            surroundings: &Surroundings::from_env([("HOME".to_owned(), home)]),
            directory: &sample.project(),
            config_file: None,
            attendance: answerer.attendance(),
            questions: Attendance::Unattended,
            observers: Vec::new(),
            launcher: launcher(),
        })
        .map_err(Failure::work)?;
        let agent = workbench.agents.get(None).map_err(Failure::work)?;
        let scene = Scene { reach: Reach::Everything, ..workbench.scene(agent, None) };
        let offer = workbench.registry.resolve(&scene).await;
        Ok(Self { session: workbench.mint.session(), offer, workbench })
    }

    /// Makes one call and shows what goes in and what comes out.
    async fn call(&self, tool: &str, arguments: Value) -> Result<(), Failure> {
        say(format!("  → {tool} {arguments}"))?;
        let agent = self.workbench.agents.get(None).map_err(Failure::work)?;
        let setting = CallSetting {
            session: self.session.clone(),
            message: self.workbench.mint.message(),
            call: self.workbench.mint.call(),
            cancel: Default::default(),
        };
        let done = self.offer.call(tool, arguments, &self.workbench.cx(agent, setting)).await;
        let (mark, text) = match done.outcome {
            Ok(report) => ("✓", report.metadata.get("diff").map_or(report.output, changed_lines)),
            Err(error) => ("✗", error.to_string()),
        };
        say(format!("  {mark} {}", done.tool))?;
        for line in text.lines().take(SHOWN) {
            say(format!("    {line}"))?;
        }
        let more = text.lines().count().saturating_sub(SHOWN);
        if more > 0 {
            say(format!("    … {more} more lines"))?;
        }
        Ok(())
    }
}
