//! The views of commands: what each one sees of the machine, computed from what was granted.
//!
//! `look` changes nothing, `work` changes the project and what tools keep beside it, `free` is no view at all. Whatever the
//! kernel does not hold here is said; see [`Views::report`].

mod git;
mod index;
mod project;
mod table;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use praxis_os::process::{Ended, Sandboxed};
use praxis_os::sandbox::{
    Access, Exit, GapKind, Limits, Mechanisms, Network, Place, Report, SandboxError, Temp, View, explain,
};
use praxis_policy::{Authority, places, wildcard};
use praxis_proto::{Action, Event, Failure, Rule};

use self::project::{Guarded, Projects, Rules};
use self::table::Table;
use crate::{Cx, Instance, ToolError};

/// Folders that hold programs, whose neighbours these need.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];

/// Why no command runs where something could be overlooked.
const TOO_MUCH: &str = "the project has more folders, or more files that rules guard (`.env`), configuration and git folders, \
                        than can be protected, so that no command runs in its sandbox; work in a smaller folder, remove \
                        what is not needed, or set `\"sandbox\": \"off\"` in your own configuration";
/// Files that one entry of the table of credentials may stand for.
const MOST_FITTING: usize = 64;

/// Which view a command has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewKind {
    /// Nothing is written, and nothing outside is reached: for agents that may not edit.
    Look,
    /// The project and the caches of tools are written.
    Work,
    /// Everything the user can do.
    Free,
}

/// Whether commands have views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewMode {
    /// They have none: the user's own configuration says so.
    Off,
    /// As far as this machine can hold them.
    Auto,
    /// They have one that is held, or do not run.
    Required,
}

/// What views are made of.
#[derive(Debug, Clone)]
pub struct ViewParts {
    /// Whether there are any.
    pub mode: ViewMode,
    /// The user's home folder.
    pub home: PathBuf,
    /// Where programs are found.
    pub path: Option<String>,
    /// The folder for temporary files.
    pub temp: PathBuf,
    /// Data and keys of ours and of our relatives, which no command sees.
    pub own: Vec<PathBuf>,
    /// Of those, what commands may read: saved outputs.
    pub outputs: PathBuf,
    /// More places that can be read.
    pub readable: Vec<PathBuf>,
    /// More places that can be written.
    pub writable: Vec<PathBuf>,
    /// More places that look empty.
    pub unreadable: Vec<PathBuf>,
    /// How far the network of commands that work reaches.
    pub network: Network,
    /// Whether commands may talk to programs outside by Unix sockets.
    pub unix_sockets: bool,
    /// How much a command may use.
    pub limits: Limits,
    /// Whether a contained command needs no question.
    pub auto_allow: bool,
}

/// Makes views, and knows what holds them.
#[derive(Debug)]
pub struct Views {
    parts: ViewParts,
    projects: Projects,
    /// Worked out with the first command: it asks the kernel.
    mechanisms: OnceLock<Mechanisms>,
    /// Whether it was looked for what is not held, and said.
    is_said: AtomicBool,
}

/// What one command gets beyond the usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extra {
    /// Places that were granted.
    pub places: Vec<Place>,
    /// The git folder can be written, but for what runs programs.
    pub git: bool,
    /// Git's configuration too.
    pub git_config: bool,
    /// Sockets of the user's other programs can be reached.
    pub sockets: bool,
}

impl Views {
    /// Puts it together; nothing is looked at.
    pub fn new(parts: ViewParts) -> Self {
        Self {
            parts,
            projects: Projects::default(),
            mechanisms: OnceLock::new(),
            is_said: AtomicBool::new(false),
        }
    }

    /// No views at all.
    pub fn off() -> Self {
        Self::new(ViewParts {
            mode: ViewMode::Off,
            home: PathBuf::new(),
            path: None,
            temp: std::env::temp_dir(),
            own: Vec::new(),
            outputs: PathBuf::new(),
            readable: Vec::new(),
            writable: Vec::new(),
            unreadable: Vec::new(),
            network: Network::Allow,
            unix_sockets: true,
            limits: Limits::default(),
            auto_allow: false,
        })
    }

    /// The view that an agent's commands have.
    pub fn kind(&self, cx: &Cx) -> ViewKind {
        self.kind_of(cx.authority())
    }

