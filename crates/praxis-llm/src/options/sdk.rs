//! The dialects that options are written in, each after the package that OpenCode would use.

/// Whose spelling and defaults hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sdk {
    /// OpenAI itself.
    OpenAi,
    /// OpenAI's models at Azure.
    Azure,
    /// GitHub Copilot.
    Copilot,
    /// OpenAI's formats at Bedrock.
    Mantle,
    /// xAI.
    Xai,
    /// Anthropic's format.
    Anthropic,
    /// Anthropic's models at Vertex.
    VertexAnthropic,
    /// Bedrock.
    Bedrock,
    /// Google's format.
    Google,
    /// Google's models at Vertex.
    Vertex,
    /// OpenRouter.
    OpenRouter,
    /// LLM gateway, which speaks like OpenRouter.
    LlmGateway,
    /// Vercel's gateway.
    Gateway,
    /// Groq.
    Groq,
    /// Mistral.
    Mistral,
    /// Cohere.
    Cohere,
    /// Perplexity.
    Perplexity,
    /// Cerebras.
    Cerebras,
    /// Together.
    Together,
    /// DeepInfra.
    DeepInfra,
    /// Venice.
    Venice,
    /// Everything else that speaks like OpenAI's chat completions.
    Compatible,
}

const PACKAGES: &[(&str, Sdk)] = &[
    ("@ai-sdk/openai", Sdk::OpenAi),
    ("@ai-sdk/azure", Sdk::Azure),
    ("@ai-sdk/github-copilot", Sdk::Copilot),
    ("@ai-sdk/amazon-bedrock/mantle", Sdk::Mantle),
    ("@ai-sdk/xai", Sdk::Xai),
    ("@ai-sdk/anthropic", Sdk::Anthropic),
    ("@ai-sdk/google-vertex/anthropic", Sdk::VertexAnthropic),
    ("@ai-sdk/amazon-bedrock", Sdk::Bedrock),
    ("@ai-sdk/google", Sdk::Google),
    ("@ai-sdk/google-vertex", Sdk::Vertex),
    ("@openrouter/ai-sdk-provider", Sdk::OpenRouter),
    ("@llmgateway/ai-sdk-provider", Sdk::LlmGateway),
    ("@ai-sdk/gateway", Sdk::Gateway),
    ("@ai-sdk/groq", Sdk::Groq),
    ("@ai-sdk/mistral", Sdk::Mistral),
    ("@ai-sdk/cohere", Sdk::Cohere),
    ("@ai-sdk/perplexity", Sdk::Perplexity),
    ("@ai-sdk/cerebras", Sdk::Cerebras),
    ("@ai-sdk/togetherai", Sdk::Together),
    ("@ai-sdk/deepinfra", Sdk::DeepInfra),
    ("venice-ai-sdk-provider", Sdk::Venice),
];

impl Sdk {
    /// The dialect of a package, at a provider.
    pub fn of(npm: &str, provider: &str) -> Self {
        if provider.starts_with("github-copilot") {
            return Self::Copilot;
        }
        PACKAGES.iter().find(|(package, _)| *package == npm).map_or(Self::Compatible, |(_, sdk)| *sdk)
    }

    /// Whether options are OpenAI's own.
    pub(super) fn is_openai(self) -> bool {
        matches!(self, Self::OpenAi | Self::Azure | Self::Copilot | Self::Mantle)
    }

    pub(super) fn is_anthropic(self) -> bool {
        matches!(self, Self::Anthropic | Self::VertexAnthropic)
    }

    pub(super) fn is_google(self) -> bool {
        matches!(self, Self::Google | Self::Vertex)
    }

    /// Whether thinking is set under `reasoning`.
    pub(super) fn is_router(self) -> bool {
        matches!(self, Self::OpenRouter | Self::LlmGateway)
    }
}
