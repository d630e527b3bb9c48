//! Words by which failures are known where there is no code.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};

/// What a text says that speaks of too long a conversation.
const OVERFLOW: &[&str] = &[
    r"prompt (is )?too long",
    r"request(_| is )?( )?too[_ ]large",
    r"input (is |was )?too long",
    r"exceed\w*\b.{0,40}\bcontext window",
    r"exceed\w*\b.{0,60}\bmaximum context length\D{0,20}\d",
    r"input token count.{0,80}exceeds? the maximum",
    r"tokens in (the |your )?request.{0,80}(more than|above|exceed\w*|greater than).{0,60}(allowed|max)",
    r"maximum prompt length is [\d,]+",
    r"reduce the length of (the |your )?(messages|prompt|input)",
    r"maximum context length (is|of) [\d,]+ ?tokens?",
    r"exceeds?.{0,20}maximum allowed input length of [\d,]+",
    r"input.{0,40}[\d,]+ tokens?.{0,40}longer than.{0,40}context length",
    r"exceeds the limit of [\d,]+",
    r"exceeds the available context size",
    r"greater than the context length",
    r"context window exceeds (the )?limit",
    r"exceeded model token limit",
    r"context[ _]length[ _]exceeded",
    r"request entity too large",
    r"context length is only [\d,]+ tokens",
    r"input length.{0,60}exceeds?.{0,60}context length",
    r"too large for model with [\d,]+ maximum context length",
    r"prompt has [\d,]+ tokens?,? but.{0,60}context size is [\d,]+",
    r"model_context_window_exceeded",
    r"too many tokens",
    r"token limit exceeded",
    r"^4(00|13)( status code)? ?\(?no body\)?",
];

/// What a text says that speaks of something else with some of the same words.
const NOT_OVERFLOW: &[&str] = &[
    r"^\W*(throttling ?(error|exception)|service ?unavailable)",
    r"rate[ _-]?limit",
    r"too[ _-]many[ _-]requests",
];

/// What a text says if the same request may succeed later. Numbers count only where they are a status: a message about
/// 500 rows is none.
const TRANSIENT: &[&str] = &[
    r"^\W*(429|500|502|503|504|524)\b",
    r"\b(status|code|http|error)( code)?[ :=(]*(429|500|502|503|504|524)\b",
    r"rate[ _-]?limit",
    r"too[ _-]many[ _-]requests",
    r"rate increased too quickly",
    r"overloaded",
    r"service[ _-]?unavailable|\bunavailable\b",
    r"internal (server )?error|\bserver[ _]error\b",
    r"provider returned error",
    r"\bterminated\b|fetch failed|network error|upstream connect|connection (error|refused|lost|reset)",
    r"socket (closed|hang up)|socket connection was closed|reset before headers",
    r"getaddrinfo|enotfound|eai_again|econnrefused|econnreset|etimedout",
    r"^\W*time(d )?-?out\W*$|\b(request|response|connection|network|stream|read) time(d )?-?out",
    r"try your request again|; try again$",
    r"resource[ _-]?(has been )?exhausted|\bexhausted\b",
];

/// What a text says if money or a plan is used up.
const QUOTA: &[&str] = &[
    r"credit balance is too low",
    r"insufficient[ _](credits?|balance|funds|quota)",
    r"requires more credits",
    r"exceeded your (monthly|weekly|daily) (budget|spend|usage)",
    r"usage limit reached",
];

/// What a text says if a key is wrong and the status does not tell.
const KEY: &[&str] =
    &[r"api[ _]key not valid", r"api_key_invalid", r"(invalid|incorrect|missing) api[ _-]?key"];

static SETS: LazyLock<[RegexSet; 5]> =
    LazyLock::new(|| [OVERFLOW, NOT_OVERFLOW, TRANSIENT, QUOTA, KEY].map(set));

