//! MCP servers.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

/// One MCP server: a local program, a remote address, or a switch for one configured elsewhere.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum McpConfig {
    /// A program on this machine.
    Local(McpLocal),
    /// A server on the network.
    Remote(McpRemote),
    /// A switch for a server that another file describes.
    Toggle(McpToggle),
}

/// A program on this machine, spoken to over its standard input and output.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct McpLocal {
    /// `local`.
    #[serde(rename = "type")]
    pub kind: McpLocalKind,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Where it runs (default: the project).
    pub cwd: Option<String>,
    /// Environment variables for it.
    #[serde(default)]
    pub environment: IndexMap<String, String>,
    /// Whether it is started (default true).
    pub enabled: Option<bool>,
    /// How long a request may take, in milliseconds.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
}

/// The word that marks a local server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum McpLocalKind {
    /// A program on this machine.
    Local,
}

/// A server on the network.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct McpRemote {
    /// `remote`.
    #[serde(rename = "type")]
    pub kind: McpRemoteKind,
    /// Its address.
    pub url: String,
    /// Whether it is connected (default true).
    pub enabled: Option<bool>,
    /// Headers sent with every request.
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    /// How to log in, or false for never.
    pub oauth: Option<McpOauthSetting>,
    /// How long a request may take, in milliseconds.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
}

/// The word that marks a remote server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum McpRemoteKind {
    /// A server on the network.
    Remote,
}

/// How to log in, or false for never.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum McpOauthSetting {
    /// False for never; true is the default, to find out.
    Switch(bool),
    /// With these settings.
    With(McpOauth),
}

/// How to log in to a remote server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct McpOauth {
    /// The client id, where it is not registered by itself.
    pub client_id: Option<String>,
    /// The client secret.
    pub client_secret: Option<String>,
    /// The scopes to ask for.
    pub scope: Option<String>,
    /// The port of the local callback.
    #[schemars(range(min = 1))]
    pub callback_port: Option<u16>,
    /// The address of the callback, where it is not local.
    pub redirect_uri: Option<String>,
}

/// A switch for a server that another file describes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct McpToggle {
    /// Whether it is used.
    pub enabled: bool,
}
