//! Which wire format a package stands for, where its server is, and which need more than a key.

use std::fmt;

use crate::options::Sdk;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireKind {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and everything that speaks like it.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Google Gemini.
    Gemini,
}

impl fmt::Display for WireKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anthropic => "anthropic",
            Self::Chat => "openai",
            Self::Responses => "openai-responses",
            Self::Gemini => "google",
        })
    }
}

impl WireKind {
    /// The header that carries the key, and what stands before it.
    pub(super) fn key_header(self, sdk: Sdk) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic => ("x-api-key", ""),
            Self::Gemini => ("x-goog-api-key", ""),
            Self::Chat | Self::Responses if sdk == Sdk::Azure => ("api-key", ""),
            Self::Chat | Self::Responses => ("authorization", "Bearer "),
        }
    }

    /// The format of a model: what it says itself, else what its package speaks.
    pub(super) fn of(sdk: Sdk, provider: &str, model: &str, shape: Option<&str>) -> Self {
        match shape {
            Some("responses") => return Self::Responses,
            Some("completions") => return Self::Chat,
            _ => {}
        }
        match sdk {
            Sdk::Anthropic | Sdk::VertexAnthropic => Self::Anthropic,
            Sdk::Google | Sdk::Vertex => Self::Gemini,
            Sdk::OpenAi | Sdk::Xai | Sdk::Azure | Sdk::Mantle => Self::Responses,
            Sdk::Copilot if is_new_gpt(model) => Self::Responses,
            _ if provider == "meta" => Self::Responses,
            _ => Self::Chat,
        }
    }
}

/// Copilot serves these over the newer format.
fn is_new_gpt(model: &str) -> bool {
    let version = model.strip_prefix("gpt-").and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    version.is_some_and(|version| version >= 5) && !model.contains("mini")
}

/// What a provider needs that we do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsupported {
    /// Amazon's signatures.
    Aws,
    /// Tokens of a Google service account.
    Vertex,
    /// SAP's log-in.
    Sap,
    /// GitLab's log-in.
    GitLab,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (needs, instead) = match self {
            Self::Aws => ("it wants requests signed by AWS", "a gateway that speaks OpenAI's format"),
            Self::Vertex => {
                ("it wants tokens of a Google service account", "the provider `google` with a key")
            }
            Self::Sap => ("it wants SAP's own log-in", "a gateway that speaks OpenAI's format"),
            Self::GitLab => ("it wants GitLab's own log-in", "another provider of the same models"),
        };
        write!(f, "{needs}; use {instead}")
    }
}

impl Unsupported {
    /// Whether a package needs more than a key.
    pub(super) fn of(npm: &str) -> Option<Self> {
        [
            ("@ai-sdk/amazon-bedrock", Self::Aws),
            ("@ai-sdk/google-vertex", Self::Vertex),
            ("sap-ai-provider", Self::Sap),
            ("gitlab-ai-provider", Self::GitLab),
        ]
        .into_iter()
        .find_map(|(package, reason)| npm.contains(package).then_some(reason))
    }
}

/// Servers that the packages know by themselves.
const BY_PACKAGE: &[(&str, &str)] = &[
    ("@ai-sdk/anthropic", "https://api.anthropic.com/v1"),
    ("@ai-sdk/openai", "https://api.openai.com/v1"),
    ("@ai-sdk/google", "https://generativelanguage.googleapis.com/v1beta"),
    ("@ai-sdk/azure", "https://${AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1"),
    ("@ai-sdk/xai", "https://api.x.ai/v1"),
    ("@ai-sdk/mistral", "https://api.mistral.ai/v1"),
    ("@ai-sdk/groq", "https://api.groq.com/openai/v1"),
    ("@ai-sdk/cerebras", "https://api.cerebras.ai/v1"),
    ("@ai-sdk/deepinfra", "https://api.deepinfra.com/v1/openai"),
    ("@ai-sdk/togetherai", "https://api.together.xyz/v1"),
    ("@ai-sdk/cohere", "https://api.cohere.ai/compatibility/v1"),
    ("@ai-sdk/perplexity", "https://api.perplexity.ai"),
    ("@ai-sdk/gateway", "https://ai-gateway.vercel.sh/v1"),
    ("@openrouter/ai-sdk-provider", "https://openrouter.ai/api/v1"),
    ("venice-ai-sdk-provider", "https://api.venice.ai/api/v1"),
];

/// Servers of providers that a catalogue may name without an address.
const BY_PROVIDER: &[(&str, &str)] = &[
    ("baseten", "https://inference.baseten.co/v1"),
    ("deepseek", "https://api.deepseek.com"),
    ("fireworks-ai", "https://api.fireworks.ai/inference/v1"),
    ("github-copilot", "https://api.githubcopilot.com"),
];

/// Where a provider is, if nobody says.
pub(super) fn native_address(npm: &str, provider: &str) -> Option<&'static str> {
    let find = |table: &[(&str, &'static str)], name: &str| {
        table.iter().find(|(known, _)| *known == name).map(|(_, address)| *address)
    };
    find(BY_PACKAGE, npm).or_else(|| find(BY_PROVIDER, provider))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn packages_speak_their_formats() {
        for (npm, provider, model, shape, expected) in [
            ("@ai-sdk/anthropic", "anthropic", "claude", None, WireKind::Anthropic),
            ("@ai-sdk/openai", "openai", "gpt-5", None, WireKind::Responses),
            ("@ai-sdk/xai", "xai", "grok", None, WireKind::Responses),
            ("@ai-sdk/google", "google", "gemini", None, WireKind::Gemini),
            ("@ai-sdk/azure", "azure", "gpt-5", None, WireKind::Responses),
            ("@ai-sdk/azure", "azure", "grok", Some("completions"), WireKind::Chat),
            ("@ai-sdk/openai-compatible", "x", "y", Some("responses"), WireKind::Responses),
            ("@ai-sdk/openai-compatible", "github-copilot", "gpt-5.2", None, WireKind::Responses),
            ("@ai-sdk/openai-compatible", "github-copilot", "gpt-5-mini", None, WireKind::Chat),
            ("@ai-sdk/openai-compatible", "github-copilot", "gpt-4.1", None, WireKind::Chat),
            ("@ai-sdk/openai-compatible", "meta", "llama", None, WireKind::Responses),
            ("something-else", "x", "y", None, WireKind::Chat),
        ] {
            assert_eq!(
                WireKind::of(Sdk::of(npm, provider), provider, model, shape),
                expected,
                "{npm} {model}"
            );
        }
    }

    #[test]
    fn every_provider_of_the_catalogue_has_an_address_or_a_reason() {
        for info in Catalogue::embedded().unwrap().providers() {
            let npm = info.npm.as_deref().unwrap_or_default();
            let reached = info.api.is_some() || native_address(npm, &info.id).is_some();
            assert!(reached || Unsupported::of(npm).is_some(), "{}", info.id);
        }
        assert_eq!(Unsupported::of("@ai-sdk/google-vertex/anthropic"), Some(Unsupported::Vertex));
        assert_eq!(Unsupported::of("@ai-sdk/google"), None);
    }
}
