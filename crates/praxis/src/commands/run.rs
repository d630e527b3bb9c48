//! `praxis run`: one prompt, seen through to its end.

mod answer;
mod driver;
mod interrupt;
mod json;
mod kept;
mod ledger;
mod model;
mod request;
mod session;
mod text;
mod view;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use praxis_engine::command::CommandError;
use praxis_engine::{Ended, Engine, EngineError, EngineParts, Limits, Outcome as Came};
use praxis_store::Store;
use praxis_tools::Attendance;

use self::answer::Desk;
use self::driver::Driver;
use self::request::{Request, Task};
use self::view::{Ending, View};
use crate::Outcome;
use crate::cli::{Answer, Format, RunArguments};
use crate::opened::open;
use crate::prompt::Answerer;
use crate::screen::{Failure, INTERRUPTED, LIMIT_REACHED, REJECTED, WORK_FAILED, complain};
use crate::shelf;

pub(crate) async fn run(arguments: RunArguments) -> Outcome {
    let since = Instant::now();
    if let Some(refusal) = arguments.elsewhere.refusal() {
        return Err(Failure::usage(refusal));
    }
    let request = Request::read(&arguments)?;
    let answerer = Answerer::choose(arguments.auto.then_some(Answer::Allow));
    // Where nobody is there, a question is answered all the same: with a no, which ends the run.
    let workbench = open(&arguments.place, Attendance::Attended, answerer, Vec::new())?;
    session::check_agent(&workbench, arguments.agent.as_deref())?;
    request.hint(&arguments, &workbench);
    let store: Arc<dyn Store> = Arc::new(shelf::open()?);
    let known = session::known(&arguments, &workbench, &store).await?;
    let chosen = model::choose(&arguments, &workbench, known.as_ref(), &store).await?;
    let engine = Engine::open(EngineParts::new(workbench, store, chosen.models));

    let session = match known {
        Some(known) => session::renamed(&engine, known, &arguments, &request).await?,
        None => {
            let new = session::new(&arguments, &request, answerer);
            engine.create(new).await.map_err(failed)?
        }
    };
    let interrupts = interrupt::listen(&engine, &session.id)?;
    let desk = Desk::new(answerer, engine.workbench());
    let mut driver = Driver::new(engine.clone(), session.id.clone(), view(&arguments), desk);
    driver.begin(&session)?;
    let task = request.task(&arguments, engine.workbench(), &session, chosen.model);
    let working = tokio::spawn(start(engine.clone(), task, limits(&arguments)));
    let driven = driver.see_through(working).await;
    engine.close().await;
    drop(interrupts);
    session::entitle(&engine, &session.id, &request.beginning(&arguments)).await;

    let came = match driven? {
        Ok(came) => came,
        Err(error) => {
            let text = error.to_string();
            let failure = failed(error);
            driver.refused(&text, failure.code())?;
            session::forget_if_empty(&engine, &session.id).await;
            return Err(failure);
        }
    };
    let complaint = chosen.player.and_then(|player| player.complaint());
    let code = if complaint.is_some() { WORK_FAILED } else { code(&came.ended) };
    driver.end(Ending { came: &came, code, took: since.elapsed() })?;
    // A run that failed has said so already.
    if let Some(complaint) = complaint.filter(|_| !matches!(came.ended, Ended::Failed(_))) {
        complain("error", complaint);
    }
    Ok(ExitCode::from(code))
}

async fn start(engine: Engine, task: Task, limits: Limits) -> Result<Came, EngineError> {
    match task {
        Task::Prompt(input) => engine.prompt(*input, limits).await,
        Task::Command(prompt) => engine.command(*prompt, limits).await,
        Task::Resume(session) => engine.resume(&session, limits).await,
    }
}

fn limits(arguments: &RunArguments) -> Limits {
    Limits {
        steps: arguments.max_steps,
        budget: arguments.budget,
        deadline: arguments.timeout.map(Duration::from_secs),
    }
}

fn view(arguments: &RunArguments) -> Box<dyn View> {
    match arguments.format {
        Format::Text => Box::new(text::Text::new(arguments.thinking, arguments.schema.is_some())),
        Format::Json => Box::new(json::Json::new(arguments.thinking)),
    }
}

fn code(ended: &Ended) -> u8 {
    match ended {
        Ended::Done => 0,
        Ended::Failed(_) => WORK_FAILED,
        Ended::Blocked => REJECTED,
        Ended::Limit(_) => LIMIT_REACHED,
        Ended::Cancelled => INTERRUPTED,
    }
}

/// Sorted by who has to act: the person at the command line, or whoever keeps the machine.
fn failed(error: EngineError) -> Failure {
    match error {
        EngineError::Command(CommandError::NotApproved { .. }) => Failure::rejected(error),
        EngineError::Agent(_)
        | EngineError::Model(_)
        | EngineError::Prompt(_)
        | EngineError::Command(_)
        | EngineError::Taken { .. }
        | EngineError::Empty(_) => Failure::usage(error),
        EngineError::Store(_) | EngineError::Busy(_) | EngineError::Full(_) | EngineError::Crashed(_) => {
            Failure::work(error)
        }
    }
}
