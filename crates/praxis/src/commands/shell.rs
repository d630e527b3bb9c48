//! `praxis shell`: what a command line would do, before it does.

use std::io;
use std::process::ExitCode;

use praxis_policy::shell::{About, Analysis, Dialect, Place, analyse};

use crate::Outcome;
use crate::cli::ShellCommand;
use crate::opened::{directory, surroundings};
use crate::screen::{Failure, say, say_json};

pub(crate) fn run(command: ShellCommand) -> Outcome {
    let ShellCommand::Parse { script, cwd, why } = command;
    let surroundings = surroundings();
    let directory = directory(cwd.as_deref())?;
    let directory = directory
        .canonicalize()
        .map_err(|e| Failure::usage(format!("could not open {}: {e}", directory.display())))?;
    let (cwd, home) = (directory.to_string_lossy(), surroundings.home.to_string_lossy());
    let analysis = analyse(&script, &Place { cwd: &cwd, home: &home, users: &[], shell: Dialect::Bash });
    if !why {
        say_json(&analysis.to_json())?;
        return Ok(ExitCode::SUCCESS);
    }
    tell(&analysis)?;
    Ok(ExitCode::SUCCESS)
}

fn tell(analysis: &Analysis) -> io::Result<()> {
    let risks: Vec<_> =
        analysis.commands.iter().filter_map(|command| Some((command, command.risky.as_ref()?))).collect();
    if analysis.doubts.is_empty() && risks.is_empty() {
        return say("The text tells everything, and no command in it can do more than it names.");
    }
    for doubt in &analysis.doubts {
        let when = match doubt.about {
            About::Program | About::Loss => "always a question",
            About::Files => "a question where the kernel does not hold the files",
        };
        say(format!("dynamic, so it is {when}: {}", doubt.text))?;
    }
    for (command, risk) in risks {
        let (source, why) = (&command.source, &risk.text);
        say(format!("risky: `{source}` is not covered by a broad allow rule, because of {why}"))?;
    }
    Ok(())
}
