//! `praxis agent`: who there is and what each may do.

use std::process::ExitCode;

use praxis_config::AgentMode;
use praxis_engine::Agent;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::AgentCommand;
use crate::opened::{agent, look};
use crate::screen::{Failure, say, say_json, table};

pub(crate) fn run(command: AgentCommand) -> Outcome {
    match command {
        AgentCommand::List { place, all, json } => {
            let workbench = look(&place)?;
            let shown: Vec<&Agent> = workbench.agents.all().filter(|agent| all || !agent.hidden).collect();
            list(&shown, json)?;
        }
        AgentCommand::Show { name, place, json } => {
            let workbench = look(&place)?;
            let agent = agent(&workbench, Some(&name))?;
            if json { say_json(&whole(agent))? } else { show(agent)? }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(agents: &[&Agent], json: bool) -> Result<(), Failure> {
    if json {
        let agents: Vec<Value> = agents.iter().map(|agent| summary(agent)).collect();
        return Ok(say_json(&agents)?);
    }
    let row = |agent: &&Agent| {
        vec![agent.name.clone(), mode(agent.mode).to_owned(), agent.description.clone().unwrap_or_default()]
    };
    Ok(say(table(&agents.iter().map(row).collect::<Vec<_>>()))?)
}

fn show(agent: &Agent) -> Result<(), Failure> {
    say(format!("{} ({})", agent.name, mode(agent.mode)))?;
    for line in [&agent.description, &agent.model.as_ref().map(|model| format!("Model: {model}"))]
        .into_iter()
        .flatten()
    {
        say(line)?;
    }
    say("\nRules, the last match wins:")?;
    let rows: Vec<Vec<String>> = agent
        .authority
        .rules()
        .iter()
        .map(|rule| {
            let act = format!("{} {}", rule.permission, rule.pattern);
            vec![format!("  {}", rule.action), act, rule.origin.to_string()]
        })
        .collect();
    say(table(&rows))?;
    for ceiling in agent.authority.ceilings() {
        say(format!("\nCeiling `{}`, which no rule can loosen:", ceiling.name()))?;
        let rows: Vec<Vec<String>> = ceiling
            .rules()
            .iter()
            .map(|rule| vec![format!("  {}", rule.action), format!("{} {}", rule.permission, rule.pattern)])
            .collect();
        say(table(&rows))?;
    }
    if let Some(prompt) = &agent.prompt {
        say(format!("\nPrompt:\n{prompt}"))?;
    }
    Ok(())
}

fn summary(agent: &Agent) -> Value {
    json!({
        "name": agent.name,
        "description": agent.description,
        "mode": mode(agent.mode),
        "hidden": agent.hidden,
        "native": agent.built_in,
        "model": agent.model,
    })
}

fn whole(agent: &Agent) -> Value {
    let mut value = summary(agent);
    let ceilings: Vec<Value> = agent
        .authority
        .ceilings()
        .iter()
        .map(|ceiling| json!({ "name": ceiling.name(), "rules": ceiling.rules() }))
        .collect();
    value["variant"] = json!(agent.variant);
    value["temperature"] = json!(agent.temperature);
    value["topP"] = json!(agent.top_p);
    value["steps"] = json!(agent.steps);
    value["color"] = json!(agent.color);
    value["options"] = json!(agent.options);
    value["prompt"] = json!(agent.prompt);
    value["permission"] = json!(agent.authority.rules());
    value["ceilings"] = json!(ceilings);
    value
}

fn mode(mode: AgentMode) -> &'static str {
    match mode {
        AgentMode::Primary => "primary",
        AgentMode::Subagent => "subagent",
        AgentMode::All => "all",
    }
}
