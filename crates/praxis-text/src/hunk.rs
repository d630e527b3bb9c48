//! A change to a text: what goes and what comes instead. Everything else stays as it is, byte for byte.

use std::ops::Range;

/// One place of a text and what is to stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The bytes that go, on character borders.
    pub range: Range<usize>,
    /// What comes instead, in the text's own line endings.
    pub text: String,
}

/// The text with all hunks applied. They must be in order and must not overlap.
pub fn apply(text: &str, hunks: &[Hunk]) -> String {
    let grown: usize = hunks.iter().map(|hunk| hunk.text.len()).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut at = 0;
    for hunk in hunks {
        out.push_str(&text[at..hunk.range.start]);
        out.push_str(&hunk.text);
        at = hunk.range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_replace_insert_and_delete() {
        let hunk = |range, text: &str| Hunk { range, text: text.into() };
        assert_eq!(apply("abcdef", &[hunk(0..1, "A"), hunk(2..2, "+"), hunk(4..6, "")]), "Ab+cd");
        assert_eq!(apply("abc", &[]), "abc");
    }
}
