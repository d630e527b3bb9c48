//! `praxis shell`: what a command line would do, before it does.

use std::process::ExitCode;

use praxis_policy::shell::{Place, analyse};

use crate::Outcome;
use crate::cli::ShellCommand;
use crate::opened::{directory, surroundings};
use crate::screen::{Failure, say, say_json};

pub(crate) fn run(command: ShellCommand) -> Outcome {
    let ShellCommand::Parse { script, place, why } = command;
    let surroundings = surroundings();
    let directory = directory(&place)?;
    let directory = directory
        .canonicalize()
        .map_err(|e| Failure::usage(format!("could not open {}: {e}", directory.display())))?;
    let (cwd, home) = (directory.to_string_lossy(), surroundings.home.to_string_lossy());
    let analysis = analyse(&script, &Place { cwd: &cwd, home: &home, users: &[] });
    if !why {
        say_json(&analysis.to_json())?;
        return Ok(ExitCode::SUCCESS);
    }
    for reason in &analysis.reasons {
        say(format!("dynamic: {reason}"))?;
    }
    for command in &analysis.commands {
        if let Some(risk) = &command.risky {
            say(format!("risky: `{}`: {risk}", command.source))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
