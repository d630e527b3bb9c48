//! The permission to run a script: read, judged, asked for.

use std::path::Path;

use praxis_os::RealPath;
use praxis_policy::shell::{Dialect, Eyes, Ground, Judgement, Outside, Place, Real, analyse, judge};
use praxis_policy::wildcard;
use praxis_proto::Action;

use crate::shell::Shell;
use crate::{Act, Ask, Cx, Grant, ToolError};

/// Longer scripts are read on a thread of their own, so that others need not wait.
const READ_APART: usize = 4_096;
/// The most of the user list that is read.
const MOST_USERS: usize = 1 << 20;
/// Names of a folder that a pattern is held against.
const MOST_NAMES: usize = 10_000;

/// A script that may run.
pub(super) struct Permit {
    pub(super) grant: Grant,
    /// Does it do more than its text tells?
    pub(super) doubtful: bool,
}

/// Asks for everything that the script needs: places outside first, then files that have rules of their own, then the
/// commands.
pub(super) async fn permit(
    command: &str,
    cwd: &RealPath,
    shell: &Shell,
    cx: &Cx,
) -> Result<Permit, ToolError> {
    let judged = read(command, cwd, shell, cx).await?;
    let doubtful = !judged.care.is_usual();
    if !judged.outside.is_empty() {
        let folders: Vec<String> = judged.outside.iter().map(|outside| outside.folder.clone()).collect();
        let patterns = places(&folders, cx);
        let ask = Ask::on("external_directory", patterns.clone())
            .always(patterns.clone())
            .with("command", command)
            .with("directories", folders)
            .with("patterns", patterns);
        let _place = cx.ask(ask).await?;
    }
    // Files that `read` and `edit` may have freely need no second word here.
    for (permission, paths) in [("read", &judged.reads), ("edit", &judged.writes)] {
        let names = paths.iter().map(|path| cx.instance().name_of(&RealPath::already_resolved(path.into())));
        let guarded: Vec<String> = names
            .filter(|name| cx.authority().decide(permission, name, &[]).action != Action::Allow)
            .collect();
        if !guarded.is_empty() {
            let ask = Ask::on(permission, guarded.clone()).always(guarded).with("command", command);
            let _files = cx.ask(ask).await?;
        }
    }
    let mut patterns = judged.patterns;
    if doubtful && patterns.is_empty() {
        patterns.push(command.trim().to_owned());
    }
    let act = Act::Run { command: command.to_owned(), cwd: cwd.as_path().to_owned() };
    let ask = Ask::on("bash", patterns).always(judged.always).careful(judged.care).to(act);
    let ask = ask.contained(shell.parts().containment.answers());
    Ok(Permit { grant: cx.ask(ask.with("command", command)).await?, doubtful })
}

/// Patterns for folders; one that another covers is left out where the rules say the same of both.
fn places(folders: &[String], cx: &Cx) -> Vec<String> {
    let decide = |pattern: &str| cx.authority().decide("external_directory", pattern, &[]).action;
    let mut kept: Vec<(String, Action)> = Vec::new();
    for folder in folders {
        let pattern = format!("{}/*", folder.trim_end_matches('/'));
        let action = decide(&pattern);
        let covers = |(other, same): &(String, Action)| *same == action && wildcard::matches(&pattern, other);
        if !kept.iter().any(covers) {
            kept.push((pattern, action));
        }
    }
    kept.into_iter().map(|(pattern, _)| pattern).collect()
}

async fn read(command: &str, cwd: &RealPath, shell: &Shell, cx: &Cx) -> Result<Judgement, ToolError> {
    if command.len() < READ_APART {
        return Ok(judgement(command, cwd, shell, cx));
    }
    let (command, cwd, shell, cx) = (command.to_owned(), cwd.clone(), shell.clone(), cx.clone());
    let reading = tokio::task::spawn_blocking(move || judgement(&command, &cwd, &shell, &cx));
    reading.await.map_err(|e| ToolError::Crashed { tool: "bash".into(), message: e.to_string() })
}

fn judgement(command: &str, cwd: &RealPath, shell: &Shell, cx: &Cx) -> Judgement {
    let parts = shell.parts();
    let home = parts.home.to_string_lossy();
    let folder = cwd.as_path().to_string_lossy();
    let list = if command.contains('~') { user_list() } else { String::new() };
    let users: Vec<(&str, &str)> = list.lines().filter_map(user).collect();
    let found = analyse(command, &Place { cwd: &folder, home: &home, users: &users, shell: Dialect::Bash });
    let instance = cx.instance();
    let roots = [instance.directory(), instance.root()].map(|root| root.to_string_lossy().into_owned());
    let ground = Ground { roots: &roots, protected: &parts.protected, eyes: &OnDisk, held: false };
    let mut judged = judge(&found, &ground);
    if !instance.contains(cwd) && !judged.outside.iter().any(|outside| outside.folder == folder) {
        let folder = folder.into_owned();
        judged.outside.push(Outside { paths: vec![folder.clone()], folder, write: false });
    }
    judged
}

/// The file system as it is.
struct OnDisk;

impl Eyes for OnDisk {
    fn real(&self, path: &str) -> Real {
        match RealPath::resolve(Path::new("/"), path) {
            Ok(real) => Real {
                is_folder: real.as_path().is_dir(),
                path: real.as_path().to_string_lossy().into_owned(),
            },
            // It cannot be followed, so nothing can be done through it either.
            Err(_) => Real { path: path.to_owned(), is_folder: false },
        }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.take(MOST_NAMES).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// For `~name`.
fn user_list() -> String {
    let mut list = std::fs::read("/etc/passwd").unwrap_or_default();
    list.truncate(MOST_USERS);
    String::from_utf8_lossy(&list).into_owned()
}

fn user(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.split(':');
    Some((fields.next()?, fields.nth(4)?))
}
