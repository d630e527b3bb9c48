//! `praxis session doctor`: what is wrong with the store, and putting it right.

use std::path::Path;
use std::process::ExitCode;

use praxis_store::{Finding, Repair, SqliteStore, StoreError};
use praxis_tools::system_clock;
use serde_json::json;

use super::transcript::plain;
use crate::Outcome;
use crate::screen::{WORK_FAILED, complain, say, say_json};
use crate::shelf::{look, open, path, told};

pub(crate) async fn run(repair: bool, json: bool) -> Outcome {
    let path = path();
    if !path.exists() {
        return tell(&path, &[], None, json);
    }
    match SqliteStore::check_file(&path) {
        Ok(()) => {}
        Err(StoreError::Corrupt { .. }) if repair => {
            let (findings, aside) = SqliteStore::rescue(&path, system_clock()).await.map_err(told)?;
            return tell(&path, &findings, Some(&aside), json);
        }
        Err(StoreError::Corrupt { detail, .. }) => {
            return tell(&path, &[Finding { kind: "damaged", detail, repaired: false }], None, json);
        }
        // One that cannot be written is still worth a look.
        Err(StoreError::ReadOnly(_)) if repair => {}
        Err(other) => return Err(told(other)),
    }
    let (store, repair) = if repair { (Some(open()?), Repair::Yes) } else { (look()?, Repair::No) };
    let findings = match store {
        Some(store) => store.examine(repair).await.map_err(told)?,
        None => Vec::new(),
    };
    tell(&path, &findings, None, json)
}

fn tell(path: &Path, findings: &[Finding], aside: Option<&Path>, json: bool) -> Outcome {
    let left = findings.iter().filter(|finding| !finding.repaired).count();
    let code = if left == 0 { ExitCode::SUCCESS } else { ExitCode::from(WORK_FAILED) };
    if json {
        say_json(&json!({ "path": path, "findings": findings, "aside": aside }))?;
        return Ok(code);
    }
    for finding in findings {
        let mark = if finding.repaired { "repaired" } else { "found" };
        say(format!("{mark}: {} ({})", plain(&finding.detail), finding.kind))?;
    }
    if let Some(aside) = aside {
        say(format!("The damaged store is kept as {}.", aside.display()))?;
    }
    match (findings.len(), left) {
        (0, _) if aside.is_none() => say(format!("Nothing is wrong with {}.", path.display()))?,
        (_, 0) => say("Everything is right again.")?,
        (all, left) if aside.is_some() && all == left => {
            say("Nothing of it could be saved; a new store takes its place.")?
        }
        _ if aside.is_some() => {
            say("What was saved is in a new store; the rest is only in the one that is kept.")?
        }
        _ => complain("hint", "run `praxis session doctor --repair` to put right what can be put right"),
    }
    Ok(code)
}
