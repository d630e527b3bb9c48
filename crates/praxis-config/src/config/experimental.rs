//! Switches that may change or go.

use schemars::JsonSchema;
use serde::Deserialize;

/// Switches that may change or go.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Experimental {
    /// Show pasted text in full.
    pub disable_paste_summary: Option<bool>,
    /// Offer the `batch` tool, which runs several calls at once.
    pub batch_tool: Option<bool>,
    /// Offer the `todoread` tool.
    pub todoread_tool: Option<bool>,
    /// Offer the `codesearch` tool.
    pub codesearch_tool: Option<bool>,
    /// Offer `apply_patch` instead of `edit` and `write` to every model, or to none (default: by model name).
    pub patch_tool: Option<bool>,
    /// Emit OpenTelemetry spans.
    #[serde(rename = "openTelemetry")]
    pub open_telemetry: Option<bool>,
    /// Tools that subagents never get.
    pub primary_tools: Vec<String>,
    /// Go on after a refused permission instead of stopping.
    pub continue_loop_on_deny: Option<bool>,
    /// How long an MCP request may take, in milliseconds.
    #[schemars(range(min = 1))]
    pub mcp_timeout: Option<u64>,
    /// Which providers may be used.
    pub policies: Vec<Policy>,
}

/// One line about which providers may be used.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Policy {
    /// What the line is about.
    pub action: PolicyAction,
    /// Whether it may happen.
    pub effect: PolicyEffect,
    /// Which providers, as a wildcard.
    pub resource: String,
}

/// What a policy line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum PolicyAction {
    /// Using a provider.
    #[serde(rename = "provider.use")]
    ProviderUse,
}

/// Whether something may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PolicyEffect {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}
