//! Formatters and language servers.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Which formatters run after an edit.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Formatters {
    /// None, or the built-in ones.
    Switch(bool),
    /// The built-in ones with these changes, by name.
    Each(IndexMap<String, FormatterConfig>),
}

/// One formatter.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct FormatterConfig {
    /// Leave it out.
    pub disabled: Option<bool>,
    /// Program and arguments; `$FILE` stands for the file.
    pub command: Option<Vec<String>>,
    /// Environment variables for it.
    pub environment: IndexMap<String, String>,
    /// File name endings it is for, with the dot.
    pub extensions: Option<Vec<String>>,
}

/// Which language servers run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LspServers {
    /// None, or the built-in ones.
    Switch(bool),
    /// The built-in ones with these changes, by name.
    Each(IndexMap<String, LspConfig>),
}

/// One language server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct LspConfig {
    /// Leave it out.
    pub disabled: Option<bool>,
    /// Program and arguments.
    pub command: Option<Vec<String>>,
    /// File name endings it is for, with the dot.
    pub extensions: Option<Vec<String>>,
    /// Environment variables for it.
    pub env: IndexMap<String, String>,
    /// Its initialization options.
    pub initialization: Option<Map<String, Value>>,
}
