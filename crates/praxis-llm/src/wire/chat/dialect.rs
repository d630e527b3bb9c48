//! How the servers of the family differ, as data.

use crate::Target;
use crate::wire::call_ids::Form;

/// A server, or a group of servers with the same ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    OpenAi,
    Azure,
    Copilot,
    OpenRouter,
    DeepSeek,
    Moonshot,
    Mistral,
    Groq,
    XAi,
    Cerebras,
    Together,
    Alibaba,
    Ollama,
    LmStudio,
    LlamaCpp,
    Vllm,
    /// Any other that says it is compatible.
    Other,
}

/// Where earlier thoughts go in an assistant message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Thoughts {
    /// Nowhere: the server refuses or ignores them.
    Nowhere,
    /// Into a field of the message. `always`: also when there are none.
    Field { name: String, always: bool },
    /// OpenRouter's details with their signatures; `reasoning` where there are only words.
    Details { always: bool },
    /// Mistral's pieces of content.
    Pieces,
}

/// How effort is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// `reasoning_effort`.
    Plain,
    /// `reasoning.effort`.
    Nested,
}

/// Which form of schema the server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    AsIs,
    OpenAi,
    Moonshot,
    Gemini,
}

/// The ways of one server with one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) server: Server,
    pub(crate) thoughts: Thoughts,
    pub(crate) effort: Effort,
    pub(crate) schema: Schema,
    pub(crate) ids: Form,
    /// The name of the field for the longest answer.
    pub(crate) limit: &'static str,
    /// Who speaks the system text.
    pub(crate) system: &'static str,
    /// The name of the mark behind what is to be cached, where marks are wanted.
    pub(crate) mark: Option<&'static str>,
    /// Body fields that the server refuses.
    pub(crate) refused: &'static [&'static str],
    /// What the server calls "use at least one tool".
    pub(crate) required: &'static str,
    /// Whether the server knows `json_schema`, or only `json_object`.
    pub(crate) shaped_answers: bool,
    /// Whether functions carry `strict`.
    pub(crate) strict: bool,
    /// Whether a note may stand between messages as a system message.
    pub(crate) notes: bool,
    /// Whether a user message may not follow a tool message.
    pub(crate) bridged: bool,
    /// Whether words are chosen by the model alone, so that `temperature` and `top_p` are refused.
    pub(crate) fixed_sampling: bool,
}

impl Server {
    fn of(target: &Target) -> Self {
        let by_package = match target.npm.as_str() {
            "@ai-sdk/openai" => Some(Self::OpenAi),
            "@ai-sdk/azure" => Some(Self::Azure),
            "@ai-sdk/github-copilot" => Some(Self::Copilot),
            "@openrouter/ai-sdk-provider" => Some(Self::OpenRouter),
            "@ai-sdk/deepseek" => Some(Self::DeepSeek),
            "@ai-sdk/mistral" => Some(Self::Mistral),
            "@ai-sdk/groq" => Some(Self::Groq),
            "@ai-sdk/xai" => Some(Self::XAi),
            "@ai-sdk/cerebras" => Some(Self::Cerebras),
            "@ai-sdk/togetherai" => Some(Self::Together),
            "@ai-sdk/alibaba" => Some(Self::Alibaba),
            _ => None,
        };
        if let Some(server) = by_package {
            return server;
        }
        match target.provider.as_str() {
            "openai" => Self::OpenAi,
            "azure" | "azure-cognitive-services" => Self::Azure,
            "github-copilot" | "github-copilot-enterprise" => Self::Copilot,
            "openrouter" => Self::OpenRouter,
            "deepseek" => Self::DeepSeek,
            "moonshotai" | "moonshotai-cn" | "moonshot" | "kimi-for-coding" => Self::Moonshot,
            "mistral" => Self::Mistral,
            "groq" => Self::Groq,
            "xai" => Self::XAi,
            "cerebras" => Self::Cerebras,
            "togetherai" | "together" => Self::Together,
            "ollama" | "ollama-cloud" => Self::Ollama,
            "lmstudio" => Self::LmStudio,
            "llama.cpp" | "llamacpp" | "llama-cpp" => Self::LlamaCpp,
            "vllm" => Self::Vllm,
            _ => Self::Other,
        }
    }

