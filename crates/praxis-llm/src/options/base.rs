//! What is sent to a provider and a model before anybody has configured anything.

use serde_json::{Map, Value, json};

use super::spelling::ENCRYPTED;
use super::versions;
use super::{Sdk, Subject, Variants, layer, map};

/// Whether and under which name a conversation may be cached.
#[derive(Debug, Clone, Copy)]
pub struct CacheKey<'a> {
    /// The session's id.
    pub session: &'a str,
    /// `setCacheKey` of the provider's options.
    pub wanted: Option<bool>,
}

/// One row: options that hold for whomever they suit.
type Row = fn(&Subject<'_>) -> Option<Value>;

/// Later rows are laid on earlier ones.
const ROWS: &[Row] = &[
    coarse_tool_streaming,
    not_stored,
    usage_of_routers,
    chat_template,
    zai_thinking,
    google_thoughts,
    minimax_thinking,
    kimi_thinking,
    alibaba_thinking,
    gateway_cache,
    gpt_5,
    gpt_5_verbosity,
];

/// The options of an ordinary request.
pub fn base(subject: &Subject<'_>, cache: CacheKey<'_>) -> Map<String, Value> {
    let rows = ROWS.iter().filter_map(|row| row(subject)).chain(cache_key(subject, cache)).map(map);
    layer(&rows.collect::<Vec<_>>())
}

/// The options of a small request, such as for a title: the weakest thinking there is.
pub fn small(subject: &Subject<'_>, variants: &Variants) -> Map<String, Value> {
    let sdk = subject.sdk();
    let weakest = variants.values().next().cloned();
    let own = match sdk {
        Sdk::OpenRouter | Sdk::LlmGateway if weakest.is_none() && subject.is_any(&["google", "gemini"]) => {
            Some(json!({"reasoning": {"enabled": false}}))
        }
        Sdk::Venice => Some(json!({"veniceParameters": {"disableThinking": true}})),
        _ => not_stored(subject),
    };
    layer(&[weakest.unwrap_or_default(), own.map(map).unwrap_or_default()])
}

fn coarse_tool_streaming(subject: &Subject<'_>) -> Option<Value> {
    let foreign = subject.sdk() == Sdk::Anthropic && !subject.is_any(&["claude"]);
    (foreign || subject.sdk() == Sdk::VertexAnthropic).then(|| json!({"toolStreaming": false}))
}

fn not_stored(subject: &Subject<'_>) -> Option<Value> {
    (subject.sdk().is_openai() || subject.sdk() == Sdk::Xai).then(|| json!({"store": false}))
}

fn usage_of_routers(subject: &Subject<'_>) -> Option<Value> {
    if !subject.sdk().is_router() {
        return None;
    }
    if subject.is_any(&["gemini-3"]) {
        return Some(json!({"usage": {"include": true}, "reasoning": {"effort": "high"}}));
    }
    Some(json!({"usage": {"include": true}}))
}

fn chat_template(subject: &Subject<'_>) -> Option<Value> {
    let hosted = subject.provider == "opencode" && subject.is_any(&["kimi-k2-thinking", "glm-4.6"]);
    (hosted || subject.provider == "baseten")
        .then(|| json!({"chat_template_args": {"enable_thinking": true}}))
}

fn zai_thinking(subject: &Subject<'_>) -> Option<Value> {
    let zai = ["zai", "zhipuai"].iter().any(|name| subject.provider.contains(name));
    (zai && subject.sdk() == Sdk::Compatible)
        .then(|| json!({"thinking": {"type": "enabled", "clear_thinking": false}}))
}

fn google_thoughts(subject: &Subject<'_>) -> Option<Value> {
    if !subject.sdk().is_google() || !subject.reasoning {
        return None;
    }
    if subject.is_any(&["gemini-3"]) {
        return Some(json!({"thinkingConfig": {"includeThoughts": true, "thinkingLevel": "high"}}));
    }
    Some(json!({"thinkingConfig": {"includeThoughts": true}}))
}

fn minimax_thinking(subject: &Subject<'_>) -> Option<Value> {
    (subject.sdk() == Sdk::Anthropic && subject.is_any(&["minimax-m3"]))
        .then(|| json!({"thinking": {"type": "adaptive"}}))
}

fn kimi_thinking(subject: &Subject<'_>) -> Option<Value> {
    (subject.sdk() == Sdk::Anthropic && subject.reasoning && subject.is_any(&["kimi", "k2p"]))
        .then(|| json!({"thinking": {"type": "adaptive", "display": "summarized"}, "effort": "high"}))
}

fn alibaba_thinking(subject: &Subject<'_>) -> Option<Value> {
    (subject.provider == "alibaba-cn"
        && subject.sdk() == Sdk::Compatible
        && subject.reasoning
        && !subject.is_any(&["kimi-k2-thinking"]))
    .then(|| json!({"enable_thinking": true}))
}

fn gateway_cache(subject: &Subject<'_>) -> Option<Value> {
    (subject.sdk() == Sdk::Gateway).then(|| json!({"providerOptions": {"gateway": {"caching": "auto"}}}))
}

fn gpt_5(subject: &Subject<'_>) -> Option<Value> {
    if !subject.is_any(&["gpt-5"]) || subject.is_any(&["gpt-5-chat", "gpt-5-pro"]) {
        return None;
    }
    let sdk = subject.sdk();
    if sdk == Sdk::Azure && subject.completion_urls {
        let tunes_itself = versions::gpt(subject.model).is_some_and(|version| version >= (5, 5));
        return (!tunes_itself).then(|| json!({"reasoningEffort": "medium"}));
    }
    let mut options = map(json!({"reasoningEffort": "medium"}));
    if sdk.is_openai() {
        options.insert("reasoningSummary".to_owned(), json!("auto"));
    }
    if matches!(sdk, Sdk::OpenAi | Sdk::Mantle) {
        options.insert("include".to_owned(), json!([ENCRYPTED]));
    }
    Some(Value::Object(options))
}

fn gpt_5_verbosity(subject: &Subject<'_>) -> Option<Value> {
    (subject.is_any(&["gpt-5."]) && !subject.is_any(&["codex", "-chat"]) && subject.sdk() != Sdk::Azure)
        .then(|| json!({"textVerbosity": "low"}))
}

fn cache_key(subject: &Subject<'_>, CacheKey { session, wanted }: CacheKey<'_>) -> Option<Value> {
    if wanted == Some(false) {
        return None;
    }
    match subject.sdk() {
        Sdk::DeepInfra | Sdk::Cerebras => Some(json!({"prompt_cache_key": session})),
        Sdk::OpenAi | Sdk::Azure | Sdk::Xai | Sdk::Mistral | Sdk::Venice => {
            Some(json!({"promptCacheKey": session}))
        }
        _ => (wanted == Some(true)).then(|| json!({"promptCacheKey": session})),
    }
}

#[cfg(test)]
mod tests {
    use super::super::variants::tests::subject;
    use super::*;

    fn of(provider: &str, npm: &str, model: &str) -> Value {
        let subject = Subject { reasoning: true, ..subject(provider, npm, model) };
        base(&subject, CacheKey { session: "ses", wanted: Some(false) }).into()
    }

    #[test]
    fn every_row_of_the_table() {
        let compatible = "@ai-sdk/openai-compatible";
        for (provider, npm, model, expected) in [
            (
                "google-vertex-anthropic",
                "@ai-sdk/google-vertex/anthropic",
                "claude-opus-4-5",
                json!({"toolStreaming": false}),
            ),
            ("anthropic", "@ai-sdk/anthropic", "claude-opus-4-5", json!({})),
            ("minimax", "@ai-sdk/anthropic", "minimax-m2", json!({"toolStreaming": false})),
            (
                "minimax",
                "@ai-sdk/anthropic",
                "MiniMax-M3",
                json!({"toolStreaming": false, "thinking": {"type": "adaptive"}}),
            ),
            (
                "moonshotai",
                "@ai-sdk/anthropic",
                "kimi-k2.5",
                json!({"toolStreaming": false, "thinking": {"type": "adaptive", "display": "summarized"}, "effort": "high"}),
            ),
            ("openai", "@ai-sdk/openai", "gpt-4o", json!({"store": false})),
            ("xai", "@ai-sdk/xai", "grok-4", json!({"store": false})),
            ("openrouter", "@openrouter/ai-sdk-provider", "x/y", json!({"usage": {"include": true}})),
            (
                "openrouter",
                "@openrouter/ai-sdk-provider",
                "google/gemini-3-pro",
                json!({"usage": {"include": true}, "reasoning": {"effort": "high"}}),
            ),
            ("baseten", compatible, "x", json!({"chat_template_args": {"enable_thinking": true}})),
            ("opencode", compatible, "glm-4.6", json!({"chat_template_args": {"enable_thinking": true}})),
            ("opencode", compatible, "glm-5", json!({})),
            (
                "zai-coding-plan",
                compatible,
                "glm-5",
                json!({"thinking": {"type": "enabled", "clear_thinking": false}}),
            ),
            (
                "google",
                "@ai-sdk/google",
                "gemini-2.5-pro",
                json!({"thinkingConfig": {"includeThoughts": true}}),
            ),
            (
                "google",
                "@ai-sdk/google",
                "gemini-3-pro",
                json!({"thinkingConfig": {"includeThoughts": true, "thinkingLevel": "high"}}),
            ),
            ("alibaba-cn", compatible, "qwen3", json!({"enable_thinking": true})),
            ("alibaba-cn", compatible, "kimi-k2-thinking", json!({})),
            ("alibaba", compatible, "qwen3", json!({})),
            (
                "vercel",
                "@ai-sdk/gateway",
                "x/y",
                json!({"providerOptions": {"gateway": {"caching": "auto"}}}),
            ),
            (
                "openai",
                "@ai-sdk/openai",
                "gpt-5",
                json!({"store": false, "reasoningEffort": "medium", "reasoningSummary": "auto", "include": [ENCRYPTED]}),
            ),
            (
                "openai",
                "@ai-sdk/openai",
                "gpt-5.2",
                json!({"store": false, "reasoningEffort": "medium", "reasoningSummary": "auto", "include": [ENCRYPTED], "textVerbosity": "low"}),
            ),
            (
                "openai",
                "@ai-sdk/openai",
                "gpt-5.2-codex",
                json!({"store": false, "reasoningEffort": "medium", "reasoningSummary": "auto", "include": [ENCRYPTED]}),
            ),
            ("openai", "@ai-sdk/openai", "gpt-5-chat-latest", json!({"store": false})),
            ("openai", "@ai-sdk/openai", "gpt-5-pro", json!({"store": false})),
            (
                "azure",
                "@ai-sdk/azure",
                "gpt-5.2",
                json!({"store": false, "reasoningEffort": "medium", "reasoningSummary": "auto"}),
            ),
            (
                "github-copilot",
                compatible,
                "gpt-5",
                json!({"store": false, "reasoningEffort": "medium", "reasoningSummary": "auto"}),
            ),
            ("groq", "@ai-sdk/groq", "llama", json!({})),
        ] {
            assert_eq!(of(provider, npm, model), expected, "{provider} {model}");
        }
    }

    #[test]
    fn azure_with_an_address_for_each_model_gets_less() {
        let of = |model| {
            let subject = Subject { completion_urls: true, ..subject("azure", "@ai-sdk/azure", model) };
            Value::from(base(&subject, CacheKey { session: "s", wanted: Some(false) }))
        };
        assert_eq!(of("gpt-5.2"), json!({"store": false, "reasoningEffort": "medium"}));
        assert_eq!(of("gpt-5.5"), json!({"store": false}));
    }

    #[test]
    fn a_model_that_does_not_think_is_not_asked_to() {
        let plain = subject("google", "@ai-sdk/google", "gemini-3-pro");
        assert_eq!(base(&plain, CacheKey { session: "s", wanted: None }), Map::new());
    }

    #[test]
    fn a_session_is_cached_where_it_helps_or_where_it_is_wished() {
        let key = |npm: &str, wanted| {
            let options = base(&subject("p", npm, "m"), CacheKey { session: "ses", wanted });
            let found =
                ["promptCacheKey", "prompt_cache_key"].into_iter().find(|name| options.contains_key(*name));
            found.unwrap_or("-")
        };
        for npm in
            ["@ai-sdk/openai", "@ai-sdk/azure", "@ai-sdk/xai", "@ai-sdk/mistral", "venice-ai-sdk-provider"]
        {
            assert_eq!([None, Some(false)].map(|w| key(npm, w)), ["promptCacheKey", "-"], "{npm}");
        }
        for npm in ["@ai-sdk/deepinfra", "@ai-sdk/cerebras"] {
            assert_eq!([None, Some(false)].map(|w| key(npm, w)), ["prompt_cache_key", "-"], "{npm}");
        }
        assert_eq!([None, Some(true)].map(|w| key("@ai-sdk/groq", w)), ["-", "promptCacheKey"]);
    }

    #[test]
    fn small_work_thinks_as_little_as_it_can() {
        let of = |provider, npm, model, variants: &[(&str, Value)]| {
            let variants = variants.iter().map(|(name, options)| ((*name).to_owned(), map(options.clone())));
            Value::from(small(&subject(provider, npm, model), &variants.collect()))
        };
        let efforts =
            [("low", json!({"reasoningEffort": "low"})), ("high", json!({"reasoningEffort": "high"}))];
        assert_eq!(
            of("openai", "@ai-sdk/openai", "gpt-5", &efforts),
            json!({"reasoningEffort": "low", "store": false})
        );
        assert_eq!(of("groq", "@ai-sdk/groq", "x", &efforts), json!({"reasoningEffort": "low"}));
        let router = "@openrouter/ai-sdk-provider";
        assert_eq!(of("openrouter", router, "google/gemini", &[]), json!({"reasoning": {"enabled": false}}));
        assert_eq!(of("openrouter", router, "x/y", &[]), json!({}));
        assert_eq!(
            of("venice", "venice-ai-sdk-provider", "x", &[]),
            json!({"veniceParameters": {"disableThinking": true}})
        );
    }
}
