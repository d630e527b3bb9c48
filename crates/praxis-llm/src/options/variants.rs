//! Degrees of thinking as named sets of options: from the catalogue where it tells, else by what is known of families.

use super::spelling::{self, ADAPTIVE, SUMMARISED};
use super::versions;
use super::{Sdk, Subject, Variants};
use crate::catalogue::ReasoningOption;

/// The largest budget there is.
const MOST_BUDGET: u64 = 31_999;
/// Models whose thinking is not to be tuned.
const UNTUNED: &[&str] =
    &["deepseek-chat", "deepseek-reasoner", "deepseek-r1", "deepseek-v3", "minimax", "kimi", "k2p", "qwen"];
const THREE: &[&str] = &["low", "medium", "high"];
/// From when on OpenAI's models can be told not to think, and to think very hard.
const NONE_SINCE: &str = "2025-11-13";
const XHIGH_SINCE: &str = "2025-12-04";

/// The variants of a model, the weakest first.
pub fn variants(subject: &Subject<'_>) -> Variants {
    match subject.reasoning_options {
        Some(options) => listed(subject, options),
        None if subject.reasoning && !is_untuned(subject) => known(subject),
        None => Variants::new(),
    }
}

fn is_untuned(subject: &Subject<'_>) -> bool {
    let glm = subject.is_any(&["glm"]) && !subject.is_any(&["glm-5.2", "glm-5p2"]);
    glm || subject.is_any(UNTUNED)
}

fn efforts<'a>(subject: &Subject<'_>, degrees: impl IntoIterator<Item = &'a str>) -> Variants {
    degrees.into_iter().map(|degree| (degree.to_owned(), spelling::effort(subject, degree))).collect()
}

/// What the catalogue lists.
fn listed(subject: &Subject<'_>, options: &[ReasoningOption]) -> Variants {
    let degrees = options.iter().find_map(|option| match option {
        ReasoningOption::Effort { values } => Some(values),
        _ => None,
    });
    if let Some(values) = degrees {
        return efforts(subject, values.iter().map(|value| value.as_deref().unwrap_or("none")));
    }
    let budget = options.iter().find_map(|option| match option {
        ReasoningOption::BudgetTokens { min, max } => Some(budgets(subject, *min, *max)),
        _ => None,
    });
    let mut variants = Variants::new();
    if options.contains(&ReasoningOption::Toggle) {
        let states =
            if budget.is_some() { &[("none", false)][..] } else { &[("none", false), ("thinking", true)] };
        for (name, on) in states {
            variants.extend(spelling::toggle(subject, *on).map(|options| ((*name).to_owned(), options)));
        }
    }
    variants.extend(budget.unwrap_or_default());
    variants
}

fn budgets(subject: &Subject<'_>, min: Option<i64>, max: Option<i64>) -> Variants {
    let tokens = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
    let room = match subject.output_limit {
        0 => MOST_BUDGET,
        limit => limit.saturating_sub(1),
    };
    let max = tokens(max).unwrap_or(MOST_BUDGET).min(room).min(MOST_BUDGET);
    if max == 0 {
        return Variants::new();
    }
    let min = tokens(min).unwrap_or(0).min(max);
    let high = max.div_ceil(2).clamp(min, max);
    two_budgets(subject, high, max)
}

/// None, where the dialect has no word for a budget.
fn two_budgets(subject: &Subject<'_>, high: u64, max: u64) -> Variants {
    [("high", high), ("max", max)]
        .into_iter()
        .filter_map(|(name, tokens)| Some((name.to_owned(), spelling::budget(subject, tokens)?)))
        .collect()
}

/// What is known of families, where the catalogue is silent.
fn known(subject: &Subject<'_>) -> Variants {
    match subject.sdk() {
        Sdk::OpenAi | Sdk::Azure | Sdk::Mantle | Sdk::Copilot => efforts(subject, openai(subject)),
        Sdk::Anthropic | Sdk::VertexAnthropic => claude(subject),
        Sdk::Bedrock if subject.is_any(&["nova"]) => efforts(subject, THREE.iter().copied()),
        Sdk::Bedrock => claude(subject),
        Sdk::Google | Sdk::Vertex => gemini(subject),
        Sdk::OpenRouter | Sdk::LlmGateway | Sdk::Gateway if versions::gpt(subject.model).is_some() => {
            efforts(subject, openai(subject))
        }
        Sdk::Groq => efforts(subject, ["none"].into_iter().chain(THREE.iter().copied())),
        Sdk::Mistral => efforts(subject, ["high"]),
        Sdk::Cohere | Sdk::Perplexity => Variants::new(),
        _ if subject.is_any(&["deepseek-v4"]) => efforts(subject, THREE.iter().copied().chain(["max"])),
        _ => efforts(subject, THREE.iter().copied()),
    }
}

