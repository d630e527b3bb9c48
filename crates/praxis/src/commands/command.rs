//! `praxis command`: the slash commands there are.

use std::process::ExitCode;

use praxis_engine::command::Command;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::SlashCommand;
use crate::opened::look;
use crate::screen::{Failure, say, say_json, table};

pub(crate) fn run(command: SlashCommand) -> Outcome {
    let SlashCommand::List { place, json } = command;
    let workbench = look(&place)?;
    let all: Vec<&Command> = workbench.commands.all().collect();
    list(&all, json)?;
    Ok(ExitCode::SUCCESS)
}

fn list(commands: &[&Command], json: bool) -> Result<(), Failure> {
    if json {
        let commands: Vec<Value> = commands.iter().map(|command| whole(command)).collect();
        return Ok(say_json(&commands)?);
    }
    let row = |command: &&Command| {
        let typed: Vec<String> =
            std::iter::once(format!("/{}", command.name)).chain(command.hints()).collect();
        let description = command.description.clone().unwrap_or_default();
        vec![typed.join(" "), command.origin.word().to_owned(), description]
    };
    Ok(say(table(&commands.iter().map(row).collect::<Vec<_>>()))?)
}

/// The fields of OpenCode's list, then ours.
fn whole(command: &Command) -> Value {
    json!({
        "name": command.name,
        "description": command.description,
        "agent": command.agent,
        "model": command.model,
        "variant": command.variant,
        "subtask": command.subtask,
        "template": command.template,
        "hints": command.hints(),
        "source": command.origin.word(),
        "file": command.origin.file(),
    })
}