/// A pattern that cannot be read would match nothing; a test holds that there is none. The words are English, and sets that
/// knew the letters of the world would take megabytes and tens of milliseconds to build.
fn set(patterns: &[&str]) -> RegexSet {
    RegexSetBuilder::new(patterns).case_insensitive(true).unicode(false).build().unwrap_or_default()
}

/// Whether a provider's words say that the conversation is too long.
pub fn is_overflow(text: &str) -> bool {
    SETS[0].is_match(text.as_bytes()) && !SETS[1].is_match(text.as_bytes())
}

/// Whether a provider's words say that the same request may succeed later.
pub fn is_transient(text: &str) -> bool {
    SETS[2].is_match(text.as_bytes())
}

pub(super) fn is_quota(text: &str) -> bool {
    SETS[3].is_match(text.as_bytes())
}

pub(super) fn is_wrong_key(text: &str) -> bool {
    SETS[4].is_match(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        for (set, table) in SETS.iter().zip([OVERFLOW, NOT_OVERFLOW, TRANSIENT, QUOTA, KEY]) {
            assert_eq!(set.len(), table.len());
        }
    }

    #[test]
    fn too_long_a_conversation_is_known_in_many_words() {
        for text in [
            "prompt is too long: 213462 tokens > 200000 maximum",
            "Request too large",
            "input is too long for requested model",
            "Your input exceeds the context window of this model",
            "Requested token count exceeds the model's maximum context length of 131072 tokens",
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576)",
            "tokens in request more than max tokens allowed",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
            "Please reduce the length of the messages or completion",
            "This endpoint's maximum context length is 128000 tokens",
            "prompt exceeds maximum allowed input length of 32768 tokens",
            "input (40000 tokens) is longer than the model's context length (32768 tokens)",
            "prompt token count of 130000 exceeds the limit of 128000",
            "the request exceeds the available context size, try increasing it",
            "tokens to keep from the initial prompt is greater than the context length",
            "invalid params, context window exceeds limit",
            "Your request exceeded model token limit: 262144",
            "context_length_exceeded",
            "Context length exceeded",
            "413 Request Entity Too Large",
            "maximum model context length is only 8192 tokens",
            "input length 9000 exceeds the context length",
            "prompt too long; exceeded max context length by 4 tokens",
            "too large for model with 32768 maximum context length",
            "Prompt has 9000 tokens, but the configured context size is 8192 tokens",
            "model_context_window_exceeded",
            "too many tokens",
            "token limit exceeded",
            "400 (no body)",
            "413 status code (no body)",
        ] {
            assert!(is_overflow(text), "{text}");
        }
        for text in [
            "Throttling error: too many tokens, please wait before trying again",
            "Service unavailable: too many tokens in flight",
            "rate limit: too many tokens per minute",
            "Too many requests: token limit exceeded",
            "max_tokens is too large: 200000",
            "the file is too large",
            "no body",
        ] {
            assert!(!is_overflow(text), "{text}");
        }
    }

    #[test]
    fn what_may_pass_is_told_from_what_only_sounds_like_it() {
        for text in [
            "429",
            "503 Service Unavailable",
            "Error code: 502",
            "HTTP 524",
            "Rate limit reached",
            "rate_limit_exceeded",
            "Too Many Requests",
            "Your request rate increased too quickly",
            "Overloaded",
            "Internal Server Error",
            "internal error",
            "Provider returned error",
            "terminated",
            "fetch failed",
            "upstream connect error or disconnect/reset before headers",
            "Connection refused",
            "socket hang up",
            "getaddrinfo EAI_AGAIN api.example.com",
            "read ECONNRESET",
            "timeout",
            "Request timed out",
            "stream timeout",
            "An error occurred. You can try your request again.",
            "Resource exhausted",
            "Resource has been exhausted (e.g. check quota).",
        ] {
            assert!(is_transient(text), "{text}");
        }
        for text in [
            "processed 500 rows",
            "max_tokens must be at most 429",
            "the parameter `timeout` is unknown",
            "invalid value",
            "the tool `terminated_jobs` has no schema",
        ] {
            assert!(!is_transient(text), "{text}");
        }
    }
}
