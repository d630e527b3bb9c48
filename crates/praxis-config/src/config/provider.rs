//! Model providers and their models.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One model provider.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The address of its API.
    pub api: Option<String>,
    /// The name shown to people.
    pub name: Option<String>,
    /// Environment variables that hold its key.
    pub env: Option<Vec<String>>,
    /// Its id, where it differs from the key in this map.
    pub id: Option<String>,
    /// The SDK package whose wire format it speaks.
    pub npm: Option<String>,
    /// When present, the only models offered.
    pub whitelist: Option<Vec<String>>,
    /// Models that are not offered.
    pub blacklist: Option<Vec<String>>,
    /// Key, address, timeouts and whatever else the provider takes.
    pub options: ProviderOptions,
    /// Models by id, new or changed.
    pub models: IndexMap<String, ModelConfig>,
    /// The addresses that the user, managed configuration or a trusted project names: a key that comes from elsewhere
    /// goes to these, or to the provider's own.
    #[serde(skip)]
    pub vouched: Vec<String>,
}

/// Options of a provider; fields that are not listed are passed on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
pub struct ProviderOptions {
    /// The key; better as `{env:NAME}` or `{file:path}`.
    pub api_key: Option<String>,
    /// The address of the API.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
    /// The address of an enterprise instance, for log-in.
    pub enterprise_url: Option<String>,
    /// Send a cache key with every request.
    pub set_cache_key: Option<bool>,
    /// How long a whole request may take, in milliseconds, or false for any time.
    pub timeout: Option<Timeout>,
    /// How long to wait for the answer to begin, in milliseconds, or false for any time.
    pub header_timeout: Option<Timeout>,
    /// How long to wait between pieces of a streamed answer, in milliseconds, or false for any time.
    pub chunk_timeout: Option<Timeout>,
    /// The options that are not listed above, as written.
    #[serde(flatten)]
    #[schemars(skip)]
    pub other: Map<String, Value>,
}

/// Milliseconds, or false for any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Timeout {
    /// False for any time; true is the default.
    Switch(bool),
    /// Milliseconds.
    Milliseconds(u64),
}

/// One model of a provider.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelConfig {
    /// The id the provider knows, where it differs from the key in this map.
    pub id: Option<String>,
    /// The name shown to people.
    pub name: Option<String>,
    /// The family of models it belongs to.
    pub family: Option<String>,
    /// When it was released.
    pub release_date: Option<String>,
    /// Whether it takes attachments.
    pub attachment: Option<bool>,
    /// Whether it thinks before it answers.
    pub reasoning: Option<bool>,
    /// Whether it takes a temperature.
    pub temperature: Option<bool>,
    /// Whether it calls tools.
    pub tool_call: Option<bool>,
    /// Whether, or in which field, its thinking is sent back.
    pub interleaved: Option<Interleaved>,
    /// Prices in dollars for a million tokens.
    pub cost: Option<Cost>,
    /// How many tokens it takes.
    pub limit: Option<ModelLimit>,
    /// What it takes and gives.
    pub modalities: Option<Modalities>,
    /// Whether the model itself is experimental.
    pub experimental: Option<bool>,
    /// How finished the model is.
    pub status: Option<ModelStatus>,
    /// The SDK package and address for this model alone.
    pub provider: Option<ModelProvider>,
    /// Options sent with every request.
    pub options: Map<String, Value>,
    /// Headers sent with every request.
    pub headers: IndexMap<String, String>,
    /// Named sets of options, such as degrees of thinking.
    pub variants: IndexMap<String, ModelVariant>,
}

/// Whether, or in which field, a model's thinking is sent back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Interleaved {
    /// Whether.
    Switch(bool),
    /// In which field.
    Name(String),
    /// In which field, in the longer form.
    Field(InterleavedField),
}

/// The field that carries a model's thinking.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InterleavedField {
    /// Its name.
    pub field: String,
}

/// Prices in dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Cost {
    /// Input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the cache.
    pub cache_read: Option<f64>,
    /// Input written to the cache.
    pub cache_write: Option<f64>,
    /// Prices above 200,000 tokens of context.
    pub context_over_200k: Option<LongContextCost>,
}

/// Prices above 200,000 tokens of context.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LongContextCost {
    /// Input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the cache.
    pub cache_read: Option<f64>,
    /// Input written to the cache.
    pub cache_write: Option<f64>,
}

/// How many tokens a model takes.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelLimit {
    /// Input and output together.
    pub context: f64,
    /// Input alone.
    pub input: Option<f64>,
    /// Output alone.
    pub output: f64,
}

/// What a model takes and gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Modalities {
    /// What it takes.
    pub input: Option<Vec<Modality>>,
    /// What it gives.
    pub output: Option<Vec<Modality>>,
}

/// One kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Modality {
    /// Text.
    Text,
    /// Sound.
    Audio,
    /// Pictures.
    Image,
    /// Moving pictures.
    Video,
    /// PDF documents.
    Pdf,
}

/// How finished a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelStatus {
    /// An early trial.
    Alpha,
    /// A late trial.
    Beta,
    /// Soon gone.
    Deprecated,
    /// In use.
    Active,
}

/// The SDK package and address for one model alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelProvider {
    /// The SDK package whose wire format it speaks.
    pub npm: Option<String>,
    /// The address of its API.
    pub api: Option<String>,
}

/// A named set of options; fields that are not listed are the options.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("additionalProperties" = true))]
pub struct ModelVariant {
    /// Leave it out.
    pub disabled: Option<bool>,
    /// The options.
    #[serde(flatten)]
    #[schemars(skip)]
    pub options: Map<String, Value>,
}