    fn kind_of(&self, authority: &Authority) -> ViewKind {
        if self.parts.mode == ViewMode::Off {
            return ViewKind::Free;
        }
        match authority.lens("edit", &[]).usual() {
            Action::Deny => ViewKind::Look,
            Action::Allow | Action::Ask => ViewKind::Work,
        }
    }

    /// What a model is told about the views of commands. The kernel is not asked: this is part of every request.
    pub(crate) fn describe(&self, authority: &Authority) -> &'static str {
        match self.kind_of(authority) {
            ViewKind::Free => "",
            ViewKind::Look => {
                " Commands run in a sandbox that lets them look: they write nothing but temporary files, which are gone \
                 afterwards, and have no network."
            }
            ViewKind::Work => {
                " Commands run in a sandbox: they write the project, temporary files (`/tmp` is theirs alone) and caches of \
                 tools, and see programs and settings of the machine, but no secrets (`.env`), no other processes and \
                 nothing else of the user's. Git's own files are written only by scripts that are nothing but git and \
                 simple file commands. When the sandbox refuses what is needed, give `access`, or `outside` if nothing \
                 less will do; both ask the user."
            }
        }
    }

    /// What this kernel has; a few milliseconds the first time.
    pub fn mechanisms(&self) -> &Mechanisms {
        self.mechanisms.get_or_init(Mechanisms::probe)
    }

    /// Whether the kernel holds every promise about files for commands of this kind.
    pub fn hold(&self, kind: ViewKind) -> bool {
        let mechanisms = self.mechanisms();
        match kind {
            ViewKind::Free => false,
            ViewKind::Work => mechanisms.namespaces.is_some() && mechanisms.seccomp,
            ViewKind::Look => {
                (mechanisms.namespaces.is_some() || mechanisms.landlock > 0) && mechanisms.seccomp
            }
        }
    }

    /// Whether a rule's question about a command needs no person, because it is contained.
    pub(crate) fn answers(&self, kind: ViewKind) -> bool {
        self.parts.auto_allow && self.hold(kind)
    }

    /// The view of one command, and what holds it; nothing for one that is free.
    pub fn sandboxed(&self, kind: ViewKind, extra: &Extra, cx: &Cx) -> Result<Option<Sandboxed>, ToolError> {
        if kind == ViewKind::Free {
            return Ok(None);
        }
        praxis_os::own_private_dir(&self.parts.temp).map_err(|error| {
            ToolError::Outside(format!(
                "could not make a folder for temporary files: {error}; set TMPDIR to another"
            ))
        })?;
        let grants = cx.standing_grants();
        let rules =
            Rules { read: cx.authority().lens("read", &grants), edit: cx.authority().lens("edit", &grants) };
        let view = self.view(kind, cx.instance(), rules, extra)?;
        let mechanisms = self.mechanisms().clone();
        let report = view.report(&mechanisms);
        let missing = report.missing();
        if view.required && !missing.is_empty() {
            return Err(ToolError::Outside(SandboxError::Missing(missing).to_string()));
        }
        self.say_once(&report, cx);
        Ok(Some(Sandboxed { view, mechanisms }))
    }

    /// Tells people, once, what they might expect of the sandbox and do not get here.
    fn say_once(&self, report: &Report, cx: &Cx) {
        if self.is_said.swap(true, Ordering::Relaxed) {
            return;
        }
        let points = self.open_points(cx.instance());
        let gaps = report.gaps.iter().filter(|gap| gap.kind != GapKind::Inherent).map(ToString::to_string);
        let Some(first) = gaps.chain(points).next() else { return };
        let text =
            format!("the sandbox does not hold everything here: {first}; `praxis doctor` says all of it");
        let error = Some(Box::new(Failure::Unknown { message: text, reference: None }));
        cx.bus().publish(Event::SessionError { session: Some(cx.session().clone()), error });
    }

    /// Whether the user's settings open a place to commands, so that it is no question.
    pub(crate) fn opens(&self, path: &Path, write: bool) -> bool {
        let ViewParts { readable, writable, .. } = &self.parts;
        let read = readable.iter().filter(|_| !write);
        writable
            .iter()
            .chain(read)
            .any(|place| path.starts_with(place.canonicalize().as_ref().unwrap_or(place)))
    }

    /// What holds for commands of a kind in a project, where nothing was granted and nothing is guarded by rules.
    pub fn report(&self, kind: ViewKind, instance: &Instance) -> Option<Report> {
        if kind == ViewKind::Free || self.parts.mode == ViewMode::Off {
            return None;
        }
        let view = self.view(kind, instance, open(), &Extra::default()).ok()?;
        Some(view.report(self.mechanisms()))
    }

    /// What the views cannot hold in this project, whatever the kernel has; clauses for people.
    pub fn open_points(&self, instance: &Instance) -> Vec<String> {
        let mut points = Vec::new();
        let (root, home) = (instance.root(), &self.parts.home);
        if home.starts_with(root) {
            points.push(
                "the project is the home folder or lies around it: what is in it can be read and written, but for known \
                 credentials, configuration and git folders"
                    .to_owned(),
            );
        }
        if self.projects.guarded(root, open()).incomplete {
            points.push(TOO_MUCH.to_owned());
        }
        points
    }

    /// What a denial looks like, in words for the model.
    pub(crate) fn explain(
        &self,
        output: &str,
        ended: Ended,
        folder: &Path,
        sandboxed: &Sandboxed,
    ) -> Option<String> {
        let exit = match ended {
            Ended::Code(code) => Exit::Code(code),
            Ended::Signal(signal) => Exit::Signal(signal),
        };
        let Sandboxed { view, mechanisms } = sandboxed;
        explain(output, exit, folder, &view.report(mechanisms))
    }

    fn view(
        &self,
        kind: ViewKind,
        instance: &Instance,
        rules: Rules,
        extra: &Extra,
    ) -> Result<View, ToolError> {
        let parts = &self.parts;
        let mut places = self.around();
        let (root, directory) = (instance.root(), instance.directory());
        let project = |path: &Path| match rules.read.usual() {
            // An agent that may read nothing has nothing to see.
            Action::Deny => Place::masked(path),
            Action::Allow | Action::Ask => Place::write(path),
        };
        let temp = match kind {
            ViewKind::Look => Temp::Private,
            ViewKind::Work | ViewKind::Free => Temp::Folder(parts.temp.clone()),
        };
        places.push(Place::write(&parts.temp));
        places.extend([project(directory), project(root)]);
        if parts.home.starts_with(root) {
            // A project around the home folder must not open what is closed to all others.
            places.extend(startup_files(&parts.home));
            places.extend(secrets(&parts.home));
        }
        let guarded = self.projects.guarded(root, rules);
        if guarded.incomplete {
            return Err(ToolError::Outside(TOO_MUCH.to_owned()));
        }
        places.extend(guarded_places(&guarded, root, extra));
        places.extend(parts.unreadable.iter().map(Place::masked));
        places.extend(extra.places.iter().cloned());
        if kind == ViewKind::Look {
            // Whatever was granted: who may not edit writes nothing.
            places.iter_mut().for_each(|place| place.access = place.access.min(Access::Read));
        }
        keep_existing(&mut places);
        Ok(View {
            places,
            temp,
            network: if kind == ViewKind::Look { Network::Deny } else { parts.network },
            unix_sockets: kind != ViewKind::Look && (parts.unix_sockets || extra.sockets),
            limits: parts.limits,
            required: parts.mode == ViewMode::Required,
        })
    }

    /// The machine around the project.
    fn around(&self) -> Vec<Place> {
        let parts = &self.parts;
        // Where somebody's home is the whole machine, there is no home to hide.
        let home = Some(&parts.home).filter(|home| home.parent().is_some());
        let mut places: Vec<Place> = home.into_iter().map(Place::masked).collect();
        let known = Table::get().places(&parts.home);
        let known: Vec<Place> = known.map(|(access, path)| Place { path, access }).collect();
        places.extend(self.programs(&known));
        places.extend(known);
        places.extend(parts.readable.iter().map(Place::read));
        places.extend(parts.writable.iter().map(Place::write));
        places.extend(secrets(&parts.home));
        places.extend(parts.own.iter().map(Place::masked));
        places.push(Place::read(&parts.outputs));
        places
    }

    /// What `PATH` names and the table does not: the folders, and the toolchains that they are part of.
    fn programs(&self, known: &[Place]) -> Vec<Place> {
        let folders = self.parts.path.iter().flat_map(|path| std::env::split_paths(path).collect::<Vec<_>>());
        let mut found = Vec::new();
        for folder in folders.filter(|folder| folder.is_absolute()) {
            let around =
                folder.file_name().is_some_and(|name| PROGRAM_FOLDERS.iter().any(|known| name == *known));
            let toolchain = folder.parent().filter(|parent| around && self.is_toolchain(parent));
            let place = toolchain.unwrap_or(&folder);
            let seen = |other: &Place| other.access == Access::Read && place.starts_with(&other.path);
            if place.components().count() > 1 && !known.iter().chain(&found).any(seen) {
                found.push(Place::read(place));
            }
        }
        found
    }

    /// Is it a folder of its own, and not one that other things lie in?
    fn is_toolchain(&self, folder: &Path) -> bool {
        let home = &self.parts.home;
        !home.starts_with(folder) && folder != home.join(".local") && folder.components().count() > 2
    }
}

