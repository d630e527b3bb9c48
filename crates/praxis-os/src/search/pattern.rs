//! Regular expressions for lines.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::SearchError;

/// The most memory a compiled pattern may take.
const PATTERN_BYTES: usize = 16 << 20;
/// The most memory the automaton of a pattern may take on one thread.
const AUTOMATON_BYTES: usize = 64 << 20;

/// What the parser says about expressions that only backtracking can match, and about line breaks.
const HINTS: &[(&str, &str)] = &[
    ("look-around", "\nLook-ahead and look-behind are not supported: match more, and pick from the results."),
    ("backreferences", "\nBackreferences are not supported: write the repeated text out, or match more."),
    (
        "literal",
        "\nLines are searched one by one, so a pattern cannot contain a line break: search for one of the lines.",
    ),
];

/// A pattern with more letters than this may have as many states to follow.
const HEAVY: usize = 256;

/// Whether a pattern may have so many states that following them takes long for each byte: it counts repetitions, or is
/// long itself. Where the fast automaton gives up, and text beyond ASCII makes it, each state is followed by itself.
pub(super) fn is_heavy(pattern: &str) -> bool {
    pattern.contains('{') || pattern.len() > HEAVY
}

/// Compiles a pattern that can only match within a line.
pub(super) fn compile(pattern: &str) -> Result<RegexMatcher, SearchError> {
    RegexMatcherBuilder::new()
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(AUTOMATON_BYTES)
        .build(pattern)
        .map_err(|error| {
            let problem = error.to_string();
            let hint = HINTS.iter().find(|(sign, _)| problem.contains(sign)).map_or("", |(_, hint)| hint);
            SearchError::Pattern { problem, hint }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_patterns_are_explained() {
        let told = |pattern: &str| compile(pattern).unwrap_err().to_string();
        assert!(told("a(").contains("unclosed group"), "{}", told("a("));
        assert!(told("a(?=b)").contains("match more, and pick"), "{}", told("a(?=b)"));
        assert!(told(r"(a)\1").contains("Backreferences are not supported"), "{}", told(r"(a)\1"));
        assert!(told(r"a\nb").contains("Lines are searched one by one"), "{}", told(r"a\nb"));
        assert!(told(r"(\w{900}){900}").contains("size limit"), "{}", told(r"(\w{900}){900}"));
    }
}
