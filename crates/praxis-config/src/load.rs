//! Laying all sources over each other, as far as their owners' word counts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use praxis_proto::{Origin, Rule};

use crate::check::Checker;
use crate::config::Config;
use crate::gather::{Content, Gathered, Links, Piece, gather};
use crate::instructions::{Instruction, Instructions};
use crate::loaded::{Loaded, RuleSet, Source};
use crate::merge::merge;
use crate::node::{Node, Value};
use crate::owner::{Ground, Owner};
use crate::problem::{ConfigError, Findings, Problem, Warning};
use crate::substitute::{substitute, tokens, unfilled};
use crate::surroundings::Surroundings;
use crate::text::{SourceName, Text};
use crate::trust::{Sifted, Sifter, Trust, Want};
use crate::{jsonc, normalise, permission, strictness};

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
    /// How far the project's own configuration is trusted.
    pub trust: Trust,
}

/// Loads the configuration for a directory.
///
/// Later sources are stronger: global files, the file of `PRAXIS_CONFIG`, project files from the root down,
/// configuration directories (global, home, project from the root down, `PRAXIS_CONFIG_DIR`) with their
/// agents and commands, `PRAXIS_CONFIG_CONTENT`, the extra file, managed files, `PRAXIS_PERMISSION`.
///
/// A project that is not trusted with all it wants only narrows; what it wants is told in [`Loaded::wants`]. What
/// managed configuration says about the sandbox can only be tightened.
///
/// # Errors
///
/// Any source that cannot be used makes the whole fail, because it might hold a rule that denies something;
/// the error lists all of them.
pub fn load(surroundings: &Surroundings, request: &Request) -> Result<Loaded, ConfigError> {
    let ground = Ground::new(&request.worktree);
    let gathered = gather(surroundings, request, &ground, Links::Inside);
    let mut loader = Loader::new(surroundings, request, &ground);
    let (wants, mut looks) = loader.look_through(&gathered);
    let trusted = request.trust.covers(&wants);
    let gathered = if trusted && !gathered.left_out.is_empty() {
        gather(surroundings, request, &ground, Links::Anywhere)
    } else {
        gathered
    };
    let Gathered { mut pieces, sources, .. } = gathered;
    for (index, piece) in pieces.iter_mut().enumerate() {
        if let Content::Findings(findings) = &mut piece.content {
            loader.findings.extend(std::mem::take(findings));
        } else if piece.owner != Owner::Project || trusted {
            loader.whole(piece);
        } else if let Some(Look { node, findings }) = looks.get_mut(index).map(std::mem::take) {
            loader.findings.extend(findings);
            if let Some(node) = node {
                loader.layer(node, piece, Counts::Narrowing);
            }
        }
    }
    loader.finish(Verdict { wants, trusted, sources })
}

/// How much of a layer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// All of it.
    Whole,
    /// It was sifted; its rules and its sandbox are a limit.
    Narrowing,
}

/// What became of the project's wants.
struct Verdict {
    wants: Vec<Want>,
    trusted: bool,
    sources: Vec<Source>,
}

struct Loader<'a> {
    surroundings: &'a Surroundings,
    request: &'a Request,
    ground: &'a Ground,
    checker: Checker,
    findings: Findings,
    merged: Node,
    managed: Node,
    /// The rules and sandbox settings of layers that only narrow.
    narrowing: Node,
    /// The providers, as far as somebody vouches for them.
    vouched: Node,
    /// The variables that are put into them.
    provider_variables: BTreeSet<String>,
}

fn empty() -> Node {
    Node::object(Origin::BuiltIn("defaults"))
}

impl<'a> Loader<'a> {
    fn new(surroundings: &'a Surroundings, request: &'a Request, ground: &'a Ground) -> Self {
        Self {
            surroundings,
            request,
            ground,
            checker: Checker::new(),
            findings: Findings::default(),
            merged: empty(),
            managed: empty(),
            narrowing: empty(),
            vouched: empty(),
            provider_variables: BTreeSet::new(),
        }
    }

