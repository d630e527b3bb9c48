//! Reading every source in order and laying them over each other.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use praxis_proto::Origin;

use crate::check::Checker;
use crate::config::Config;
use crate::definition::{self, Kind};
use crate::loaded::{Loaded, Source};
use crate::merge::merge;
use crate::node::Node;
use crate::problem::{ConfigError, Findings, Problem, Warning};
use crate::substitute::substitute;
use crate::surroundings::Surroundings;
use crate::text::{SourceName, Text};
use crate::worktree::upwards;
use crate::{jsonc, normalise, permission};

/// The most bytes of one configuration file.
const MOST_FILE: u64 = 8 * 1024 * 1024;
/// Configuration files of a project or directory, the strongest last.
const FILES: [&str; 4] = ["opencode.json", "opencode.jsonc", "praxis.json", "praxis.jsonc"];
/// Configuration directories of a project or home, the strongest last.
const FOLDERS: [&str; 2] = [".opencode", ".praxis"];

/// What to load the configuration for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The working directory, absolute.
    pub directory: PathBuf,
    /// The project's root, absolute: see [`find_worktree`](crate::find_worktree); without one, the working
    /// directory again.
    pub worktree: PathBuf,
    /// A file named on the command line; only managed configuration is stronger.
    pub extra_file: Option<PathBuf>,
}

/// Loads the configuration for a directory.
///
/// Later sources are stronger: global files, the file of `PRAXIS_CONFIG`, project files from the root down,
/// configuration directories (global, home, project from the root down, `PRAXIS_CONFIG_DIR`) with their
/// agents and commands, `PRAXIS_CONFIG_CONTENT`, the extra file, managed files, `PRAXIS_PERMISSION`.
///
/// # Errors
///
/// Any source that cannot be used makes the whole fail, because it might hold a rule that denies something;
/// the error lists all of them.
pub fn load(surroundings: &Surroundings, request: &Request) -> Result<Loaded, ConfigError> {
    let mut loader = Loader {
        surroundings,
        request,
        checker: Checker::new(),
        findings: Findings::default(),
        sources: Vec::new(),
        merged: Node::object(Origin::BuiltIn("defaults")),
        managed: Node::object(Origin::BuiltIn("defaults")),
    };
    loader.global_files();
    loader.project_files();
    loader.directories();
    loader.extras();
    loader.managed_files();
    loader.permission_variable();
    loader.finish()
}

/// How a layer is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// As it is.
    Ordinary,
    /// As it is, and into the ceiling.
    Managed,
    /// Left out with a warning when it is wrong.
    Optional,
}

struct Loader<'a> {
    surroundings: &'a Surroundings,
    request: &'a Request,
    checker: Checker,
    findings: Findings,
    sources: Vec<Source>,
    merged: Node,
    managed: Node,
}

