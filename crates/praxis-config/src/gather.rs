//! Finding every source in order, each with its owner.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use praxis_proto::Origin;

use crate::definition::{self, Kind};
use crate::load::Request;
use crate::loaded::Source;
use crate::node::Node;
use crate::owner::{Ground, Owner};
use crate::problem::{Findings, Problem, Warning};
use crate::surroundings::Surroundings;
use crate::text::{SourceName, Text};
use crate::worktree::upwards;

/// The most bytes of one configuration file.
const MOST_FILE: u64 = 8 * 1024 * 1024;
/// Configuration files of a project or directory, the strongest last.
const FILES: [&str; 4] = ["opencode.json", "opencode.jsonc", "praxis.json", "praxis.jsonc"];
/// Configuration directories of a project or home, the strongest last.
const FOLDERS: [&str; 2] = [".opencode", ".praxis"];

/// One source, not looked into yet.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) content: Content,
    pub(crate) source: SourceName,
    pub(crate) owner: Owner,
    /// Left out with a warning when it is wrong.
    pub(crate) is_optional: bool,
}

/// What a source holds.
#[derive(Debug)]
pub(crate) enum Content {
    /// Text to fill in and to parse.
    Text(Text),
    /// A tree already.
    Node(Node),
    /// None: what is wrong with it, or looks wrong, is told in its place.
    Findings(Findings),
}

/// Where links of a project may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Into the project.
    Inside,
    /// Anywhere.
    Anywhere,
}

/// Everything that was found.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) sources: Vec<Source>,
    /// Files and folders of the project that are links out of it and were not followed.
    pub(crate) left_out: Vec<PathBuf>,
}

/// Finds all sources, the weakest first.
pub(crate) fn gather(
    surroundings: &Surroundings,
    request: &Request,
    ground: &Ground,
    links: Links,
) -> Gathered {
    let found = Gathered { pieces: Vec::new(), sources: Vec::new(), left_out: Vec::new() };
    let mut gatherer = Gatherer { surroundings, request, ground, links, found };
    gatherer.global_files();
    gatherer.project_files();
    gatherer.directories();
    gatherer.extras();
    gatherer.managed_files();
    gatherer.permission_variable();
    gatherer.found
}

struct Gatherer<'a> {
    surroundings: &'a Surroundings,
    request: &'a Request,
    ground: &'a Ground,
    links: Links,
    found: Gathered,
}

