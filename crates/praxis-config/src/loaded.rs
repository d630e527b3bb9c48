//! What loading gives: values, rules, and where they come from.

use std::path::PathBuf;

use indexmap::IndexMap;
use praxis_proto::{Origin, Rule};

use crate::config::{AgentConfig, CommandConfig, Config};
use crate::node::Node;
use crate::problem::Warning;
use crate::secret;

/// The configuration of one project, with everything known about where it comes from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The merged values.
    pub config: Config,
    /// The general rules in order; those of an agent are with the agent.
    pub rules: Vec<Rule>,
    /// The rules of managed configuration alone. They are among the general ones too; here they are for a
    /// ceiling that nothing can loosen.
    pub managed_rules: Vec<Rule>,
    /// What looks wrong.
    pub warnings: Vec<Warning>,
    /// What was read, the strongest last.
    pub sources: Vec<Source>,
    /// The merged tree, with the place of every value.
    pub merged: Node,
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

    /// The merged configuration to show to people, with secrets hidden.
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = self.merged.to_json();
        secret::hide(&mut json);
        json
    }
}