impl Loader<'_> {
    fn global_files(&mut self) {
        for directory in self.surroundings.dirs.global() {
            self.optional_file(&directory.join("config.json"), Standing::Ordinary);
            self.files_in(&directory, Standing::Ordinary);
        }
        if let Some(path) = self.surroundings.flag("CONFIG") {
            self.named_file(&self.surroundings.resolve(path, &self.request.directory));
        }
    }

    fn project_files(&mut self) {
        for directory in self.project_directories() {
            self.files_in(&directory, Standing::Ordinary);
        }
    }

    fn directories(&mut self) {
        for directory in self.surroundings.dirs.global() {
            // Their files came first; their definitions belong here, with those of the other directories.
            self.definitions_in(&directory);
        }
        let homes = std::iter::once(self.surroundings.home.clone()).chain(self.project_directories());
        // A project may be the home directory; then it counts as the project.
        let mut directories = IndexMap::new();
        for directory in homes.flat_map(|path| FOLDERS.map(|folder| path.join(folder))) {
            directories.shift_remove(&directory);
            directories.insert(directory, ());
        }
        if let Some(path) = self.surroundings.flag("CONFIG_DIR") {
            directories.insert(self.surroundings.resolve(path, &self.request.directory), ());
        }
        for directory in directories.into_keys() {
            self.files_in(&directory, Standing::Ordinary);
            self.definitions_in(&directory);
        }
    }

    fn extras(&mut self) {
        if let Some((name, text)) = self.surroundings.flag_entry("CONFIG_CONTENT") {
            self.sources.push(Source::Variable(name.to_owned()));
            let text = Text::new(SourceName::Variable(name.into()), text);
            self.text(&text, Standing::Ordinary);
        }
        if let Some(path) = &self.request.extra_file {
            self.named_file(&self.request.directory.join(path));
        }
    }

    fn managed_files(&mut self) {
        for directory in &self.surroundings.managed {
            self.files_in(directory, Standing::Managed);
        }
    }

    fn permission_variable(&mut self) {
        let Some((name, text)) = self.surroundings.flag_entry("PERMISSION") else { return };
        let origin = Origin::Named(name.into());
        match serde_json::from_str(text) {
            Ok(json) => {
                self.sources.push(Source::Variable(name.to_owned()));
                let node = Node::from_json(&json, &origin).under("permission");
                self.layer(node, &SourceName::Variable(name.into()), Standing::Ordinary);
            }
            Err(error) => {
                let message = format!("this is not JSON and is ignored: {error}");
                self.findings.warnings.push(Warning::new(&origin, message));
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

    fn files_in(&mut self, directory: &Path, standing: Standing) {
        for name in FILES {
            self.optional_file(&directory.join(name), standing);
        }
    }

    fn optional_file(&mut self, path: &Path, standing: Standing) {
        match crate::read::optional(path, MOST_FILE) {
            Ok(None) => {}
            Ok(Some(bytes)) => self.bytes(path, bytes, standing),
            Err(error) => self.findings.problems.push(Problem::unreadable(path, error)),
        }
    }

    /// A file somebody asked for by name has to be there.
    fn named_file(&mut self, path: &Path) {
        match crate::read::bounded(path, MOST_FILE) {
            Ok(bytes) => self.bytes(path, bytes, Standing::Ordinary),
            Err(error) => self.findings.problems.push(Problem::unreadable(path, error)),
        }
    }

    fn bytes(&mut self, path: &Path, bytes: Vec<u8>, standing: Standing) {
        self.sources.push(Source::File(path.to_path_buf()));
        match Text::decode(SourceName::file(path), bytes) {
            Ok(text) => self.text(&text, standing),
            Err(problem) => self.findings.problems.push(problem),
        }
    }

    fn text(&mut self, text: &Text, standing: Standing) {
        let base = text.name.directory().unwrap_or(&self.request.directory);
        let parsed = substitute(text, self.surroundings, base)
            .and_then(|substituted| jsonc::parse(text, &substituted, &mut self.findings));
        match parsed {
            Ok(node) => self.layer(node, &text.name, standing),
            Err(problem) => self.findings.problems.push(problem),
        }
    }

    fn definitions_in(&mut self, directory: &Path) {
        for kind in Kind::ALL {
            let standing = if kind == Kind::Mode { Standing::Optional } else { Standing::Ordinary };
            for found in definition::discover(directory, kind, &mut self.findings) {
                if let SourceName::File(path) = &found.source {
                    self.sources.push(Source::File(path.as_path().to_path_buf()));
                }
                self.layer(found.layer, &found.source, standing);
            }
        }
    }

    /// Checks one layer and lays it over the others.
    fn layer(&mut self, mut node: Node, source: &SourceName, standing: Standing) {
        let mut found = Findings::default();
        self.checker.check(&node, &mut found);
        self.check_rules(&node, &mut found.problems);
        if found.problems.is_empty() {
            // What the schema cannot say, such as the form of a colour, the types do.
            found.problems.extend(decode(&node).err());
        }
        if standing == Standing::Optional && !found.problems.is_empty() {
            let whole = source.origin(1, 1);
            let skipped = found.problems.iter();
            let warnings =
                skipped.map(|problem| Warning::new(&whole, format!("this mode is skipped: {problem}")));
            self.findings.warnings.extend(warnings);
            return;
        }
        let is_sound = found.problems.is_empty();
        self.findings.extend(found);
        if !is_sound {
            return;
        }
        normalise::layer(&mut node, &self.checker, source, self.surroundings);
        if standing == Standing::Managed {
            merge(&mut self.managed, node.clone());
        }
        merge(&mut self.merged, node);
    }

    fn check_rules(&self, node: &Node, problems: &mut Vec<Problem>) {
        let home = &self.surroundings.home;
        if let Some(rules) = node.get("permission") {
            permission::rules(rules, "permission", home, problems);
        }
        for section in ["agent", "mode"] {
            for (name, agent) in node.get(section).and_then(Node::as_object).into_iter().flatten() {
                if let Some(rules) = agent.get("permission") {
                    permission::rules(rules, &format!("{section}.{name}.permission"), home, problems);
                }
            }
        }
    }

    fn finish(mut self) -> Result<Loaded, ConfigError> {
        let home = self.surroundings.home.as_path();
        normalise::merged(&mut self.merged, self.surroundings);
        normalise::merged(&mut self.managed, self.surroundings);
        let mut problems = self.findings.problems;
        let mut config = match decode(&self.merged) {
            Ok(config) => config,
            Err(problem) => {
                // A mistake in one layer is told once, with its place in that layer.
                if problems.is_empty() {
                    problems.push(problem);
                }
                return Err(ConfigError { problems });
            }
        };
        let mut rules_of = |node: Option<&Node>, path: &str| {
            node.map_or_else(Vec::new, |node| permission::rules(node, path, home, &mut problems))
        };
        for (name, agent) in &mut config.agent {
            let node = self.merged.get("agent").and_then(|agents| agents.get(name)?.get("permission"));
            agent.rules = rules_of(node, &format!("agent.{name}.permission"));
            agent.name.clone_from(name);
        }
        for (name, command) in &mut config.command {
            command.name.clone_from(name);
        }
        let rules = rules_of(self.merged.get("permission"), "permission");
        let managed_rules = rules_of(self.managed.get("permission"), "permission");
        if !problems.is_empty() {
            return Err(ConfigError { problems });
        }
        Ok(Loaded {
            config,
            rules,
            managed_rules,
            warnings: self.findings.warnings,
            sources: self.sources,
            merged: self.merged,
        })
    }
}

/// The typed configuration in a tree.
fn decode(node: &Node) -> Result<Config, Problem> {
    serde_path_to_error::deserialize(node.to_json()).map_err(|error| {
        let path = error.path().to_string().replace('[', ".").replace(']', "");
        let mut known = path.as_str();
        while node.at(known).is_none() {
            known = known.rsplit_once('.').map_or("", |(before, _)| before);
        }
        let origin = node.at(known).map_or(&node.origin, |found| &found.origin);
        Problem::value(origin, path.clone(), error.inner().to_string())
    })
}