impl Gatherer<'_> {
    fn global_files(&mut self) {
        for directory in self.surroundings.dirs.global() {
            self.optional_file(&directory.join("config.json"), Owner::User);
            self.files_in(&directory, Owner::User);
        }
        if let Some(given) = self.surroundings.flag("CONFIG") {
            let path = self.surroundings.resolve(given, &self.request.directory);
            let owner = self.owner_of_named(given, &path);
            self.named_file(&path, owner);
        }
    }

    fn project_files(&mut self) {
        for directory in self.project_directories() {
            self.files_in(&directory, Owner::Project);
        }
    }

    fn directories(&mut self) {
        for directory in self.surroundings.dirs.global() {
            // Their files came first; their definitions belong here, with those of the other directories.
            self.definitions_in(&directory, Owner::User);
        }
        let home = std::iter::once((self.surroundings.home.clone(), Owner::User));
        let homes = home.chain(self.project_directories().into_iter().map(|path| (path, Owner::Project)));
        // A project may be the home directory; then it counts as the project.
        let mut directories = IndexMap::new();
        for (path, owner) in homes {
            for directory in FOLDERS.map(|folder| path.join(folder)) {
                directories.shift_remove(&directory);
                directories.insert(directory, owner);
            }
        }
        if let Some(given) = self.surroundings.flag("CONFIG_DIR") {
            let path = self.surroundings.resolve(given, &self.request.directory);
            let owner = self.owner_of_named(given, &path);
            directories.insert(path, owner);
        }
        for (directory, owner) in directories {
            self.files_in(&directory, owner);
            self.definitions_in(&directory, owner);
        }
    }

    fn extras(&mut self) {
        if let Some((name, text)) = self.surroundings.flag_entry("CONFIG_CONTENT") {
            self.found.sources.push(Source::Variable(name.to_owned()));
            let source = SourceName::Variable(name.into());
            let text = Text::new(source.clone(), text);
            self.piece(Content::Text(text), source, Owner::User);
        }
        if let Some(path) = &self.request.extra_file {
            // Named for this very run, wherever it lies.
            self.named_file(&self.request.directory.join(path), Owner::User);
        }
    }

    fn managed_files(&mut self) {
        for directory in &self.surroundings.managed {
            self.files_in(directory, Owner::Managed);
        }
    }

    fn permission_variable(&mut self) {
        let Some((name, text)) = self.surroundings.flag_entry("PERMISSION") else { return };
        let origin = Origin::Named(name.into());
        match serde_json::from_str(text) {
            Ok(json) => {
                self.found.sources.push(Source::Variable(name.to_owned()));
                let node = Node::from_json(&json, &origin).under("permission");
                self.piece(Content::Node(node), SourceName::Variable(name.into()), Owner::User);
            }
            Err(error) => {
                let message = format!("this is not JSON and is ignored: {error}");
                let warnings = vec![Warning::new(&origin, message)];
                self.findings(Findings { warnings, ..Findings::default() });
            }
        }
    }

    /// The project's directories from the root down, unless projects are to be left alone.
    fn project_directories(&self) -> Vec<PathBuf> {
        if self.surroundings.is_on("DISABLE_PROJECT_CONFIG") {
            return Vec::new();
        }
        let way = upwards(&self.request.directory, &self.request.worktree);
        way.rev().map(Path::to_path_buf).collect()
    }

    /// What lies in the project is written by whoever writes there, also if it is a place of the user's.
    fn owner(&self, path: &Path, place: Owner) -> Owner {
        match place {
            Owner::User if self.ground.touches(path) => Owner::Project,
            place => place,
        }
    }

    /// A file that a variable names is the user's, unless the name means another file in every project.
    fn owner_of_named(&self, given: &str, path: &Path) -> Owner {
        let is_fixed = Path::new(given).is_absolute() || given.starts_with("~/");
        if is_fixed { Owner::User } else { self.owner(path, Owner::User) }
    }

    /// Whether a file may be read before anybody trusts the project.
    fn admits(&self, path: &Path, owner: Owner) -> bool {
        owner != Owner::Project || self.links == Links::Anywhere || self.ground.holds(path)
    }

    fn files_in(&mut self, directory: &Path, place: Owner) {
        for name in FILES {
            self.optional_file(&directory.join(name), place);
        }
    }

    fn optional_file(&mut self, path: &Path, place: Owner) {
        let owner = self.owner(path, place);
        if !self.admits(path, owner) {
            if path.exists() {
                self.found.left_out.push(path.to_owned());
            }
            return;
        }
        match crate::read::optional(path, MOST_FILE) {
            Ok(None) => {}
            Ok(Some(bytes)) => self.bytes(path, bytes, owner),
            Err(error) => self.problem(Problem::unreadable(path, error)),
        }
    }

    /// A file somebody asked for by name has to be there.
    fn named_file(&mut self, path: &Path, owner: Owner) {
        match crate::read::bounded(path, MOST_FILE) {
            Ok(bytes) => self.bytes(path, bytes, owner),
            Err(error) => self.problem(Problem::unreadable(path, error)),
        }
    }

    fn bytes(&mut self, path: &Path, bytes: Vec<u8>, owner: Owner) {
        self.found.sources.push(Source::File(path.to_path_buf()));
        match Text::decode(SourceName::file(path), bytes) {
            Ok(text) => {
                let source = text.name.clone();
                self.piece(Content::Text(text), source, owner);
            }
            Err(problem) => self.problem(problem),
        }
    }

    fn piece(&mut self, content: Content, source: SourceName, owner: Owner) {
        self.found.pieces.push(Piece { content, source, owner, is_optional: false });
    }

    fn problem(&mut self, problem: Problem) {
        self.findings(Findings { problems: vec![problem], ..Findings::default() });
    }

    /// Whoever a source belongs to, what is wrong with it is told.
    fn findings(&mut self, findings: Findings) {
        let source = SourceName::Variable("".into());
        self.piece(Content::Findings(findings), source, Owner::User);
    }

    fn definitions_in(&mut self, directory: &Path, place: Owner) {
        let owner = self.owner(directory, place);
        for kind in Kind::ALL {
            let mut findings = Findings::default();
            let mut left_out = Vec::new();
            let admitted = |path: &Path| self.admits(path, owner);
            let found = definition::discover(directory, kind, &admitted, &mut left_out, &mut findings);
            self.findings(findings);
            self.found.left_out.extend(left_out);
            for definition::Definition { layer, source } in found {
                let mut owner = owner;
                if let SourceName::File(path) = &source {
                    self.found.sources.push(Source::File(path.as_path().to_path_buf()));
                    owner = self.owner(path, owner);
                }
                let is_optional = kind == Kind::Mode;
                self.found.pieces.push(Piece { content: Content::Node(layer), source, owner, is_optional });
            }
        }
    }
}
