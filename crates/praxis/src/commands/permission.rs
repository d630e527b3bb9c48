//! `praxis permission`: what would be allowed and why, and what was granted for good.

use std::process::ExitCode;

use praxis_engine::{DecisionFile, Workbench};
use praxis_policy::{Care, Decision, StoredGrant, Story};
use praxis_proto::Action;
use praxis_tools::GrantStore;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::{Act, AgentPlace, PermissionCommand, Place};
use crate::opened::{agent, look, surroundings};
use crate::screen::{Failure, say, say_json, table};

pub(crate) fn run(command: PermissionCommand) -> Outcome {
    match command {
        PermissionCommand::Check { act, at } => check(&act, &at)?,
        PermissionCommand::Explain { act, at, json } => explain(&act, &at, json)?,
        PermissionCommand::List { place, all, json } => list(&place, all, json)?,
        PermissionCommand::Revoke { permission, pattern, all: _, place } => {
            revoke(&place, permission, pattern)?
        }
        PermissionCommand::Log { last, json } => log(last, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(act: &Act, at: &AgentPlace) -> Result<(), Failure> {
    let workbench = look(&at.place)?;
    let authority = &agent(&workbench, at.agent.as_deref())?.authority;
    let grants = workbench.permissions.grants();
    let decide = |pattern: &String| authority.decide(&act.permission, pattern, &grants);
    let Some(decision) = authority.decide_all(&act.permission, &act.patterns, &grants, &Care::Usual) else {
        return Err(Failure::usage("give at least one --pattern"));
    };
    let mut answer = json!(decision);
    if act.patterns.len() > 1 {
        let each = |pattern: &String| {
            let mut one = json!(decide(pattern));
            one["pattern"] = json!(pattern);
            one
        };
        answer["patterns"] = act.patterns.iter().map(each).collect();
    }
    Ok(say_json(&answer)?)
}

fn explain(act: &Act, at: &AgentPlace, json: bool) -> Result<(), Failure> {
    let workbench = look(&at.place)?;
    let agent = agent(&workbench, at.agent.as_deref())?;
    let grants = workbench.permissions.grants();
    let stories: Vec<Story> = act
        .patterns
        .iter()
        .map(|pattern| agent.authority.explain(&act.permission, pattern, &grants))
        .collect();
    if json {
        let shown = if let [one] = stories.as_slice() { json!(one) } else { json!(stories) };
        return Ok(say_json(&shown)?);
    }
    stories.iter().try_for_each(|story| tell(story, &agent.name))
}

fn tell(story: &Story, agent: &str) -> Result<(), Failure> {
    let Story { permission, pattern, matching, ceilings, grants, decision } = story;
    say(format!("May the agent `{agent}` do `{permission}` on `{pattern}`?"))?;
    say("\nRules that match, the last one wins:")?;
    if matching.is_empty() {
        say("  none, so it is a question")?;
    }
    let last = matching.len().saturating_sub(1);
    let rows: Vec<Vec<String>> = matching
        .iter()
        .enumerate()
        .map(|(index, rule)| {
            let mark = if index == last { "→" } else { " " };
            let act = format!("{} {}", rule.permission, rule.pattern);
            vec![format!("{mark} {}", rule.action), act, rule.origin.to_string()]
        })
        .collect();
    if !rows.is_empty() {
        say(table(&rows))?;
    }
    for ceiling in ceilings.iter().filter(|ceiling| ceiling.limit > Action::Allow) {
        let by = ceiling.rule.as_ref().map(|rule| format!(" by `{} {}`", rule.permission, rule.pattern));
        say(format!(
            "\nThe ceiling `{}` leaves at most: {}{}",
            ceiling.name,
            ceiling.limit,
            by.unwrap_or_default()
        ))?;
    }
    for grant in grants {
        let effect = if decision.grant.as_ref() == Some(grant) {
            "turns the question into a yes"
        } else {
            "does not matter here"
        };
        say(format!("\nYour grant `{} {}` {effect}.", grant.permission, grant.pattern))?;
    }
    say(format!("\n{}", verdict(decision)))?;
    Ok(())
}

fn verdict(decision: &Decision) -> String {
    match (decision.action, &decision.grant) {
        (Action::Allow, Some(grant)) => {
            format!("Allowed, by your grant `{} {}`.", grant.permission, grant.pattern)
        }
        (Action::Allow, None) => format!("Allowed, by {}.", decision.reason()),
        (Action::Ask, _) => format!("Asked: {}.", decision.reason()),
        (Action::Deny, _) => format!("Denied, by {}.", decision.reason()),
    }
}

fn list(place: &Place, all: bool, json: bool) -> Result<(), Failure> {
    let mut projects: Vec<(String, Vec<StoredGrant>)> = if all {
        Workbench::grant_file(&surroundings()).projects().map_err(unreadable)?
    } else {
        let workbench = look(place)?;
        vec![(workbench.instance.root().display().to_string(), workbench.permissions.grants())]
    };
    if json {
        let rows: Vec<Value> = projects
            .into_iter()
            .flat_map(|(project, grants)| grants.into_iter().map(move |grant| (project.clone(), grant)))
            .map(|(project, grant)| {
                let mut row = json!(grant);
                row["project"] = json!(project);
                row
            })
            .collect();
        return Ok(say_json(&rows)?);
    }
    projects.retain(|(_, grants)| !grants.is_empty());
    if projects.is_empty() {
        return Ok(say(
            "Nothing is granted for good. Answer a question with \"always\" and it is listed here.",
        )?);
    }
    for (project, grants) in projects {
        say(project)?;
        let row = |grant: &StoredGrant| {
            vec![format!("  {}", grant.permission), grant.pattern.clone(), since(grant.created)]
        };
        say(table(&grants.iter().map(row).collect::<Vec<_>>()))?;
    }
    Ok(say("\nTake one back with: praxis permission revoke PERMISSION [PATTERN]")?)
}

fn revoke(place: &Place, permission: Option<String>, pattern: Option<String>) -> Result<(), Failure> {
    let workbench = look(place)?;
    let store = Workbench::grants(&surroundings(), workbench.instance.root());
    let gone = store.revoke(permission.as_deref(), pattern.as_deref()).map_err(unreadable)?;
    if gone.is_empty() {
        let left = store.load().map_err(unreadable)?;
        let left: Vec<String> =
            left.iter().map(|grant| format!("`{} {}`", grant.permission, grant.pattern)).collect();
        let left = if left.is_empty() {
            "nothing is granted here".to_owned()
        } else {
            format!("granted are {}", left.join(", "))
        };
        return Err(Failure::work(format!("there is no such grant in this project; {left}")));
    }
    for grant in gone {
        say(format!("Taken back: {} {}", grant.permission, grant.pattern))?;
    }
    Ok(())
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::work(format!("could not read or change the stored permissions: {error}"))
}

fn log(last: usize, json: bool) -> Result<(), Failure> {
    let path = DecisionFile::path_in(&surroundings());
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(Failure::work(format!("could not read {}: {e}", path.display()))),
    };
    let lines: Vec<&str> = text.lines().collect();
    let lines = &lines[lines.len().saturating_sub(last)..];
    if json {
        return lines.iter().try_for_each(|line| Ok(say(line)?));
    }
    if lines.is_empty() {
        return Ok(say("No decision was taken yet.")?);
    }
    let rows: Vec<Vec<String>> =
        lines.iter().filter_map(|line| serde_json::from_str(line).ok()).map(|v| row(&v)).collect();
    Ok(say(table(&rows))?)
}

fn row(entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let patterns: Vec<String> = entry["patterns"].as_array().into_iter().flatten().map(text).collect();
    let by = [&entry["grant"]["pattern"], &entry["ceiling"]["rule"]["source"], &entry["rule"]["source"]];
    let rule =
        by.into_iter().find(|value| value.is_string()).map(text).unwrap_or_else(|| "no rule".to_owned());
    let (what, by) = match &entry["answer"] {
        Value::String(answer) => (answer.clone(), "your answer".to_owned()),
        _ => (text(&entry["action"]), rule),
    };
    vec![
        since(entry["time"].as_u64().unwrap_or(0)),
        what,
        text(&entry["permission"]),
        patterns.join(", "),
        by,
    ]
}

fn since(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map(|time| time.strftime("%Y-%m-%d %H:%M:%SZ").to_string()).unwrap_or_default()
}
