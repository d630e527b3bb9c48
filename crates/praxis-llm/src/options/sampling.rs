//! How words are chosen when nobody says.

use super::Subject;
use crate::Sampling;

/// The longest answer asked for unless the environment says otherwise.
pub const OUTPUT_CAP: u64 = 32_000;

/// Defaults of models that do not work well with those of their provider.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Defaults {
    temperature: Option<f64>,
    top_p: Option<f64>,
    top_k: Option<u32>,
}

const NONE: Defaults = Defaults { temperature: None, top_p: None, top_k: None };

/// The sampling of a request: what the agent says, else what suits the model. A temperature is sent only to a model
/// that takes one.
pub fn sampling(subject: &Subject<'_>, takes_temperature: bool, agent: Sampling) -> Sampling {
    let defaults = defaults(subject);
    Sampling {
        temperature: agent.temperature.or(defaults.temperature).filter(|_| takes_temperature),
        top_p: agent.top_p.or(defaults.top_p),
        top_k: defaults.top_k,
        max_output_tokens: agent.max_output_tokens,
    }
}

/// The longest answer to ask for: the model's, but no more than `cap`.
pub fn max_output_tokens(output_limit: u64, cap: u64) -> u64 {
    if output_limit == 0 { cap } else { output_limit.min(cap) }
}

fn defaults(subject: &Subject<'_>) -> Defaults {
    let id = subject.model.to_ascii_lowercase();
    let has = |part: &str| id.contains(part);
    let any = |parts: &[&str]| parts.iter().any(|part| has(part));
    let warm = Defaults { temperature: Some(1.0), ..NONE };
    if has("north-mini-code") {
        return warm;
    }
    if has("claude") {
        return NONE;
    }
    if has("gemini") {
        let known = any(&["2.5", "3-flash", "3-pro", "3.1"]) || (has("3.5-flash") && !has("lite"));
        let google = Defaults { top_p: Some(0.95), top_k: Some(64), ..warm };
        return if known { google } else { NONE };
    }
    if any(&["glm-4.6", "glm-4.7"]) {
        return warm;
    }
    if has("minimax-m2") {
        let top_k = if any(&["m2.", "m25", "m21"]) { 40 } else { 20 };
        return Defaults { top_p: Some(0.95), top_k: Some(top_k), ..warm };
    }
    if has("kimi-k2") {
        if !any(&["thinking", "k2.", "k2p", "k2-5"]) {
            return Defaults { temperature: Some(0.6), ..NONE };
        }
        let top_p = any(&["k2.5", "k2p5", "k2-5"]).then_some(0.95);
        return Defaults { top_p, ..warm };
    }
    let served = matches!(subject.provider, "deepseek" | "opencode") || has("0731");
    if has("deepseek-v4-flash") && served {
        return Defaults { top_p: Some(0.95), ..NONE };
    }
    NONE
}

#[cfg(test)]
mod tests {
    use super::super::variants::tests::subject;
    use super::*;

    #[test]
    fn every_row_of_the_table() {
        let row = |temperature, top_p, top_k| Defaults { temperature, top_p, top_k };
        let google = row(Some(1.0), Some(0.95), Some(64));
        for (model, expected) in [
            ("north-mini-code", row(Some(1.0), None, None)),
            ("Claude-Sonnet-5", NONE),
            ("gemini-2.5-pro", google),
            ("google/gemini-3-flash-preview", google),
            ("gemini-3-pro", google),
            ("gemini-3.1-pro", google),
            ("gemini-3.5-flash", google),
            ("gemini-3.5-flash-lite", NONE),
            ("gemini-1.5-pro", NONE),
            ("z-ai/glm-4.6", row(Some(1.0), None, None)),
            ("glm-4.7", row(Some(1.0), None, None)),
            ("glm-5", NONE),
            ("MiniMax-M2", row(Some(1.0), Some(0.95), Some(20))),
            ("MiniMax-M2.1", row(Some(1.0), Some(0.95), Some(40))),
            ("minimax-m25", row(Some(1.0), Some(0.95), Some(40))),
            ("kimi-k2-thinking", row(Some(1.0), None, None)),
            ("kimi-k2.5", row(Some(1.0), Some(0.95), None)),
            ("kimi-k2p5", row(Some(1.0), Some(0.95), None)),
            ("kimi-k2-0905", row(Some(0.6), None, None)),
            ("deepseek-v4-flash-0731", row(None, Some(0.95), None)),
            ("deepseek-v4-flash", NONE),
            ("gpt-5", NONE),
        ] {
            assert_eq!(defaults(&subject("any", "x", model)), expected, "{model}");
        }
        for provider in ["deepseek", "opencode"] {
            assert_eq!(
                defaults(&subject(provider, "x", "deepseek-v4-flash")).top_p,
                Some(0.95),
                "{provider}"
            );
        }
    }

    #[test]
    fn an_agent_wins_and_a_model_without_temperature_gets_none() {
        let gemini = subject("google", "@ai-sdk/google", "gemini-3-pro");
        let agent = Sampling { temperature: Some(0.1), top_p: Some(0.2), ..Sampling::default() };
        assert_eq!(
            sampling(&gemini, true, agent),
            Sampling { temperature: Some(0.1), top_p: Some(0.2), top_k: Some(64), max_output_tokens: None }
        );
        assert_eq!(sampling(&gemini, false, agent).temperature, None);
        assert_eq!(sampling(&gemini, true, Sampling::default()).temperature, Some(1.0));
    }

    #[test]
    fn an_answer_is_as_long_as_the_model_allows_up_to_the_cap() {
        assert_eq!(
            [0, 1, 32_000, 32_001].map(|limit| max_output_tokens(limit, OUTPUT_CAP)),
            [32_000, 1, 32_000, 32_000]
        );
    }
}
