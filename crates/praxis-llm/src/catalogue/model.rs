//! Providers and models as models.dev tells of them. Fields that are not known are passed over, and what is unknown
//! inside a known field is left out, so that tomorrow's catalogue can be read today.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::Modality;
use crate::cost::Cost;

/// A provider without its models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProviderInfo {
    /// Its id, for example `anthropic`.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// Environment variables that hold its key.
    pub env: Vec<String>,
    /// The package that OpenCode would use; it decides the wire format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub npm: Option<String>,
    /// The address of its API, where the package does not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
}

/// One model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// Its id at the provider.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// The family it belongs to, for example `claude-haiku`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// When it came out, for example `2026-04-02`.
    pub release_date: String,
    /// Whether it takes files beside text.
    pub attachment: bool,
    /// Whether it thinks.
    pub reasoning: bool,
    /// Whether it takes a temperature.
    pub temperature: bool,
    /// Whether it calls tools.
    pub tool_call: bool,
    /// Whether, or in which field, its thoughts are sent back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleaved: Option<Interleaved>,
    /// How its thinking can be tuned; absent is not told.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "known_options")]
    pub reasoning_options: Option<Vec<ReasoningOption>>,
    /// Its prices; absent is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// How much it takes and gives.
    pub limit: Limit,
    /// What it takes and gives.
    pub modalities: Modalities,
    /// Further ways to use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Experimental>,
    /// How finished it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Where it differs from its provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<ModelSource>,
}

/// Whether, or in which field, thoughts are sent back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Interleaved {
    /// Whether.
    Switch(bool),
    /// In which field.
    Name(String),
    /// In which field, in the longer form.
    Field {
        /// Its name.
        field: String,
    },
}

impl Interleaved {
    /// The field, where one is named.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Switch(_) => None,
            Self::Name(field) | Self::Field { field } => Some(field),
        }
    }
}

/// One way to tune thinking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReasoningOption {
    /// Degrees; null is none.
    Effort {
        /// Their names, the weakest first.
        values: Vec<Option<String>>,
    },
    /// A number of tokens.
    BudgetTokens {
        /// The least.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<i64>,
        /// The most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<i64>,
    },
    /// On and off.
    Toggle,
    /// Something we do not know yet.
    #[serde(other)]
    Unknown,
}

fn known_options<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<ReasoningOption>>, D::Error> {
    let options: Option<Vec<Value>> = Option::deserialize(from)?;
    let known = |option: Value| serde_json::from_value(option).ok();
    Ok(options.map(|options| {
        options.into_iter().filter_map(known).filter(|option| *option != ReasoningOption::Unknown).collect()
    }))
}

/// How many tokens a model takes and gives; 0 is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limit {
    /// Input and output together.
    #[serde(deserialize_with = "count")]
    pub context: u64,
    /// Input alone, where it has a limit of its own.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "maybe_count")]
    pub input: Option<u64>,
    /// Output alone.
    #[serde(deserialize_with = "count")]
    pub output: u64,
}

/// A count may be written as 1e6; the conversion saturates at both ends.
fn count<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Option::<f64>::deserialize(from).map(|count| count.unwrap_or_default() as u64)
}

fn maybe_count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    Option::<f64>::deserialize(from).map(|count| count.map(|count| count as u64))
}

/// What a model takes and gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Modalities {
    /// What it takes.
    #[serde(serialize_with = "write_kinds", deserialize_with = "read_kinds")]
    pub input: Vec<Modality>,
    /// What it gives.
    #[serde(serialize_with = "write_kinds", deserialize_with = "read_kinds")]
    pub output: Vec<Modality>,
}

impl Default for Modalities {
    fn default() -> Self {
        Self { input: vec![Modality::Text], output: vec![Modality::Text] }
    }
}

const KINDS: &[(Modality, &str)] = &[
    (Modality::Text, "text"),
    (Modality::Image, "image"),
    (Modality::Audio, "audio"),
    (Modality::Video, "video"),
    (Modality::Pdf, "pdf"),
];

/// The name of a kind of content.
pub fn kind_name(kind: Modality) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("text", |(_, name)| name)
}

fn write_kinds<S: Serializer>(kinds: &[Modality], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(kinds.iter().map(|kind| kind_name(*kind)))
}

fn read_kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Modality>, D::Error> {
    let names: Vec<String> = Vec::deserialize(from)?;
    let known = |name: &String| KINDS.iter().find(|(_, known)| known == name).map(|(kind, _)| *kind);
    Ok(names.iter().filter_map(known).collect())
}

/// Further ways to use a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Experimental {
    /// By name; each becomes a model of its own.
    pub modes: BTreeMap<String, Mode>,
}

/// A way to use a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mode {
    /// Its prices, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// What is sent for it.
    pub provider: ModelSource,
}

/// How finished a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// An early trial.
    Alpha,
    /// A late trial.
    Beta,
    /// Soon gone.
    Deprecated,
    /// In use, or something we do not know yet.
    #[serde(other)]
    Active,
}

/// Where a model differs from its provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSource {
    /// Its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub npm: Option<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// Which of OpenAI's two formats it speaks: `responses` or `completions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// What its requests hold beside the rest.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
    /// What its headers hold beside the rest.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_tomorrow_adds_is_passed_over() {
        let model: Model = serde_json::from_value(json!({
            "id": "m", "name": "M", "release_date": "2030", "surprise": {"a": 1},
            "status": "retired", "limit": {"context": 1e6, "output": -1, "thought": 2},
            "modalities": {"input": ["text", "smell"], "output": ["text"]},
            "reasoning_options": [{"type": "telepathy"}, {"type": "toggle"}, {"type": "effort", "values": [null, "low"]}, 7],
            "cost": {"input": 1, "output": 2, "per_smile": 3},
        }))
        .unwrap();
        assert_eq!(model.status, Some(Status::Active));
        assert_eq!(model.limit, Limit { context: 1_000_000, input: None, output: 0 });
        assert_eq!(model.modalities.input, [Modality::Text]);
        let efforts = ReasoningOption::Effort { values: vec![None, Some("low".into())] };
        assert_eq!(model.reasoning_options, Some(vec![ReasoningOption::Toggle, efforts]));
    }

    #[test]
    fn a_model_of_which_nothing_is_told_reads_and_writes_text() {
        let model: Model = serde_json::from_str("{}").unwrap();
        assert_eq!(model, Model::default());
        assert_eq!(model.modalities.input, [Modality::Text]);
    }
}
