//! `praxis config`: values, files, schema.

use std::process::ExitCode;

use praxis_config::{Config, Instruction, Source};
use serde_json::json;

use crate::Outcome;
use crate::cli::{ConfigCommand, Place};
use crate::opened::{look, surroundings};
use crate::screen::{Failure, complain, say, say_json};
use crate::trusting;

pub(crate) fn run(command: ConfigCommand) -> Outcome {
    match command {
        ConfigCommand::Show { place } => show(&place)?,
        ConfigCommand::Path { place, json } => path(&place, json)?,
        ConfigCommand::Schema => say_json(&Config::schema())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is in force on stdout; on stderr what the project wants beyond that.
fn show(place: &Place) -> Result<(), Failure> {
    let workbench = look(place)?;
    for want in workbench.loaded.left_out() {
        let place = trusting::place(want, workbench.instance.root());
        complain("left out", format!("{}: {} [{place}]", want.kind.heading(), want.text));
    }
    Ok(say_json(&workbench.loaded.to_json())?)
}

fn path(place: &Place, json: bool) -> Result<(), Failure> {
    let workbench = look(place)?;
    let loaded = &workbench.loaded;
    let sources: Vec<String> = loaded
        .sources
        .iter()
        .map(|source| match source {
            Source::File(path) => path.display().to_string(),
            Source::Variable(name) => format!("${name}"),
        })
        .collect();
    let surroundings = surroundings();
    let instructions: Vec<String> = loaded
        .instructions
        .iter()
        .map(|instruction| match instruction {
            Instruction::File(path) => path.display().to_string(),
            Instruction::Url(url) => url.clone(),
        })
        .collect();
    let dirs = [
        ("config", surroundings.dirs.config()),
        ("data", surroundings.dirs.data()),
        ("state", surroundings.dirs.state()),
        ("cache", surroundings.dirs.cache()),
    ];
    if json {
        let dirs: serde_json::Map<_, _> =
            dirs.iter().map(|(name, path)| ((*name).to_owned(), path.display().to_string().into())).collect();
        return Ok(say_json(
            &json!({ "sources": sources, "instructions": instructions, "directories": dirs }),
        )?);
    }
    say("Configuration, the strongest last:")?;
    if sources.is_empty() {
        say("  none; write a praxis.json here or in the config directory below")?;
    }
    sources.iter().try_for_each(|source| say(format!("  {source}")))?;
    if !instructions.is_empty() {
        say("Instructions for the model:")?;
        instructions.iter().try_for_each(|path| say(format!("  {path}")))?;
    }
    say("Directories:")?;
    dirs.iter().try_for_each(|(name, path)| say(format!("  {name:<7} {}", path.display())))?;
    Ok(())
}
