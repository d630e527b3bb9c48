//! What loading gives: values, rules, and where they come from.

use std::path::PathBuf;

use indexmap::IndexMap;
use praxis_proto::{Origin, Rule};

use crate::config::{AgentConfig, CommandConfig, Config};
use crate::instructions::Instruction;
use crate::node::Node;
use crate::problem::Warning;
use crate::secret;
use crate::trust::Want;

/// The configuration of one project, with everything known about where it comes from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The merged values.
    pub config: Config,
    /// The general rules in order; those of an agent are with the agent.
    pub rules: Vec<Rule>,
    /// The rules of managed configuration alone. They are among the others too; here they are for a ceiling that
    /// nothing can loosen.
    pub managed: RuleSet,
    /// The rules of a project that nobody trusts, for a ceiling: they narrow what the others allow.
    pub narrowing: RuleSet,
    /// What the project's own configuration wants beyond narrowing.
    pub wants: Vec<Want>,
    /// Whether it has what it wants.
    pub trusted: bool,
    /// Where instructions are read from, in order.
    pub instructions: Vec<Instruction>,
    /// Environment variables that the configuration of providers is filled in from: they hold keys.
    pub provider_variables: Vec<String>,
    /// What looks wrong.
    pub warnings: Vec<Warning>,
    /// What was read, the strongest last.
    pub sources: Vec<Source>,
    /// The merged tree, with the place of every value.
    pub merged: Node,
}

/// Rules for everybody and rules for agents by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSet {
    /// For everybody.
    pub rules: Vec<Rule>,
    /// For each agent, behind those for everybody.
    pub agents: IndexMap<String, Vec<Rule>>,
}

impl RuleSet {
    /// The rules that hold for an agent, in order.
    pub fn for_agent(&self, name: &str) -> Vec<Rule> {
        let own = self.agents.get(name).into_iter().flatten();
        self.rules.iter().chain(own).cloned().collect()
    }
}

/// Something configuration was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}

impl Loaded {
    /// The agents by name, each with its own rules.
    pub fn agents(&self) -> &IndexMap<String, AgentConfig> {
        &self.config.agent
    }

    /// The slash commands by name.
    pub fn commands(&self) -> &IndexMap<String, CommandConfig> {
        &self.config.command
    }

    /// Where the value at a path such as `agent.review.temperature` was written.
    pub fn origin_of(&self, path: &str) -> Option<&Origin> {
        self.merged.at(path).map(|node| &node.origin)
    }

    /// What the project's configuration wants and does not have, because nobody trusts it with that.
    pub fn left_out(&self) -> &[Want] {
        if self.trusted { &[] } else { &self.wants }
    }

    /// The merged configuration to show to people, with secrets hidden.
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = self.merged.to_json_hiding(secret::HIDDEN);
        secret::hide(&mut json);
        json
    }
}
