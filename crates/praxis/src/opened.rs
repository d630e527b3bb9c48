//! Opening the project that a command is about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use praxis_config::{Surroundings, Trust};
use praxis_engine::{Agent, OpenError, Opening, Workbench};
use praxis_os::process::{Launcher, keep_memory_private};
use praxis_tools::registry::ModelRef;
use praxis_tools::{Attendance, DecisionObserver};

use crate::cli::Place;
use crate::prompt::Answerer;
use crate::screen::{Failure, complain};
use crate::trusting::Trusting;

/// Warnings shown one by one before the work begins.
const MOST_WARNINGS: usize = 3;

/// The machine this process runs on. Variables that are not text cannot mean anything to us.
pub(crate) fn surroundings() -> Surroundings {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Surroundings::from_env(std::env::vars_os().filter_map(text))
}

/// The folder a command works in.
pub(crate) fn directory(given: Option<&Path>) -> Result<PathBuf, Failure> {
    match given {
        Some(directory) => Ok(directory.to_owned()),
        None => std::env::current_dir()
            .map_err(|e| Failure::usage(format!("the current directory is gone ({e}); use --cwd DIR"))),
    }
}

/// A file that is named on the command line is meant from where the command is typed, whatever `--cwd` says.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|e| Failure::usage(format!("could not find {}: {e}", path.display())))
}

/// Starts commands under a guard, which is this program again.
pub(crate) fn launcher() -> Launcher {
    keep_memory_private();
    // The running file itself, also after an update has put another in its place.
    match std::env::current_exe() {
        Ok(_) if cfg!(target_os = "linux") => Launcher::guarded_by("/proc/self/exe"),
        Ok(program) => Launcher::guarded_by(program),
        Err(_) => Launcher::unguarded(),
    }
}

/// Opens the project and says what looks wrong in its configuration. A person is asked whether it may have what it
/// wants; where there is none, it is told what is left out.
pub(crate) fn open(
    place: &Place,
    attendance: Attendance,
    answerer: Answerer,
    observers: Vec<Arc<dyn DecisionObserver>>,
) -> Result<Workbench, Failure> {
    let surroundings = surroundings();
    let directory = directory(place.cwd.as_deref())?;
    let config_file = place.config.as_deref().map(absolute).transpose()?;
    let trusting =
        Trusting::read(&surroundings, &Workbench::root_of(&directory).map_err(wrong)?, place.trust);
    let with = |trust: Trust| {
        let opening = Opening {
            surroundings: &surroundings,
            directory: &directory,
            config_file: config_file.clone(),
            trust,
            attendance,
            // Answers come from standard input; where it ends at once, so does the question.
            questions: Attendance::Attended,
            observers: observers.clone(),
            launcher: launcher(),
            hooks: Vec::new(),
        };
        Workbench::open(opening).map_err(wrong)
    };
    let mut workbench = with(trusting.trust())?;
    if !workbench.loaded.left_out().is_empty() && answerer == Answerer::Person {
        let trust = trusting.ask(workbench.loaded.left_out())?;
        workbench = trust.map_or(Ok(workbench), with)?;
    }
    if !workbench.loaded.left_out().is_empty() {
        trusting.tell(workbench.loaded.left_out(), &surroundings)?;
    }
    let warnings = workbench.warnings();
    for warning in warnings.iter().take(MOST_WARNINGS) {
        complain("warning", warning);
    }
    if let Some(more) = warnings.len().checked_sub(MOST_WARNINGS).filter(|more| *more > 0) {
        complain("warning", format!("and {more} more of this kind; `praxis doctor` lists them"));
    }
    Ok(workbench)
}

/// Sorted by who has to act: whoever keeps the machine, or the person at the command line.
fn wrong(error: OpenError) -> Failure {
    match error {
        OpenError::Grants(_) => Failure::work(error),
        OpenError::Directory { .. } | OpenError::Config(_) | OpenError::Agents(_) => Failure::usage(error),
    }
}

/// Opens the project only to look at it.
pub(crate) fn look(place: &Place) -> Result<Workbench, Failure> {
    open(place, Attendance::Unattended, Answerer::Nobody, Vec::new())
}

/// An agent by name, or the default one.
pub(crate) fn agent<'a>(workbench: &'a Workbench, name: Option<&str>) -> Result<&'a Agent, Failure> {
    workbench.agents.get(name).map_err(Failure::usage)
}

/// A model as it is typed.
pub(crate) fn model(text: Option<&str>) -> Result<Option<ModelRef>, Failure> {
    text.map(|text| {
        ModelRef::parse(text).ok_or_else(|| {
            Failure::usage(format!("`{text}` is no model; write provider/model, for example openai/gpt-5"))
        })
    })
    .transpose()
}
