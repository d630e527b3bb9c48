//! One wish, many spellings: how each dialect is told to think harder, within a budget, or not at all.

use serde_json::{Map, Value, json};

use super::versions::{self, Version};
use super::{Sdk, Subject, map};

/// From this version on Claude decides itself how much to think.
pub(super) const ADAPTIVE: Version = (4, 6);
/// From this version on it has to be told to show it.
pub(super) const SUMMARISED: Version = (4, 7);
/// The budget for a Claude that has both degrees and budgets.
const CLAUDE_BUDGET: u64 = 16_000;
/// What brings OpenAI's thoughts back in a form that can be sent again.
pub(super) const ENCRYPTED: &str = "reasoning.encrypted_content";

/// A degree of thinking.
pub(super) fn effort(subject: &Subject<'_>, degree: &str) -> Map<String, Value> {
    let sdk = subject.sdk();
    if sdk.is_anthropic() {
        return claude_effort(subject, degree);
    }
    map(match sdk {
        Sdk::OpenAi | Sdk::Mantle | Sdk::Azure => {
            json!({"reasoningEffort": degree, "reasoningSummary": "auto", "include": [ENCRYPTED]})
        }
        Sdk::Copilot => json!({"reasoningEffort": degree, "reasoningSummary": "auto"}),
        Sdk::Google | Sdk::Vertex => {
            json!({"thinkingConfig": {"includeThoughts": true, "thinkingLevel": degree}})
        }
        Sdk::OpenRouter | Sdk::LlmGateway | Sdk::Gateway => json!({"reasoning": {"effort": degree}}),
        Sdk::Bedrock => json!({"reasoningConfig": {"type": "enabled", "maxReasoningEffort": degree}}),
        _ => json!({"reasoningEffort": degree}),
    })
}

fn claude_effort(subject: &Subject<'_>, degree: &str) -> Map<String, Value> {
    let version = versions::claude(subject.model);
    map(match (degree, version) {
        ("none", _) => json!({"thinking": {"type": "disabled"}}),
        (_, Some(version)) if version >= SUMMARISED => {
            json!({"thinking": {"type": "adaptive", "display": "summarized"}, "effort": degree})
        }
        (_, Some(version)) if version < ADAPTIVE => {
            let budget = json!({"type": "enabled", "budgetTokens": claude_budget(subject)});
            json!({"thinking": budget, "effort": degree})
        }
        _ => json!({"thinking": {"type": "adaptive"}, "effort": degree}),
    })
}

/// Half of the answer at most, so that there is room for what was thought about.
pub(super) fn claude_budget(subject: &Subject<'_>) -> u64 {
    match subject.output_limit {
        0 => CLAUDE_BUDGET,
        limit => CLAUDE_BUDGET.min((limit / 2).saturating_sub(1)),
    }
}

/// A number of tokens to think with; `None` where no spelling for it is known.
pub(super) fn budget(subject: &Subject<'_>, tokens: u64) -> Option<Map<String, Value>> {
    Some(map(match subject.sdk() {
        Sdk::Anthropic | Sdk::VertexAnthropic => {
            json!({"thinking": {"type": "enabled", "budgetTokens": tokens}})
        }
        Sdk::Bedrock => json!({"reasoningConfig": {"type": "enabled", "budgetTokens": tokens}}),
        Sdk::Google | Sdk::Vertex => {
            json!({"thinkingConfig": {"includeThoughts": true, "thinkingBudget": tokens}})
        }
        Sdk::OpenRouter | Sdk::LlmGateway | Sdk::Gateway => json!({"reasoning": {"max_tokens": tokens}}),
        // The spelling of Qwen's servers, which most who host open models have taken over.
        Sdk::Compatible | Sdk::Together | Sdk::DeepInfra => {
            json!({"enable_thinking": true, "thinking_budget": tokens})
        }
        _ => return None,
    }))
}

