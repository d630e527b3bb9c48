//! Secrets taken out of what others say.

use std::sync::LazyLock;

use regex::Regex;

use crate::Secret;

/// What stands where a secret was.
const HIDDEN: &str = "[hidden]";
/// A shorter value may be an ordinary word.
const SHORTEST: usize = 4;
/// As much of a secret is one too.
const SHORTEST_PIECE: usize = 6;

/// Fields, queries and tokens whose values are secret whoever sent them. The last group is what stays of each.
const SHAPES: &[&str] = &[
    r#"(?i)("(?:[\w-]*(?:api[_-]?key|secret|password|authorization)|(?:access|refresh|id|auth|bearer)[_-]?token|token)"\s*:\s*")[^"]*"#,
    r"(?i)([?&](?:key|api[_-]?key|access[_-]?token|token|sig|signature|password|secret)=)[^&\s\x22'<>]+",
    r"(?i)(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}",
    r"(://)[^/\s:@]+:[^/\s@]+@",
    r"(\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|AIza)[-_]?)[A-Za-z0-9_-]{16,}",
];

static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SHAPES.iter().filter_map(|shape| Regex::new(shape).ok()).collect());

/// Knows the secrets of one request and takes them out of texts.
#[derive(Clone, Default)]
pub struct Redactor(Vec<String>);

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({})", self.0.len())
    }
}

impl Redactor {
    /// Knows these secrets, with and without a word such as `Bearer` before them.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut known: Vec<String> = Vec::new();
        for secret in secrets {
            let value = secret.expose();
            let bare = value.rsplit(' ').next().unwrap_or_default();
            known.extend([value, bare].into_iter().filter(|text| text.len() >= SHORTEST).map(str::to_owned));
        }
        // A secret that contains another goes first.
        known.sort_by_key(|text| std::cmp::Reverse(text.len()));
        known.dedup();
        Self(known)
    }

    /// The beginning of a text, without secrets; they go first, so that none is cut in half and stays.
    pub(super) fn cut(&self, text: &str, characters: usize) -> String {
        let clean = self.clean(text);
        match clean.char_indices().nth(characters) {
            Some((at, _)) => clean[..at].to_owned(),
            None => clean,
        }
    }

    /// A text without secrets.
    pub fn clean(&self, text: &str) -> String {
        let known = self.0.iter().fold(text.to_owned(), |text, secret| without(&text, secret));
        let hidden = format!("${{1}}{HIDDEN}");
        PATTERNS.iter().fold(known, |text, pattern| pattern.replace_all(&text, hidden.as_str()).into_owned())
    }
}

/// A text without a secret; one that was cut before may end with the beginning of it.
fn without(text: &str, secret: &str) -> String {
    let text = text.replace(secret, HIDDEN);
    let end = text.trim_end_matches('…');
    let lengths = (SHORTEST_PIECE..secret.len()).rev();
    match lengths.filter_map(|length| secret.get(..length)).find(|piece| end.ends_with(piece)) {
        Some(piece) => format!("{}{HIDDEN}", &end[..end.len() - piece.len()]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_can_be_read() {
        assert_eq!(PATTERNS.len(), SHAPES.len());
    }

    #[test]
    fn secrets_go_and_the_rest_stays() {
        let redactor = Redactor::of([&Secret::new("Bearer tok.en-1").unwrap(), &Secret::new("abc").unwrap()]);
        for (text, expected) in [
            ("Bearer tok.en-1 is wrong", "[hidden] is wrong"),
            ("wrong: tok.en-1", "wrong: [hidden]"),
            ("wrong: tok.en-…", "wrong: [hidden]"),
            ("wrong: tok.e", "wrong: tok.e"),
            ("abc is too short to be hidden", "abc is too short to be hidden"),
            (r#"{"api_key": "xyz", "a": "b"}"#, r#"{"api_key": "[hidden]", "a": "b"}"#),
            (r#"{"x-api-key":"q","total_tokens":"5"}"#, r#"{"x-api-key":"[hidden]","total_tokens":"5"}"#),
            ("GET /v1?key=AIzaX&alt=sse", "GET /v1?key=[hidden]&alt=sse"),
            ("authorization: bearer abcdefgh12", "authorization: bearer [hidden]"),
            ("http://me:s3cret@proxy:1/", "http://[hidden]proxy:1/"),
            ("key sk-proj-0123456789abcdefXYZ failed", "key sk-[hidden] failed"),
            ("max_tokens is 5; skip it", "max_tokens is 5; skip it"),
        ] {
            assert_eq!(redactor.clean(text), expected);
        }
        assert_eq!(format!("{redactor:?}"), "Redactor(2)");
    }
}
