//! `praxis tool`: what a model would see, and running one tool without a model.

use std::io::Read;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use praxis_engine::CallSetting;
use praxis_policy::LogEntry;
use praxis_tools::registry::{Definition, Done, Reach, Scene};
use praxis_tools::{DecisionObserver, Offer};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::Outcome;
use crate::cli::{AgentPlace, Answer, ToolCommand};
use crate::opened::{agent, look, model, open};
use crate::prompt::Answerer;
use crate::screen::{Failure, INTERRUPTED, WORK_FAILED, complain, say, say_json, table};
use crate::signals::{Which, heed};

/// The most that is read from standard input or a file.
const MOST_INPUT: u64 = 64 << 20;

pub(crate) async fn run(command: ToolCommand) -> Outcome {
    match command {
        ToolCommand::List { at, model, json } => list(&resolve(&at, model.as_deref()).await?, json)?,
        ToolCommand::Show { id, at, model, json } => show(&resolve(&at, model.as_deref()).await?, &id, json)?,
        ToolCommand::Run { id, input, ask, at } => return call(&id, &input, ask, &at).await,
    }
    Ok(ExitCode::SUCCESS)
}

async fn resolve(at: &AgentPlace, given: Option<&str>) -> Result<Offer, Failure> {
    let workbench = look(&at.place)?;
    let agent = agent(&workbench, at.agent.as_deref())?;
    let offer = workbench.registry.resolve(&workbench.scene(agent, model(given)?)).await;
    tell_problems(&offer);
    Ok(offer)
}

fn tell_problems(offer: &Offer) {
    for problem in offer.problems() {
        complain("warning", format!("the tools of `{}` are missing: {}", problem.source, problem.failure));
    }
}

fn list(offer: &Offer, json: bool) -> Result<(), Failure> {
    let definitions: Vec<&Definition> = offer.definitions().collect();
    if json {
        return Ok(say_json(&definitions)?);
    }
    let row = |definition: &&Definition| {
        vec![definition.name.clone(), definition.description.lines().next().unwrap_or_default().to_owned()]
    };
    Ok(say(table(&definitions.iter().map(row).collect::<Vec<_>>()))?)
}

fn show(offer: &Offer, id: &str, json: bool) -> Result<(), Failure> {
    let Some(offered) = offer.understand(id).and_then(|name| offer.get(name)) else {
        return Err(unknown(offer, id));
    };
    let Definition { name, description, parameters } = &offered.definition;
    if json {
        return Ok(say_json(&offered.definition)?);
    }
    Ok(say(format!("{name}\n\n{description}\n\nArguments:\n{parameters:#}"))?)
}

fn unknown(offer: &Offer, id: &str) -> Failure {
    match offer.withheld(id) {
        Some(why) => Failure::usage(format!("the tool `{id}` is not offered here: {why}")),
        None => {
            let names: Vec<&str> = offer.names().collect();
            Failure::usage(format!("there is no tool `{id}`; there are {}", names.join(", ")))
        }
    }
}

async fn call(id: &str, input: &str, ask: Option<Answer>, at: &AgentPlace) -> Outcome {
    let arguments = read_input(input)?;
    let answerer = Answerer::choose(ask);
    let asks = Arc::new(Asks::default());
    let workbench = open(
        &at.place,
        answerer.attendance(),
        answerer,
        vec![Arc::clone(&asks) as Arc<dyn DecisionObserver>],
    )?;
    let agent = agent(&workbench, at.agent.as_deref())?;
    let scene = Scene { reach: Reach::Everything, ..workbench.scene(agent, None) };
    let offer = workbench.registry.resolve(&scene).await;
    tell_problems(&offer);
    let Some(name) = offer.understand(id).map(str::to_owned) else { return Err(unknown(&offer, id)) };

    let cancel = CancellationToken::new();
    let setting = CallSetting {
        session: workbench.mint.session(),
        message: workbench.mint.message(),
        call: workbench.mint.call(),
        cancel: cancel.clone(),
    };
    // Listened to before the first question can be seen, or an early Ctrl-C would end us without a word.
    let stop = cancel.clone();
    let _heeding = heed(Which::Interrupts, async move |mut signals| {
        signals.next().await;
        stop.cancel();
        signals.next().await;
        std::process::exit(INTERRUPTED.into());
    })?;
    let _attending = answerer.attend(&workbench);
    let cx = workbench.cx(agent, setting);
    let done = offer.call(&name, arguments, &cx).await;
    let failed = done.outcome.is_err();
    say_json(&record(done, asks.take()))?;
    Ok(match (cancel.is_cancelled(), failed) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::from(WORK_FAILED),
        (false, false) => ExitCode::SUCCESS,
    })
}

fn record(done: Done, asks: Vec<Value>) -> Value {
    match done.outcome {
        Ok(report) => json!({
            "status": "completed",
            "title": report.title,
            "output": report.output,
            "metadata": report.metadata,
            "attachments": report.attachments,
            "error": null,
            "asks": asks,
        }),
        Err(error) => json!({
            "status": "error",
            "title": "",
            "output": "",
            "metadata": done.progress,
            "attachments": [],
            "error": error.to_string(),
            "asks": asks,
        }),
    }
}

fn read_input(input: &str) -> Result<Value, Failure> {
    let text = match input.strip_prefix('@') {
        _ if input == "-" => read_bounded(std::io::stdin().lock(), "standard input")?,
        Some(path) => {
            let file = std::fs::File::open(path);
            read_bounded(file.map_err(|e| Failure::usage(format!("could not open {path}: {e}")))?, path)?
        }
        None => input.to_owned(),
    };
    serde_json::from_str(&text).map_err(|e| {
        Failure::usage(format!(
            "the input is not JSON: {e}. Write for example --input '{{\"filePath\":\"README.md\"}}'"
        ))
    })
}

fn read_bounded(source: impl Read, name: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = source.take(MOST_INPUT + 1).read_to_string(&mut text);
    read.map_err(|e| Failure::usage(format!("could not read {name}: {e}")))?;
    if text.len() as u64 > MOST_INPUT {
        return Err(Failure::usage(format!("{name} is larger than {} MiB", MOST_INPUT >> 20)));
    }
    Ok(text)
}

/// What a call asked for, however it was answered.
#[derive(Default)]
struct Asks(Mutex<Vec<Value>>);

impl Asks {
    fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl DecisionObserver for Asks {
    fn decided(&self, entry: &LogEntry) {
        let LogEntry { permission, patterns, always, .. } = entry;
        let ask = json!({ "permission": permission, "patterns": patterns, "always": always });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(ask);
    }
}
