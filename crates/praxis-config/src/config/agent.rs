//! Agents: a prompt, a model, rules and a mode under a name.

use indexmap::IndexMap;
use praxis_proto::Rule;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::PermissionValue;

/// One agent. Fields that are not listed are passed to the model provider as `options`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("additionalProperties" = true))]
pub struct AgentConfig {
    /// The agent's name: its key in the configuration.
    #[serde(skip)]
    pub name: String,
    /// The model, as `provider/model`.
    pub model: Option<String>,
    /// The model's variant, used only with the model set here.
    pub variant: Option<String>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// The system prompt.
    pub prompt: Option<String>,
    /// When to use this agent; other agents read it.
    pub description: Option<String>,
    /// Whether people, other agents or both may start it (default `all`).
    pub mode: Option<AgentMode>,
    /// Leave it out of lists.
    pub hidden: Option<bool>,
    /// `#rrggbb` or a theme colour.
    pub color: Option<Color>,
    /// After how many steps it must answer in text.
    #[schemars(range(min = 1))]
    pub steps: Option<u32>,
    /// Older spelling of `steps`.
    #[serde(rename = "maxSteps")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// Further options for the model provider.
    pub options: Map<String, Value>,
    /// Remove the agent.
    pub disable: Option<bool>,
    /// What the agent's tools may do; comes after the general rules.
    pub permission: Option<PermissionValue>,
    /// Older form of `permission`: tool names switched on and off.
    pub tools: IndexMap<String, bool>,
    /// The agent's own rules in order, from `permission` and `tools`.
    #[serde(skip)]
    pub rules: Vec<Rule>,
}

/// Who may start an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentMode {
    /// People.
    Primary,
    /// Other agents.
    Subagent,
    /// Both.
    All,
}

/// A colour: `#rrggbb` or a name of the theme.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Color(String);

impl Color {
    const THEME: [&str; 7] = ["primary", "secondary", "accent", "success", "warning", "error", "info"];

    /// The colour as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Color {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let hex = text
            .strip_prefix('#')
            .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
        if hex || Self::THEME.contains(&text.as_str()) {
            return Ok(Self(text));
        }
        Err(format!("expected a colour such as `#ff8800` or one of {}", Self::THEME.join(", ")))
    }
}

impl JsonSchema for Color {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Color".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A colour: `#rrggbb` or a name of the theme.",
            "pattern": format!("^(#[0-9a-fA-F]{{6}}|{})$", Self::THEME.join("|")),
        })
    }
}
