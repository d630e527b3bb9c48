//! `praxis trust`: which folders' own configuration counts whole, and with what.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use praxis_config::{Request, Trust, Trusted, Want, load};
use praxis_engine::Workbench;
use praxis_tools::{FolderTrust, system_clock};
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::TrustCommand;
use crate::opened::{directory, surroundings};
use crate::screen::{Failure, say, say_json};
use crate::trusting::{listing, place, unreadable};

pub(crate) fn run(command: TrustCommand) -> Outcome {
    match command {
        TrustCommand::List { json } => list(json)?,
        TrustCommand::Add { directory, json } => add(directory.as_deref(), json)?,
        TrustCommand::Remove { directory } => remove(directory.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(json: bool) -> Result<(), Failure> {
    let all = Workbench::trust_file(&surroundings()).all().map_err(|error| unreadable(&error))?;
    if json {
        let told = |trusted: &Trusted| json!({ "kind": trusted.kind, "want": trusted.text });
        let row = |(folder, trust): &(PathBuf, FolderTrust)| {
            let [trusted, refused] =
                [&trust.trusted, &trust.refused].map(|list| list.iter().map(told).collect::<Vec<Value>>());
            json!({ "folder": folder, "trusted": trusted, "refused": refused, "since": trust.since })
        };
        return Ok(say_json(&all.iter().map(row).collect::<Vec<Value>>())?);
    }
    if all.is_empty() {
        return Ok(say("No folder is trusted. `praxis trust add` trusts the one you are in.")?);
    }
    for (folder, trust) in all {
        say(folder.display())?;
        for trusted in &trust.trusted {
            say(format!("  {}: {}", trusted.kind.heading(), trusted.text))?;
        }
        for refused in &trust.refused {
            say(format!("  not {}: {}", refused.kind.heading(), refused.text))?;
        }
    }
    Ok(say("\nTake it back with: praxis trust remove DIR")?)
}

/// What the configuration of a folder wants, as it is now.
fn wanted(root: &Path, directory: &Path) -> Result<Vec<Want>, Failure> {
    let request = Request {
        directory: directory.to_owned(),
        worktree: root.to_owned(),
        extra_file: None,
        trust: Trust::Nothing,
    };
    Ok(load(&surroundings(), &request).map_err(Failure::usage)?.wants)
}

fn add(given: Option<&Path>, json: bool) -> Result<(), Failure> {
    let directory = directory(given)?;
    let root = Workbench::root_of(&directory).map_err(Failure::usage)?;
    let real = directory.canonicalize().map_err(|error| unreadable(&error))?;
    let wants = wanted(&root, &real)?;
    let file = Workbench::trust_file(&surroundings());
    let known = file.get(&root).map_err(|error| unreadable(&error))?.unwrap_or_default();
    if !wants.is_empty() {
        file.trust(&root, &wants, system_clock()()).map_err(|error| unreadable(&error))?;
    }
    if json {
        let row = |want: &Want| json!({ "kind": want.kind, "want": want.text, "place": place(want, &root) });
        return Ok(say_json(
            &json!({ "folder": root, "trusted": wants.iter().map(row).collect::<Vec<_>>() }),
        )?);
    }
    if wants.is_empty() {
        return Ok(say(format!(
            "The configuration in {} wants nothing that needs trust; it counts already.",
            root.display()
        ))?);
    }
    say(format!("Trusted from now on, {} may:", root.display()))?;
    let is_new = |want: &Want| !known.trusted.is_empty() && !known.trusts(want);
    say(listing(&wants, &root, is_new))?;
    Ok(say("It is asked about again when it wants more. Take it back with: praxis trust remove")?)
}

fn remove(given: Option<&Path>) -> Result<(), Failure> {
    let directory = directory(given)?;
    // A folder that is gone can be forgotten too.
    let root = Workbench::root_of(&directory)
        .or_else(|_| std::path::absolute(&directory))
        .map_err(|error| unreadable(&error))?;
    let gone = Workbench::trust_file(&surroundings()).forget(&root).map_err(|error| unreadable(&error))?;
    match gone {
        Some(_) => Ok(say(format!("{} is not trusted any more.", root.display()))?),
        None => Err(Failure::work(format!(
            "nothing is known about {}; `praxis trust list` shows which folders are",
            root.display()
        ))),
    }
}