    /// What the project's layers want, and what of each counts without trust. Nothing of them is filled in.
    fn look_through(&mut self, gathered: &Gathered) -> (Vec<Want>, Vec<Look>) {
        let own = self.own(gathered);
        let mut sifter = Sifter::new(self.ground, self.surroundings, &own);
        let mut looks = Vec::new();
        for piece in &gathered.pieces {
            let mut findings = Findings::default();
            let node = match &piece.content {
                _ if piece.owner != Owner::Project => Ok(None),
                Content::Findings(_) => Ok(None),
                Content::Node(node) => Ok(sifter.layer(node, &piece.source)),
                Content::Text(text) => unfilled(text)
                    .and_then(|unfilled| jsonc::parse(text, &unfilled, &mut findings))
                    .map(|node| sifter.layer(&node, &text.name)),
            };
            let node = node.unwrap_or_else(|problem| {
                match (&piece.content, &piece.source) {
                    (Content::Text(text), SourceName::File(path)) if !tokens(&text.text).is_empty() => {
                        sifter.whole_file(path, "which cannot be read before it is filled in", &text.text);
                    }
                    // With nothing to fill in, the text is wrong for everybody.
                    _ => findings.problems.push(problem),
                }
                None
            });
            looks.push(Look { node, findings });
        }
        for link in &gathered.left_out {
            let target = crate::owner::real(link).display().to_string();
            sifter.whole_file(link, &format!("a link to {target}"), &target);
        }
        let counting = looks.iter().filter_map(|look| look.node.as_ref()).chain([&own]);
        let configured: Vec<String> = counting.flat_map(instructions_of).collect();
        for link in self.instructions(Some(self.ground), &configured).1 {
            let target = crate::owner::real(&link).display().to_string();
            sifter.whole_file(&link, &format!("instructions, a link to {target}"), &target);
        }
        (sifter.wants(), looks)
    }

    /// The configuration without the project's; what is wrong with it is told when it is laid.
    fn own(&self, gathered: &Gathered) -> Node {
        let mut own = empty();
        if gathered.pieces.iter().all(|piece| piece.owner != Owner::Project) {
            return own;
        }
        for piece in gathered.pieces.iter().filter(|piece| piece.owner != Owner::Project) {
            let node = match &piece.content {
                Content::Findings(_) => None,
                Content::Node(node) => Some(node.clone()),
                Content::Text(text) => self.parse(text, &mut Findings::default()).ok(),
            };
            if let Some(mut node) = node {
                normalise::layer(&mut node, &self.checker, &piece.source, self.surroundings);
                merge(&mut own, node);
            }
        }
        own
    }

    fn instructions(
        &self,
        ground: Option<&Ground>,
        configured: &[String],
    ) -> (Vec<Instruction>, Vec<PathBuf>) {
        let Request { directory, worktree, .. } = self.request;
        Instructions::discover_within(ground, self.surroundings, directory, worktree, configured)
    }

    fn parse(&self, text: &Text, findings: &mut Findings) -> Result<Node, Problem> {
        let base = text.name.directory().unwrap_or(&self.request.directory);
        let substituted = substitute(text, self.surroundings, base)?;
        jsonc::parse(text, &substituted, findings)
    }

    /// Lays a piece over the others with everything in it.
    fn whole(&mut self, piece: &Piece) {
        let mut findings = Findings::default();
        let parsed = match &piece.content {
            Content::Findings(_) => return,
            Content::Node(node) => Ok(node.clone()),
            Content::Text(text) => self.parse(text, &mut findings),
        };
        self.findings.extend(findings);
        self.note_variables(piece);
        match parsed {
            Ok(node) => self.layer(node, piece, Counts::Whole),
            Err(problem) => self.findings.problems.push(problem),
        }
    }

    /// Remembers which variables are put into the configuration of providers.
    fn note_variables(&mut self, piece: &Piece) {
        let Content::Text(text) = &piece.content else { return };
        if !text.text.contains("{env:") {
            return;
        }
        let written =
            unfilled(text).and_then(|unfilled| jsonc::parse(text, &unfilled, &mut Findings::default()));
        if let Some(providers) = written.ok().as_ref().and_then(|node| node.get("provider")) {
            let json = providers.to_json().to_string();
            let named = tokens(&json).into_iter().filter(|(is_variable, _)| *is_variable);
            self.provider_variables.extend(named.map(|(_, name)| name.to_owned()));
        }
    }