/// Leaves out what is not there: most of the tables, of which nobody else needs to hear.
fn keep_existing(places: &mut Vec<Place>) {
    let mut folders: HashMap<PathBuf, bool> = HashMap::new();
    places.retain(|place| {
        let Some(folder) = place.path.parent() else { return true };
        let is_there = match folders.get(folder) {
            Some(known) => *known,
            None => {
                let found = folder.is_dir();
                folders.insert(folder.to_owned(), found);
                found
            }
        };
        is_there && place.path.symlink_metadata().is_ok()
    });
}

/// What is secret in the home folder, as far as it is there.
fn secrets(home: &Path) -> Vec<Place> {
    let mut found = Vec::new();
    for entry in places::credentials() {
        let path = home.join(entry.name);
        if entry.has_wildcard() {
            found.extend(fitting(&path).into_iter().map(Place::masked));
        } else {
            found.push(Place::masked(path));
        }
    }
    found
}

/// What runs without being asked again: to be read at most.
fn startup_files(home: &Path) -> impl Iterator<Item = Place> {
    let below_home = places::startup().iter().filter(|entry| !entry.is_absolute() && !entry.has_wildcard());
    below_home.map(|entry| Place::read(home.join(entry.name)))
}

/// The files whose last name fits a pattern with a `*`.
fn fitting(pattern: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (pattern.parent(), pattern.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let fits =
        |path: &PathBuf| path.file_name().is_some_and(|own| wildcard::matches(&own.to_string_lossy(), name));
    entries.map(|entry| entry.path()).filter(fits).take(MOST_FITTING).collect()
}

/// Rules that guard nothing.
fn open() -> Rules {
    let open = Authority::new(vec![Rule::built_in("none", "*", "*", Action::Allow)]);
    Rules { read: open.lens("read", &[]), edit: open.lens("edit", &[]) }
}

/// What in the project has an access of its own.
fn guarded_places(guarded: &Guarded, root: &Path, extra: &Extra) -> Vec<Place> {
    let mut places: Vec<Place> = guarded.configuration.iter().map(Place::read).collect();
    let own = root.join(".git");
    let is_git = extra.git && has_one_repository(guarded, &own, root);
    for dot_git in &guarded.git {
        if dot_git.is_file() {
            places.push(Place::read(dot_git));
        }
        let Some(folder) = git::folder(dot_git, root) else { continue };
        if !is_git || *dot_git != own {
            places.push(Place::read(folder));
            continue;
        }
        places.push(Place::write(&folder));
        let protected = git::protected(&folder).into_iter();
        let is_config = |path: &PathBuf| *path == folder.join("config");
        places.extend(protected.filter(|path| !(extra.git_config && is_config(path))).map(Place::read));
    }
    places.extend(guarded.unwritable.iter().map(Place::read));
    // Of what git tracks it has the content anyway; an empty file in its place would be committed.
    let tracked = match is_git {
        true => index::tracked(&git::index(&own), root, &guarded.unreadable),
        false => HashSet::new(),
    };
    places.extend(guarded.unreadable.iter().filter(|path| !tracked.contains(*path)).map(Place::masked));
    places
}

/// Is git's work here done in one repository? Another that lies in the project, as a command can make it, brings its own
/// configuration, and with it programs that git runs; only modules whose folders are in the project's own do not.
fn has_one_repository(guarded: &Guarded, own: &Path, root: &Path) -> bool {
    let Some(folder) = git::folder(own, root) else { return false };
    guarded.git.iter().filter(|dot_git| *dot_git != own).all(|dot_git| {
        dot_git.is_file() && git::folder(dot_git, root).is_some_and(|module| module.starts_with(&folder))
    })
}
