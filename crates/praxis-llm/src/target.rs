//! Whom a request is for.

/// A kind of input or output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Modality {
    /// Text.
    Text,
    /// Pictures.
    Image,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
    /// PDF documents.
    Pdf,
}

/// What lowering must know about the model and the server that a request is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The provider's id, for example `openrouter`.
    pub provider: String,
    /// The package that OpenCode would use, for example `@ai-sdk/openai-compatible`; it decides dialects.
    pub npm: String,
    /// The model's id in the catalogue, which decides family quirks.
    pub model: String,
    /// The model's id on the wire.
    pub wire_model: String,
    /// What the model takes.
    pub input: Vec<Modality>,
    /// Whether it thinks.
    pub reasoning: bool,
    /// The message field in which earlier thoughts are sent back, for chat completions.
    pub interleaved: Option<String>,
    /// The most it can answer; 0 is unknown.
    pub output_limit: u64,
}