    /// Fields that the server answers with an error.
    fn refused(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::Azure | Self::Copilot => &["top_k"],
            Self::Mistral => &[
                "stream_options",
                "top_k",
                "store",
                "verbosity",
                "user",
                "logit_bias",
                "service_tier",
                "logprobs",
            ],
            Self::Groq => {
                &["top_k", "store", "verbosity", "logit_bias", "logprobs", "top_logprobs", "prompt_cache_key"]
            }
            Self::XAi => &["top_k", "verbosity", "logit_bias", "prompt_cache_retention"],
            Self::Cerebras => {
                &["top_k", "store", "verbosity", "logit_bias", "frequency_penalty", "presence_penalty"]
            }
            Self::DeepSeek => &["top_k", "store", "verbosity", "prompt_cache_key", "parallel_tool_calls"],
            Self::Moonshot => &["top_k", "store", "verbosity"],
            Self::Other => &["top_k"],
            Self::OpenRouter | Self::Together | Self::Alibaba => &[],
            Self::Ollama | Self::LmStudio | Self::LlamaCpp | Self::Vllm => &[],
        }
    }
}

impl Dialect {
    /// The ways of a target.
    pub(crate) fn of(target: &Target) -> Self {
        let server = Server::of(target);
        let model = target.model.to_lowercase();
        let openai = matches!(server, Server::OpenAi | Server::Azure);
        let thinker = target.reasoning && (openai || server == Server::Copilot) && !model.contains("claude");
        let mistral = server == Server::Mistral || is_mistral(&model);
        Self {
            server,
            thoughts: thoughts(server, target, &model),
            effort: if server == Server::OpenRouter { Effort::Nested } else { Effort::Plain },
            schema: schema(server, &model),
            ids: ids(server, mistral, &model),
            limit: if thinker && openai { "max_completion_tokens" } else { "max_tokens" },
            system: if thinker && openai { "developer" } else { "system" },
            mark: mark(server, target, &model),
            refused: server.refused(),
            required: if server == Server::Mistral { "any" } else { "required" },
            shaped_answers: !matches!(server, Server::DeepSeek | Server::Moonshot),
            strict: openai,
            notes: openai,
            bridged: mistral,
            fixed_sampling: thinker && openai,
        }
    }
}

fn thoughts(server: Server, target: &Target, model: &str) -> Thoughts {
    let deepseek = server == Server::DeepSeek || model.contains("deepseek");
    if let Some(name) = &target.interleaved
        && server != Server::OpenRouter
    {
        return Thoughts::Field { name: name.clone(), always: true };
    }
    let field = |name: &str, always| Thoughts::Field { name: name.to_owned(), always };
    match server {
        Server::OpenRouter => Thoughts::Details { always: deepseek },
        Server::OpenAi | Server::Azure => Thoughts::Nowhere,
        Server::Mistral if target.reasoning => Thoughts::Pieces,
        Server::Mistral => Thoughts::Nowhere,
        // These name every field that they do not know in an error, and this one too for a model that does not think.
        Server::Groq | Server::Cerebras if target.reasoning => field("reasoning", false),
        Server::Groq | Server::Cerebras => Thoughts::Nowhere,
        Server::Ollama | Server::Together => field("reasoning", deepseek),
        Server::Copilot => field("reasoning_text", false),
        Server::DeepSeek
        | Server::Moonshot
        | Server::XAi
        | Server::Alibaba
        | Server::LmStudio
        | Server::LlamaCpp
        | Server::Vllm
        | Server::Other => field("reasoning_content", deepseek),
    }
}

fn schema(server: Server, model: &str) -> Schema {
    if matches!(server, Server::OpenAi | Server::Azure) {
        return Schema::OpenAi;
    }
    if server == Server::Moonshot || model.contains("kimi") || model.contains("moonshot") {
        return Schema::Moonshot;
    }
    if model.contains("gemini") {
        return Schema::Gemini;
    }
    Schema::AsIs
}

fn ids(server: Server, mistral: bool, model: &str) -> Form {
    /// OpenAI's own limit, which others have copied.
    const LONGEST: usize = 40;
    if mistral {
        return Form::Nine;
    }
    if model.contains("claude") {
        return Form::Word;
    }
    match server {
        Server::OpenAi | Server::Azure | Server::Copilot => Form::UpTo(LONGEST),
        _ => Form::UpTo(usize::MAX),
    }
}

fn is_mistral(model: &str) -> bool {
    ["mistral", "devstral", "codestral", "pixtral", "mixtral"].iter().any(|family| model.contains(family))
}

/// Servers in front of Claude cache only what is marked; Alibaba's own models are like that as well.
fn mark(server: Server, target: &Target, model: &str) -> Option<&'static str> {
    let claude =
        model.contains("claude") || model.contains("anthropic") || target.provider.contains("anthropic");
    if target.npm == "@ai-sdk/gateway" || !(claude || server == Server::Alibaba) {
        return None;
    }
    match server {
        Server::Copilot => Some("copilot_cache_control"),
        Server::OpenRouter | Server::Alibaba | Server::Other => Some("cache_control"),
        _ => None,
    }
}