    /// Checks one layer and lays it over the others.
    fn layer(&mut self, mut node: Node, piece: &Piece, counts: Counts) {
        let mut found = Findings::default();
        self.checker.check(&node, &mut found);
        self.check_rules(&node, &mut found.problems);
        if found.problems.is_empty() {
            // What the schema cannot say, such as the form of a colour, the types do.
            found.problems.extend(decode(&node).err());
        }
        if piece.is_optional && !found.problems.is_empty() {
            let whole = piece.source.origin(1, 1);
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
        normalise::layer(&mut node, &self.checker, &piece.source, self.surroundings);
        match (counts, piece.owner) {
            (Counts::Narrowing, _) => merge(&mut self.narrowing, limits_of(&mut node)),
            (Counts::Whole, Owner::Managed) => {
                merge(&mut self.managed, node.clone());
                // It lies under the other layers, and above them as a limit.
                if let Some(members) = node.as_object_mut() {
                    members.shift_remove("sandbox");
                }
            }
            (Counts::Whole, Owner::User | Owner::Project) => {}
        }
        if counts == Counts::Whole
            && let Some(providers) = node.get("provider")
        {
            merge(&mut self.vouched, providers.clone().under("provider"));
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

    /// The strictest of what everybody says about the sandbox.
    fn settle_sandbox(&mut self) {
        let managed = self.managed.get("sandbox").cloned();
        let Some(members) = self.merged.as_object_mut() else { return };
        let mut sandbox = members.shift_remove("sandbox");
        if let Some(managed) = &managed {
            let mut below = managed.clone().under("sandbox");
            if let Some(own) = sandbox {
                merge(&mut below, own.under("sandbox"));
            }
            sandbox = strictness::tighten(below.get("sandbox").cloned(), managed);
        }
        if let Some(narrowing) = self.narrowing.get("sandbox") {
            sandbox = strictness::tighten(sandbox, narrowing);
        }
        if let Some(sandbox) = sandbox {
            members.insert("sandbox".into(), sandbox);
        }
    }

    fn finish(mut self, verdict: Verdict) -> Result<Loaded, ConfigError> {
        let Verdict { wants, trusted, sources } = verdict;
        self.settle_sandbox();
        normalise::merged(&mut self.merged, self.surroundings);
        normalise::merged(&mut self.managed, self.surroundings);
        normalise::merged(&mut self.narrowing, self.surroundings);
        let mut problems = std::mem::take(&mut self.findings.problems);
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
        let mut rules = self.rules(&self.merged, &mut problems);
        let managed = self.rules(&self.managed, &mut problems);
        let narrowing = self.rules(&self.narrowing, &mut problems);
        if !problems.is_empty() {
            return Err(ConfigError { problems });
        }
        for (name, agent) in &mut config.agent {
            agent.rules = rules.agents.shift_remove(name).unwrap_or_default();
            agent.name.clone_from(name);
        }
        for (name, command) in &mut config.command {
            command.name.clone_from(name);
        }
        let mut vouched = decode(&self.vouched).unwrap_or_default().vouched();
        for (name, provider) in &mut config.provider {
            let known = vouched.provider.shift_remove(name).unwrap_or_default();
            provider.vouched = known.vouched;
        }
        let ground = Some(self.ground).filter(|_| !trusted);
        let (instructions, _) = self.instructions(ground, &config.instructions);
        Ok(Loaded {
            config,
            rules: rules.rules,
            managed,
            narrowing,
            wants,
            trusted,
            instructions,
            provider_variables: self.provider_variables.into_iter().collect(),
            warnings: self.findings.warnings,
            sources,
            merged: self.merged,
        })
    }

    /// The rules in a tree.
    fn rules(&self, node: &Node, problems: &mut Vec<Problem>) -> RuleSet {
        let home = self.surroundings.home.as_path();
        let mut read = |node: Option<&Node>, path: &str| -> Vec<Rule> {
            node.map_or_else(Vec::new, |node| permission::rules(node, path, home, problems))
        };
        let rules = read(node.get("permission"), "permission");
        let agents = node.get("agent").and_then(Node::as_object).into_iter().flatten();
        let agents = agents.map(|(name, agent)| {
            (name.clone(), read(agent.get("permission"), &format!("agent.{name}.permission")))
        });
        RuleSet { agents: agents.collect(), rules }
    }
}

/// What was seen of a project's piece before it was trusted.
#[derive(Default)]
struct Look {
    /// What counts of it.
    node: Sifted,
    findings: Findings,
}

/// Takes the rules and sandbox settings out of a sifted layer.
fn limits_of(node: &mut Node) -> Node {
    let mut limits = Node::object(node.origin.clone());
    let Some(members) = node.as_object_mut() else { return limits };
    let mut taken: Vec<(String, Node)> = ["permission", "tools", "sandbox"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), members.shift_remove(key)?)))
        .collect();
    if let Some(agents) = members.get_mut("agent").and_then(Node::as_object_mut) {
        for (name, agent) in agents.iter_mut() {
            let Some(fields) = agent.as_object_mut() else { continue };
            for key in ["permission", "tools"] {
                if let Some(rules) = fields.shift_remove(key) {
                    taken.push(("agent".to_owned(), rules.under(key).under(name)));
                }
            }
        }
        agents.retain(|_, agent| agent.as_object().is_none_or(|fields| !fields.is_empty()));
    }
    for (key, value) in taken {
        merge(&mut limits, value.under(&key));
    }
    limits
}

/// The instructions that a tree names.
fn instructions_of(node: &Node) -> Vec<String> {
    match node.get("instructions").map(|node| &node.value) {
        Some(Value::Array(items)) => items.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
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
