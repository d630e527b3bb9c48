//! The permission to run a script: read, judged, asked for, and given a view.

mod access;
mod needs;

use std::path::Path;

use praxis_os::RealPath;
use praxis_os::process::Sandboxed;
use praxis_os::sandbox;
use praxis_policy::shell::{Eyes, Ground, Judgement, Outside, Place, Real, analyse, judge};
use praxis_policy::{Care, wildcard};
use praxis_proto::Action;

use self::access::Wanted;
use super::Input;
use crate::shell::{Extra, Shell, ViewKind};
use crate::{Act, Ask, Cx, Grant, ToolError};

/// Longer scripts are read on a thread of their own, so that others need not wait.
const READ_APART: usize = 4_096;
/// The most of the user list that is read.
const MOST_USERS: usize = 1 << 20;
/// Names of a folder that a pattern is held against.
const MOST_NAMES: usize = 10_000;
/// Where a view keeps temporary files of its own, whatever lies there on the machine.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
/// What a view has of its own in any case.
const OWN: [&str; 2] = ["/proc", "/dev"];

/// A script that may run.
pub(super) struct Permit {
    pub(super) grant: Grant,
    /// Does it do more than its text tells?
    pub(super) doubtful: bool,
    /// What it sees; nothing if it is free.
    pub(super) sandboxed: Option<Sandboxed>,
}

/// Asks for everything that the script needs: places outside first, then files that have rules of their own, then what
/// the call itself wants, then the commands.
pub(super) async fn permit(
    input: &Input,
    cwd: &RealPath,
    shell: &Shell,
    cx: &Cx,
) -> Result<Permit, ToolError> {
    let command = input.command.as_str();
    let views = &shell.parts().views;
    let kind = views.kind(cx);
    let wants_out = kind != ViewKind::Free && input.outside == Some(true);
    if wants_out && kind == ViewKind::Look {
        return Err(ToolError::misuse(
            "This agent only looks: its commands do not leave the sandbox. Leave `outside` away, or leave this step to an \
             agent that may edit.",
        ));
    }
    let judged = read(command, cwd, shell, kind, cx).await?;
    if kind == ViewKind::Look && !views.hold(kind) && matches!(judged.care, Care::Doubt { .. }) {
        return Err(ToolError::misuse(
            "This agent only looks, and this machine has nothing to hold its commands to that (`praxis doctor` says why), so \
             that only commands that can be read as a whole are run. Write it out plainly, without variables, computed names \
             or code of other languages.",
        ));
    }
    // It would fail half-way, with the first half done.
    if let Some(git) = judged.git_needs.as_ref().filter(|_| !wants_out && input.access.is_none())
        && kind == ViewKind::Work
        && views.hold(kind)
    {
        return Err(ToolError::misuse(format!(
            "Nothing was run: `{git}` writes the repository, which the sandbox allows only to scripts that are nothing but \
             git and simple file commands. Send the git commands in a call of their own, before or after the rest."
        )));
    }
    let doubtful = !judged.care.is_usual();
    let mut extra = Extra { git: judged.git_only, git_config: judged.git_config, ..Extra::default() };
    if !judged.outside.is_empty() {
        let folders: Vec<String> = judged.outside.iter().map(|outside| outside.folder.clone()).collect();
        let patterns = places(&folders, cx);
        let ask = Ask::on("external_directory", patterns.clone())
            .always(patterns.clone())
            .careful(access::care(
                judged.outside.iter().flat_map(|outside| &outside.paths).map(Path::new),
                cx,
            ))
            .with("command", command)
            .with("directories", folders)
            .with("patterns", patterns);
        let _place = cx.ask(ask).await?;
        extra.places.extend(judged.outside.iter().flat_map(granted));
    }
    // Files that `read` and `edit` may have freely need no second word here.
    for (permission, paths) in [("read", &judged.reads), ("edit", &judged.writes)] {
        let name = |path: &String| cx.instance().name_of(&RealPath::already_resolved(path.into()));
        let is_free = |name: &str| cx.authority().decide(permission, name, &[]).action == Action::Allow;
        let guarded: Vec<&String> = paths.iter().filter(|path| !is_free(&name(path))).collect();
        if !guarded.is_empty() {
            let names: Vec<String> = guarded.iter().map(|path| name(path)).collect();
            let ask = Ask::on(permission, names.clone()).always(names).with("command", command);
            let _files = cx.ask(ask).await?;
            let place = if permission == "read" { sandbox::Place::read } else { sandbox::Place::write };
            extra.places.extend(guarded.into_iter().map(place));
        }
    }
    if kind != ViewKind::Free {
        for wanted in Wanted::of(input.access.as_deref().unwrap_or_default(), cx)? {
            extra.places.push(wanted.ask(command, kind, cx).await?);
        }
    }
    let confirmed = judged.care.confirms();
    let mut patterns = judged.patterns;
    if (doubtful || wants_out) && patterns.is_empty() {
        patterns.push(command.trim().to_owned());
    }
    let act = Act::Run { command: command.to_owned(), cwd: cwd.as_path().to_owned() };
    let mut ask = Ask::on("bash", patterns).always(judged.always).careful(judged.care).to(act);
    if wants_out {
        ask = ask.confirm(
            "run this command outside the sandbox (only `\"sandbox\": \"off\"` in the user's own configuration does that \
             without a question)",
        );
    }
    let ask = ask.contained(views.answers(kind)).with("command", command);
    let grant = cx.ask(ask).await?;
    // What a person has confirmed must not fail for want of the very thing.
    if confirmed {
        extra.places.extend(judged.writes.iter().map(sandbox::Place::write));
    }
    for leaving in &judged.leaves {
        needs::bring(&leaving.needs, shell, &mut extra);
    }
    let kind = if wants_out { ViewKind::Free } else { kind };
    Ok(Permit { grant, doubtful, sandboxed: views.sandboxed(kind, &extra, cx)? })
}

