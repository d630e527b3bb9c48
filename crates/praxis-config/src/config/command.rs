//! Slash commands.

use schemars::JsonSchema;
use serde::Deserialize;

/// A slash command: a prompt under a name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CommandConfig {
    /// The command's name: its key in the configuration.
    #[serde(skip)]
    pub name: String,
    /// The prompt, with `$ARGUMENTS` or `$1` where the arguments go.
    pub template: String,
    /// What it does, for lists.
    pub description: Option<String>,
    /// The agent that runs it.
    pub agent: Option<String>,
    /// The model that runs it, as `provider/model`.
    pub model: Option<String>,
    /// The model's variant.
    pub variant: Option<String>,
    /// Run it in a subagent.
    pub subtask: Option<bool>,
}