fn openai(subject: &Subject<'_>) -> Vec<&'static str> {
    let version = versions::gpt(subject.model).filter(|version| version.0 >= 5);
    let versioned = version.is_some_and(|version| version.1 > 0);
    if subject.is_any(&["deep-research"]) || (versioned && subject.is_any(&["-chat"])) {
        return vec!["medium"];
    }
    if subject.is_any(&["gpt-5-chat"]) {
        return Vec::new();
    }
    if version.is_some() && subject.is_any(&["-pro"]) {
        return if versioned { vec!["medium", "high", "xhigh"] } else { vec!["high"] };
    }
    let (none, xhigh) = match version {
        Some((5, 0)) if !subject.is_any(&["codex"]) => return vec!["minimal", "low", "medium", "high"],
        Some(version) if subject.is_any(&["codex"]) => {
            (version >= (5, 3), version >= (5, 2) || subject.is_any(&["codex-max"]))
        }
        Some(version) => (true, version >= (5, 2)),
        None => (subject.release_date >= NONE_SINCE, subject.release_date >= XHIGH_SINCE),
    };
    let mut degrees = THREE.to_vec();
    if none {
        degrees.insert(0, "none");
    }
    if xhigh {
        degrees.push("xhigh");
    }
    degrees
}

fn claude(subject: &Subject<'_>) -> Variants {
    match versions::claude(subject.model) {
        Some(version) if version >= SUMMARISED => efforts(subject, ["low", "medium", "high", "xhigh", "max"]),
        Some(version) if version >= ADAPTIVE => efforts(subject, ["low", "medium", "high", "max"]),
        Some((4, 5)) if subject.is_any(&["opus"]) => efforts(subject, THREE.iter().copied()),
        _ => {
            let most = match subject.output_limit {
                0 => MOST_BUDGET,
                limit => MOST_BUDGET.min(limit.saturating_sub(1)),
            };
            two_budgets(subject, spelling::claude_budget(subject), most)
        }
    }
}

fn gemini(subject: &Subject<'_>) -> Variants {
    let is_pro = subject.is_any(&["pro"]);
    if subject.is_any(&["2.5"]) {
        let most = if is_pro { 32_768 } else { 24_576 };
        return two_budgets(subject, 16_000, most);
    }
    if !subject.is_any(&["gemini-3"]) {
        return Variants::new();
    }
    let minimal = ["minimal"].into_iter().filter(|_| !is_pro);
    efforts(subject, minimal.chain(THREE.iter().copied()))
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    pub(in crate::options) fn subject<'a>(provider: &'a str, npm: &'a str, model: &'a str) -> Subject<'a> {
        Subject {
            provider,
            npm,
            model,
            reasoning: false,
            release_date: "",
            output_limit: 64_000,
            reasoning_options: None,
            completion_urls: false,
        }
    }

    fn names(subject: Subject<'_>) -> String {
        let found = variants(&Subject { reasoning: true, ..subject });
        found.keys().cloned().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_row_of_the_table() {
        let compatible = "@ai-sdk/openai-compatible";
        for (npm, model, expected) in [
            ("@ai-sdk/openai", "gpt-5", "minimal low medium high"),
            ("@ai-sdk/openai", "gpt-5-mini", "minimal low medium high"),
            ("@ai-sdk/azure", "gpt-5.1", "none low medium high"),
            ("@ai-sdk/openai", "gpt-5.2", "none low medium high xhigh"),
            ("@ai-sdk/openai", "gpt-6", "none low medium high xhigh"),
            ("@ai-sdk/openai", "gpt-5-pro", "high"),
            ("@ai-sdk/openai", "gpt-5.2-pro", "medium high xhigh"),
            ("@ai-sdk/openai", "gpt-5-codex", "low medium high"),
            ("@ai-sdk/openai", "gpt-5.1-codex-max", "low medium high xhigh"),
            ("@ai-sdk/openai", "gpt-5.2-codex", "low medium high xhigh"),
            ("@ai-sdk/openai", "gpt-5.3-codex", "none low medium high xhigh"),
            ("@ai-sdk/openai", "gpt-5.1-chat-latest", "medium"),
            ("@ai-sdk/openai", "gpt-5-chat-latest", ""),
            ("@ai-sdk/openai", "o3-deep-research", "medium"),
            ("@ai-sdk/openai", "o3", "low medium high"),
            ("@ai-sdk/anthropic", "claude-opus-4-7", "low medium high xhigh max"),
            ("@ai-sdk/anthropic", "claude-sonnet-5", "low medium high xhigh max"),
            ("@ai-sdk/anthropic", "claude-opus-4-6", "low medium high max"),
            ("@ai-sdk/anthropic", "claude-opus-4-5", "low medium high"),
            ("@ai-sdk/anthropic", "claude-sonnet-4-5", "high max"),
            ("@ai-sdk/amazon-bedrock", "amazon.nova-2", "low medium high"),
            ("@ai-sdk/google", "gemini-2.5-flash", "high max"),
            ("@ai-sdk/google", "gemini-3-flash", "minimal low medium high"),
            ("@ai-sdk/google", "gemini-3-pro", "low medium high"),
            ("@ai-sdk/google", "gemma-3", ""),
            ("@ai-sdk/xai", "grok-4", "low medium high"),
            (compatible, "any", "low medium high"),
            (compatible, "deepseek-v4", "low medium high max"),
            ("@ai-sdk/groq", "any", "none low medium high"),
            ("@openrouter/ai-sdk-provider", "openai/gpt-5.1", "none low medium high"),
            ("@openrouter/ai-sdk-provider", "x/y", "low medium high"),
            ("@ai-sdk/mistral", "magistral", "high"),
            ("@ai-sdk/cohere", "command-a", ""),
            ("@ai-sdk/perplexity", "sonar", ""),
            (compatible, "deepseek-r1", ""),
            (compatible, "MiniMax-M2", ""),
            (compatible, "glm-5", ""),
            (compatible, "glm-5.2", "low medium high"),
            (compatible, "kimi-k2", ""),
            (compatible, "qwen3", ""),
        ] {
            assert_eq!(names(subject("p", npm, model)), expected, "{model}");
        }
        let dated =
            |release_date| names(Subject { release_date, ..subject("openai", "@ai-sdk/openai", "o9") });
        assert_eq!(
            ["2025-11-12", "2025-11-13", "2025-12-04"].map(dated),
            ["low medium high", "none low medium high", "none low medium high xhigh"]
        );
        assert_eq!(variants(&subject("openai", "@ai-sdk/openai", "gpt-5")), Variants::new());
    }

    fn listed_json(provider: &str, npm: &str, model: &str, limit: u64, options: Value) -> Value {
        let options: Vec<ReasoningOption> = serde_json::from_value(options).unwrap();
        let subject = Subject {
            reasoning_options: Some(&options),
            output_limit: limit,
            ..subject(provider, npm, model)
        };
        serde_json::to_value(variants(&subject)).unwrap()
    }

    #[test]
    fn what_the_catalogue_lists_decides() {
        let claude = |limit, options| {
            listed_json("anthropic", "@ai-sdk/anthropic", "claude-sonnet-4-5", limit, options)
        };
        let thinking = |tokens: u64| json!({"thinking": {"type": "enabled", "budgetTokens": tokens}});
        assert_eq!(
            claude(64_000, json!([{"type": "budget_tokens", "min": 1024}])),
            json!({"high": thinking(16_000), "max": thinking(31_999)})
        );
        assert_eq!(
            claude(
                64_000,
                json!([{"type": "toggle"}, {"type": "budget_tokens", "min": 9_000, "max": 10_000}])
            ),
            json!({"none": {"thinking": {"type": "disabled"}}, "high": thinking(9_000), "max": thinking(10_000)})
        );
        assert_eq!(
            claude(4_096, json!([{"type": "budget_tokens", "min": 8_000}])),
            json!({"high": thinking(4_095), "max": thinking(4_095)})
        );
        assert_eq!(claude(1, json!([{"type": "budget_tokens", "min": -1, "max": -1}])), json!({}));
        assert_eq!(claude(64_000, json!([])), json!({}));

        let groq = listed_json(
            "groq",
            "@ai-sdk/groq",
            "x",
            0,
            json!([{"type": "effort", "values": [null, "default"]}]),
        );
        assert_eq!(
            groq,
            json!({"none": {"reasoningEffort": "none"}, "default": {"reasoningEffort": "default"}})
        );
        let router =
            listed_json("openrouter", "@openrouter/ai-sdk-provider", "x", 0, json!([{"type": "toggle"}]));
        assert_eq!(
            router,
            json!({"none": {"reasoning": {"enabled": false}}, "thinking": {"reasoning": {"enabled": true}}})
        );
        // Nobody knows how this server is told, so there is nothing to choose.
        assert_eq!(listed_json("nvidia", "x", "x", 0, json!([{"type": "toggle"}])), json!({}));
    }
}