/// The place that a granted folder becomes: the folder as it was asked about, but never the whole machine.
fn granted(outside: &Outside) -> Vec<sandbox::Place> {
    let place = if outside.write { sandbox::Place::write } else { sandbox::Place::read };
    match outside.folder.as_str() {
        "/" => outside.paths.iter().filter(|path| *path != "/").map(place).collect(),
        folder => vec![place(&folder.to_owned())],
    }
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

async fn read(
    command: &str,
    cwd: &RealPath,
    shell: &Shell,
    kind: ViewKind,
    cx: &Cx,
) -> Result<Judgement, ToolError> {
    if command.len() < READ_APART {
        return Ok(judgement(command, cwd, shell, kind, cx));
    }
    let (command, cwd, shell, cx) = (command.to_owned(), cwd.clone(), shell.clone(), cx.clone());
    let reading = tokio::task::spawn_blocking(move || judgement(&command, &cwd, &shell, kind, &cx));
    reading.await.map_err(|e| ToolError::Crashed { tool: "bash".into(), message: e.to_string() })
}

fn judgement(command: &str, cwd: &RealPath, shell: &Shell, kind: ViewKind, cx: &Cx) -> Judgement {
    let parts = shell.parts();
    let home = parts.home.to_string_lossy();
    let folder = cwd.as_path().to_string_lossy();
    let list = if command.contains('~') { user_list() } else { String::new() };
    let users: Vec<(&str, &str)> = list.lines().filter_map(user).collect();
    let place = Place { cwd: &folder, home: &home, users: &users, shell: parts.choice.dialect() };
    let found = analyse(command, &place);
    let instance = cx.instance();
    let roots = [instance.directory(), instance.root()].map(|root| root.to_string_lossy().into_owned());
    let held = parts.views.hold(kind);
    let ground = Ground { roots: &roots, protected: &parts.protected, eyes: &OnDisk, held };
    let mut judged = judge(&found, &ground);
    if held && parts.views.mechanisms().namespaces.is_some() {
        let is_outside = |path: &String| !is_own(Path::new(path)) || is_inside(path, &roots);
        judged.outside.retain(|outside| outside.paths.iter().any(is_outside));
        judged.reads.retain(is_outside);
        judged.writes.retain(is_outside);
    }
    judged.outside.retain(|outside| {
        !outside.paths.iter().all(|path| parts.views.opens(Path::new(path), outside.write))
    });
    if !instance.contains(cwd) && !judged.outside.iter().any(|outside| outside.folder == folder) {
        let paths = vec![folder.clone().into_owned()];
        judged.outside.push(Outside { folder: folder.into_owned(), paths, write: false });
    }
    judged
}

/// Does the view have it of its own? Of temporary files that is what lies there directly, and what lies in no folder of the
/// machine's: such a folder is a place outside like any other.
fn is_own(path: &Path) -> bool {
    let is_new = || path.parent().is_some_and(|folder| folder.symlink_metadata().is_err());
    let is_temporary = |folder: &Path| path == folder || path.parent() == Some(folder) || is_new();
    OWN.iter().any(|folder| path.starts_with(folder))
        || TEMPORARY.iter().map(Path::new).any(|folder| path.starts_with(folder) && is_temporary(folder))
}

fn is_inside(path: &str, roots: &[String]) -> bool {
    roots.iter().any(|root| Path::new(path).starts_with(root))
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
