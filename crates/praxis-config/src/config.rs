//! The typed configuration: every key a file may hold.
//!
//! The doc comments are the descriptions in the published JSON Schema, so they speak to the person who
//! writes a configuration file.

mod agent;
mod command;
mod experimental;
mod language;
mod limits;
mod mcp;
mod permission;
mod provider;
mod reference;
mod sandbox;
mod server;
mod shell;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use agent::{AgentConfig, AgentMode, Color};
pub use command::CommandConfig;
pub use experimental::{Experimental, Policy, PolicyAction, PolicyEffect};
pub use language::{FormatterConfig, Formatters, LspConfig, LspServers};
pub use limits::{Attachment, Compaction, ImageLimits, ToolOutput};
pub use mcp::{
    McpConfig, McpLocal, McpLocalKind, McpOauth, McpOauthSetting, McpRemote, McpRemoteKind, McpToggle,
};
pub use permission::PermissionValue;
pub use provider::{
    Cost, Interleaved, InterleavedField, LongContextCost, Modalities, Modality, ModelConfig, ModelLimit,
    ModelProvider, ModelStatus, ModelVariant, ProviderConfig, ProviderOptions, Timeout,
};
pub use reference::{GitReference, LocalReference, Reference};
pub use sandbox::{Sandbox, SandboxLimits, SandboxMode, SandboxNetwork, SandboxSetting};
pub use server::ServerConfig;
pub use shell::{OnTimeout, ShellEnvironment, ShellTool};

/// A Praxis configuration file (`praxis.json`); `opencode.json` is read alike.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Config {
    /// Address of the JSON Schema, for editors.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// Shell that runs the shell tool's commands and `!` commands.
    pub shell: Option<String>,
    /// How the shell tool runs commands.
    pub shell_tool: ShellTool,
    /// How much is written to the log.
    #[serde(rename = "logLevel")]
    pub log_level: Option<LogLevel>,
    /// The HTTP server.
    pub server: ServerConfig,
    /// Slash commands by name.
    pub command: IndexMap<String, CommandConfig>,
    /// Further places to look for skills.
    pub skills: Skills,
    /// Further directories that may be read, by name.
    pub references: IndexMap<String, Reference>,
    /// Older spelling of `references`.
    pub reference: IndexMap<String, Reference>,
    /// The file watcher.
    pub watcher: Watcher,
    /// Keep snapshots of the project so that changes can be reverted (default true).
    pub snapshot: Option<bool>,
    /// Plugins: a package or path, or a pair of that and its options.
    pub plugin: Vec<Plugin>,
    /// Whether sessions are shared.
    pub share: Option<Share>,
    /// Older spelling of `share: "auto"`.
    pub autoshare: Option<bool>,
    /// Update by itself, never, or only tell (`"notify"`).
    pub autoupdate: Option<AutoUpdate>,
    /// Providers that are never used.
    pub disabled_providers: Option<Vec<String>>,
    /// When present, the only providers that are used.
    pub enabled_providers: Option<Vec<String>>,
    /// The model, as `provider/model`.
    pub model: Option<String>,
    /// The model for small work such as titles, as `provider/model`.
    pub small_model: Option<String>,
    /// The agent a new session starts with; it must be a visible primary agent.
    pub default_agent: Option<String>,
    /// How deep subagents may start subagents (default 1).
    pub subagent_depth: Option<u32>,
    /// The name shown for the user, instead of the system's.
    pub username: Option<String>,
    /// Agents by name; a built-in name changes the built-in agent.
    pub agent: IndexMap<String, AgentConfig>,
    /// Older spelling of primary agents.
    pub mode: IndexMap<String, AgentConfig>,
    /// Model providers by id.
    pub provider: IndexMap<String, ProviderConfig>,
    /// MCP servers by name.
    pub mcp: IndexMap<String, McpConfig>,
    /// Formatters: false for none, true for the built-in ones, or those with changes.
    pub formatter: Option<Formatters>,
    /// Language servers: false for none, true for the built-in ones, or those with changes.
    pub lsp: Option<LspServers>,
    /// Instruction files: paths, globs and URLs.
    pub instructions: Vec<String>,
    /// What tools may do: one action for everything, or actions by permission and pattern; the last match wins.
    pub permission: Option<PermissionValue>,
    /// Older form of `permission`: tool names switched on and off.
    pub tools: IndexMap<String, bool>,
    /// Containment of commands by the system: `off` (the default), `auto` or `required`, or that with settings.
    pub sandbox: Option<SandboxSetting>,
    /// What happens to attached files.
    pub attachment: Attachment,
    /// A self-hosted sharing service.
    pub enterprise: Enterprise,
    /// How much of a tool's output the model sees.
    pub tool_output: ToolOutput,
    /// How a long conversation is shortened.
    pub compaction: Compaction,
    /// Switches that may change or go.
    pub experimental: Experimental,
}

impl Config {
    /// The same where the addresses of providers are the user's own word, for a configuration that no file is behind.
    #[must_use]
    pub fn vouched(mut self) -> Self {
        for provider in self.provider.values_mut() {
            let of_models = provider.models.values().filter_map(|model| model.provider.as_ref()?.api.clone());
            let own = [provider.options.base_url.clone(), provider.api.clone()];
            provider.vouched = own.into_iter().flatten().chain(of_models).collect();
        }
        self
    }
}

/// How much is written to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum LogLevel {
    /// Everything.
    Debug,
    /// What happens.
    Info,
    /// What looks wrong.
    Warn,
    /// What went wrong.
    Error,
}

/// Whether sessions are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// When the user asks for it.
    Manual,
    /// Every session.
    Auto,
    /// Never.
    Disabled,
}

/// What to do about new versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AutoUpdate {
    /// Update, or leave it.
    Switch(bool),
    /// Only tell.
    Word(AutoUpdateWord),
}

/// The one word `autoupdate` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AutoUpdateWord {
    /// Tell about a new version and leave it at that.
    Notify,
}

/// Further places to look for skills.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Skills {
    /// Folders with skills.
    pub paths: Vec<String>,
    /// Addresses of skill indexes.
    pub urls: Vec<String>,
}

/// The file watcher.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Watcher {
    /// Globs of files to leave unwatched.
    pub ignore: Vec<String>,
}

/// A self-hosted sharing service.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Enterprise {
    /// Its address.
    pub url: Option<String>,
}

/// One plugin.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Plugin {
    /// A package, with or without a version, or a path.
    Spec(String),
    /// The same with options for the plugin.
    WithOptions(String, Map<String, Value>),
}

impl Plugin {
    /// The package or path.
    pub fn spec(&self) -> &str {
        match self {
            Self::Spec(spec) | Self::WithOptions(spec, _) => spec,
        }
    }
}
