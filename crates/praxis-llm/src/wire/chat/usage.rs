//! Tokens as inclusive totals.

use super::chunk::RawUsage;
use crate::Usage;

/// Adds what a chunk tells; what it does not tell stays.
pub(super) fn update(usage: &mut Usage, raw: &RawUsage) {
    let prompt = raw.prompt_tokens_details.0.as_ref();
    let completion = raw.completion_tokens_details.0.as_ref();
    let reasoning = completion.and_then(|details| details.reasoning_tokens.0).or(raw.reasoning_tokens.0);
    let read = prompt
        .and_then(|details| details.cached_tokens.0)
        .or(raw.prompt_cache_hit_tokens.0)
        .or(raw.cached_tokens.0)
        .or(raw.cache_read_input_tokens.0);
    let written = prompt
        .and_then(|details| details.cache_write_tokens.0.or(details.cache_creation_tokens.0))
        .or(raw.cache_creation_input_tokens.0);

    usage.input_tokens = raw.prompt_tokens.0.or(usage.input_tokens);
    usage.output_tokens = output(raw, reasoning).or(usage.output_tokens);
    usage.reasoning_tokens = reasoning.or(usage.reasoning_tokens);
    usage.cached_input_tokens = read.or(usage.cached_input_tokens);
    usage.cache_write_tokens = written.or(usage.cache_write_tokens);
    usage.total_tokens = raw.total_tokens.0.or_else(|| {
        let (input, output) = (usage.input_tokens?, usage.output_tokens?);
        Some(input.saturating_add(output))
    });
}

/// The output with reasoning. xAI and Gemini's compatible server leave reasoning out of the completion and count it only in
/// the total, which tells them from the others.
fn output(raw: &RawUsage, reasoning: Option<u64>) -> Option<u64> {
    let completion = raw.completion_tokens.0?;
    let reasoning = reasoning.unwrap_or(0);
    let with = completion.saturating_add(reasoning);
    let sum = raw.prompt_tokens.0.map(|prompt| prompt.saturating_add(with));
    let apart = reasoning > 0 && sum.is_some() && raw.total_tokens.0 == sum;
    Some(if apart || reasoning > completion { with } else { completion })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Usage {
        let mut usage = Usage::default();
        update(&mut usage, &serde_json::from_str(text).unwrap());
        usage
    }

    #[test]
    fn openai_counts_reasoning_within_the_completion() {
        let text = r#"{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,
            "prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":30}}"#;
        let expected = Usage {
            input_tokens: Some(100),
            output_tokens: Some(50),
            total_tokens: Some(150),
            reasoning_tokens: Some(30),
            cached_input_tokens: Some(64),
            cache_write_tokens: None,
        };
        assert_eq!(read(text), expected);
    }

    #[test]
    fn xai_counts_reasoning_beside_the_completion() {
        let text = r#"{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,
            "completion_tokens_details":{"reasoning_tokens":94}}"#;
        let expected = Usage {
            input_tokens: Some(32),
            output_tokens: Some(103),
            total_tokens: Some(135),
            reasoning_tokens: Some(94),
            ..Usage::default()
        };
        assert_eq!(read(text), expected);
    }

    #[test]
    fn caches_go_by_many_names() {
        for text in [
            r#"{"prompt_cache_hit_tokens":7,"prompt_cache_miss_tokens":1}"#,
            r#"{"cached_tokens":7}"#,
            r#"{"cache_read_input_tokens":7}"#,
            r#"{"prompt_tokens_details":{"cached_tokens":7}}"#,
        ] {
            let expected = Usage { cached_input_tokens: Some(7), ..Usage::default() };
            assert_eq!(read(text), expected, "{text}");
        }
        for text in
            [r#"{"cache_creation_input_tokens":3}"#, r#"{"prompt_tokens_details":{"cache_write_tokens":3}}"#]
        {
            let expected = Usage { cache_write_tokens: Some(3), ..Usage::default() };
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_total_is_made_only_from_what_is_known() {
        assert_eq!(read(r#"{"prompt_tokens":1,"completion_tokens":2}"#).total_tokens, Some(3));
        assert_eq!(read(r#"{"prompt_tokens":1}"#).total_tokens, None);
        assert_eq!(read(r#"{"prompt_tokens":-1,"completion_tokens":null}"#), Usage::default());
    }
}