/// Thinking on or off; `None` where no spelling for it is known.
pub(super) fn toggle(subject: &Subject<'_>, on: bool) -> Option<Map<String, Value>> {
    let kind = if on { "enabled" } else { "disabled" };
    let provider = |names: &[&str]| names.iter().any(|name| subject.provider.contains(name));
    Some(map(match subject.sdk() {
        // On needs a budget, which is a variant of its own.
        Sdk::Anthropic | Sdk::VertexAnthropic if on => return None,
        Sdk::Anthropic | Sdk::VertexAnthropic => json!({"thinking": {"type": kind}}),
        Sdk::Google | Sdk::Vertex if on => json!({"thinkingConfig": {"includeThoughts": true}}),
        Sdk::Google | Sdk::Vertex => json!({"thinkingConfig": {"thinkingBudget": 0}}),
        Sdk::OpenRouter | Sdk::LlmGateway | Sdk::Gateway => json!({"reasoning": {"enabled": on}}),
        Sdk::Venice => json!({"veniceParameters": {"disableThinking": !on}}),
        Sdk::Compatible if provider(&["alibaba", "siliconflow"]) => json!({"enable_thinking": on}),
        Sdk::Compatible if provider(&["zai", "zhipu", "deepseek", "moonshot"]) => {
            json!({"thinking": {"type": kind}})
        }
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::variants::tests::subject;
    use super::*;

    const EVERY: &[(&str, &str, &str)] = &[
        ("openai", "@ai-sdk/openai", "gpt-5"),
        ("github-copilot", "@ai-sdk/openai-compatible", "gpt-5"),
        ("anthropic", "@ai-sdk/anthropic", "claude-opus-4-7"),
        ("google", "@ai-sdk/google", "gemini-3-pro"),
        ("openrouter", "@openrouter/ai-sdk-provider", "x"),
        ("alibaba", "@ai-sdk/openai-compatible", "qwen3"),
        ("zai", "@ai-sdk/openai-compatible", "glm-5"),
        ("groq", "@ai-sdk/groq", "x"),
    ];

    #[test]
    fn every_dialect_has_its_spelling() {
        let told = EVERY.iter().map(|(provider, npm, model)| {
            let subject = subject(provider, npm, model);
            let shown =
                |map: Option<Map<String, Value>>| map.map_or("-".into(), |map| Value::from(map).to_string());
            format!(
                "{provider}\n  {}\n  {}\n  {} {}",
                shown(Some(effort(&subject, "low"))),
                shown(budget(&subject, 9)),
                shown(toggle(&subject, false)),
                shown(toggle(&subject, true)),
            )
        });
        insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
        openai
          {"reasoningEffort":"low","reasoningSummary":"auto","include":["reasoning.encrypted_content"]}
          -
          - -
        github-copilot
          {"reasoningEffort":"low","reasoningSummary":"auto"}
          -
          - -
        anthropic
          {"thinking":{"type":"adaptive","display":"summarized"},"effort":"low"}
          {"thinking":{"type":"enabled","budgetTokens":9}}
          {"thinking":{"type":"disabled"}} -
        google
          {"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}}
          {"thinkingConfig":{"includeThoughts":true,"thinkingBudget":9}}
          {"thinkingConfig":{"thinkingBudget":0}} {"thinkingConfig":{"includeThoughts":true}}
        openrouter
          {"reasoning":{"effort":"low"}}
          {"reasoning":{"max_tokens":9}}
          {"reasoning":{"enabled":false}} {"reasoning":{"enabled":true}}
        alibaba
          {"reasoningEffort":"low"}
          {"enable_thinking":true,"thinking_budget":9}
          {"enable_thinking":false} {"enable_thinking":true}
        zai
          {"reasoningEffort":"low"}
          {"enable_thinking":true,"thinking_budget":9}
          {"thinking":{"type":"disabled"}} {"thinking":{"type":"enabled"}}
        groq
          {"reasoningEffort":"low"}
          -
          - -
        "#);
    }

    #[test]
    fn a_claude_is_told_in_the_words_of_its_version() {
        let told = |model: &str, degree: &str| {
            Value::from(effort(&subject("anthropic", "@ai-sdk/anthropic", model), degree)).to_string()
        };
        assert_eq!(told("claude-opus-4-6", "low"), r#"{"thinking":{"type":"adaptive"},"effort":"low"}"#);
        assert_eq!(
            told("claude-opus-4-5", "low"),
            r#"{"thinking":{"type":"enabled","budgetTokens":16000},"effort":"low"}"#
        );
        assert_eq!(told("claude-opus-4-7", "none"), r#"{"thinking":{"type":"disabled"}}"#);
    }
}
