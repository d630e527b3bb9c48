//! Is a script nothing but git, and on which ground does git run?

use super::Bench;
use crate::shell::{About, Analysis, Beside, GitAct, How, Simple, Touched, Word, git, path, word};

/// Subcommands that people use, which write what is theirs in the git folder and nothing else there. Those that a script
/// can tell where to write, or what to write into it, are not among them.
const PORCELAIN: &[&str] = &[
    "add",
    "am",
    "apply",
    "bisect",
    "blame",
    "branch",
    "cat-file",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "commit",
    "config",
    "count-objects",
    "describe",
    "diff",
    "fetch",
    "for-each-ref",
    "fsck",
    "gc",
    "grep",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "mv",
    "name-rev",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "stash",
    "status",
    "submodule",
    "switch",
    "tag",
    "version",
    "worktree",
    "--version",
];

/// Options that take git to another repository, another tree, or let it write where it is told.
const ELSEWHERE: &[&str] =
    &["-C", "--git-dir", "--work-tree", "--namespace", "--bare", "--output", "--separate-git-dir"];

/// What a script does with git.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// It is nothing but git, and every act is known.
    pub(super) only: bool,
    /// How it changes git's configuration, if it does; completes "this would …".
    pub(super) configures: Option<String>,
    /// It may write there, if only to note which branch is followed.
    pub(super) writes: bool,
}

impl Reading {
    pub(super) fn of(analysis: &Analysis) -> Self {
        let acts = || analysis.commands.iter().filter_map(|command| command.git.as_ref());
        let configures = acts().find_map(|act| match act {
            GitAct::Configures(how) => Some(how.clone()),
            GitAct::Known | GitAct::Follows | GitAct::Unknown => None,
        });
        let writes = configures.is_some() || acts().any(|act| *act == GitAct::Follows);
        let unknown = analysis.doubts.iter().any(|doubt| doubt.about != About::Files);
        let mut commands = analysis.commands.iter().filter(|command| !command.is_call);
        let only = !unknown
            && analysis.loose.is_empty()
            && acts().next().is_some()
            && commands.all(belongs)
            && is_orderly(analysis);
        Self { only, configures, writes }
    }
}

/// Where files are written beside git, nothing may make new names that lead these writes astray: a link into the
/// repository that git checks out, or that is moved, is not there yet when the script is judged.
fn is_orderly(analysis: &Analysis) -> bool {
    let own = || analysis.commands.iter().filter(|command| !command.is_call);
    let writers = own().filter(|command| writes_beside(command)).count();
    let moves = own().any(|command| command.source.starts_with("mv "));
    let keeps = |command: &Simple| {
        let words: Vec<&str> = command.argv.iter().skip(1).map(|word| word.text.as_str()).collect();
        command.git.is_none() || git::keeps_tree(&words)
    };
    writers == 0 || (own().all(keeps) && (!moves || writers == 1))
}

fn writes_beside(command: &Simple) -> bool {
    command.git.is_none() && (command.beside == Beside::Writes || !command.redirects.is_empty())
}

/// Git whose act is known, or a program beside it of which everything is known that it writes.
fn belongs(command: &Simple) -> bool {
    command.risky.is_none()
        && match (&command.git, command.beside) {
            (Some(act), _) => command.redirects.is_empty() && *act != GitAct::Unknown && stays_home(command),
            (None, Beside::Nothing) => false,
            (None, Beside::Looks) => true,
            (None, Beside::Writes) => !command.dynamic,
        }
}

/// Is it an ordinary command on the repository that it is in?
fn stays_home(command: &Simple) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let option = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    let leads_away = |text: &str| {
        ELSEWHERE.contains(&option(text).as_str())
            || text.starts_with("-C")
            || text.split(['/', '=', ':']).any(|part| part.eq_ignore_ascii_case(".git"))
    };
    let mut before = "";
    let subcommand = words().find(|text| {
        let is_value = std::mem::replace(&mut before, text) == "-c";
        !is_value && (!text.starts_with('-') || *text == "--version")
    });
    // Only those that look may be given words that are not known, and those may be options.
    let may_be_option =
        |word: &Word| !word.is_static && !word::is_operand(&word.text) && !word::is_valued_option(&word.text);
    let is_sure = |name: &str| !git::is_look(name) || !command.argv.iter().any(may_be_option);
    subcommand.is_some_and(|name| PORCELAIN.contains(&name) && is_sure(name)) && !words().any(leads_away)
}

impl Bench<'_> {
    /// Is every file that the script writes known, and outside every repository?
    pub(super) fn writes_outside_git(&mut self, analysis: &Analysis) -> bool {
        let is_write = |touched: &&Touched| touched.how != How::Read;
        let names: Vec<&str> =
            analysis.touched.iter().filter_map(|read| read.path.rsplit('/').next()).collect();
        !analysis.fills_unknown
            && analysis.touched.iter().filter(is_write).all(|write| {
                let real = self.real(&write.path);
                // What is put into a folder keeps its name there, and that name may be a link.
                let inside = names.iter().filter(|_| real.is_folder && write.how == How::Fill);
                let paths = inside.map(|name| path::join(&write.path, name)).chain([write.path.clone()]);
                write.glob.is_none()
                    && paths.into_iter().all(|path| !is_git(&path) && !is_git(&self.real(&path).path))
            })
    }

    /// The first command that must write a repository of the project.
    pub(super) fn needs_git(&mut self, analysis: &Analysis) -> Option<String> {
        let mut is_ours = |folder: &String| {
            let real = self.real(folder);
            self.ground.roots.iter().any(|root| path::is_inside(&real.path, root))
        };
        let first = analysis.git_writes.iter().find(|write| write.folders.iter().any(&mut is_ours));
        first.map(|write| write.source.clone())
    }

    /// A bare repository that lies in the project brings a configuration of its own, which can run programs.
    pub(super) fn bare(&mut self, analysis: &Analysis) -> Option<String> {
        analysis.git.iter().find_map(|folder| {
            let mut at = self.real(folder).path.clone();
            while at != "/" && self.ground.roots.iter().any(|root| path::is_inside(&at, root)) {
                if self.real(&path::join(&at, ".git")).is_folder {
                    return None;
                }
                let is_bare =
                    ["objects", "refs"].iter().all(|name| self.real(&path::join(&at, name)).is_folder);
                if is_bare {
                    return Some(format!("`{at}` is a repository whose own configuration can run programs"));
                }
                at = path::parent(&at).to_owned();
            }
            None
        })
    }
}

/// Does a path lead through a repository?
fn is_git(path: &str) -> bool {
    path.split('/').any(|part| part.eq_ignore_ascii_case(".git"))
}
