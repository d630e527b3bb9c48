//! The same text with its escapes undone: models escape once too often, or not often enough.

use std::borrow::Cow;
use std::ops::Range;

use super::exact;
use super::search::Search;
use super::sequence::{Vocabulary, occurrences};
use crate::unify;

/// Places of the old text with its escapes undone, else windows that are that text when theirs are undone.
pub(super) fn places(search: &Search<'_>) -> Vec<Range<usize>> {
    let plain = unescape(search.old);
    let plain = unify(&plain);
    // An escaped line feed would fit everywhere.
    if plain.trim().is_empty() {
        return Vec::new();
    }
    let exact = if plain == search.old { Vec::new() } else { exact::places(search.text, &plain) };
    if exact.is_empty() { windows(search, &plain) } else { exact }
}

fn windows(search: &Search<'_>, plain: &str) -> Vec<Range<usize>> {
    if memchr::memchr(b'\\', search.text.as_bytes()).is_none() {
        return Vec::new();
    }
    let lines: Vec<&str> = plain.split('\n').collect();
    let Some((last, rest)) = lines.split_last() else { return Vec::new() };
    let (vocabulary, sought) = Vocabulary::new(rest.iter().copied().map(Cow::Borrowed));
    // A backslash before a line feed goes with it, except at the end of a window.
    let inner = |line: &str| {
        vocabulary.number(unescape(line).as_ref().strip_suffix(odd_backslash(line)).unwrap_or(""))
    };
    let numbers: Vec<u32> = search.lines.iter().map(inner).collect();
    let ends = |first: &usize| {
        let line = first + rest.len();
        line < search.lines.len() && unescape(search.lines.get(line)) == *last
    };
    let found = occurrences(&numbers, &sought).into_iter().filter(ends);
    found.map(|first| search.lines.span(first, lines.len())).collect()
}

/// The backslash at the end of a line that no other backslash escapes, if there is one.
fn odd_backslash(line: &str) -> &'static str {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    if backslashes % 2 == 1 { "\\" } else { "" }
}

/// The text with `\n`, `\t`, `\r`, escaped quotes, backslashes, dollars and line feeds undone; others stay.
fn unescape(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(c @ ('\'' | '"' | '`' | '\\' | '\n' | '$')) => plain.push(c),
            other => {
                plain.push('\\');
                plain.extend(other);
            }
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found<'a>(text: &'a str, old: &str) -> Vec<&'a str> {
        places(&Search::new(text, old)).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn every_escape_is_undone_once() {
        assert_eq!(unescape(r#"\n\t\r\'\"\`\\\$\x\\n\"#), "\n\t\r'\"`\\$\\x\\n\\");
        assert_eq!(unescape("a\\\nb"), "a\nb");
    }

    #[test]
    fn an_old_text_escaped_too_often() {
        assert_eq!(found("z\nsay(\"a\")\n\tb\nz", r#"say(\"a\")\n\tb"#), ["say(\"a\")\n\tb"]);
        assert_eq!(found("a\r", r"\n"), Vec::<&str>::new());
        assert_eq!(found("say(\"b\")", r#"say(\"a\")"#), Vec::<&str>::new());
    }

    #[test]
    fn a_file_that_is_escaped_where_the_old_text_is_not() {
        let text = "z\nsay(\\\"a\\\")\n  cost: \\$5\nz";
        assert_eq!(found(text, "say(\"a\")\n  cost: $5"), ["say(\\\"a\\\")\n  cost: \\$5"]);
        assert_eq!(found(text, "say(\"a\")\n  cost: $6"), Vec::<&str>::new());
        assert_eq!(found("run \\\n  it\\", "run \n  it\\"), ["run \\\n  it\\"]);
        assert_eq!(found("run \\\n  it\\", "run \n  it"), Vec::<&str>::new());
        assert_eq!(found("a\\\"b", "a\"b"), ["a\\\"b"]);
        assert_eq!(found("a\\\\\nb", "a\\\\\nb"), ["a\\\\\nb"]);
    }

    proptest! {
        #[test]
        fn every_window_is_compared(text in r#"[a"\\n\n]{0,30}"#, plain in r#"[a"\\\n]{0,6}a"#) {
            let search = Search::new(&text, &plain);
            let all: Vec<&str> = text.split('\n').collect();
            let size = search.old_lines.len();
            let same = |first: &usize| unescape(&all[*first..first + size].join("\n")) == plain;
            let firsts = (0..(all.len() + 1).saturating_sub(size)).filter(same);
            let expected: Vec<_> = firsts.map(|first| search.lines.span(first, size)).collect();
            let found = windows(&search, &plain);
            prop_assert_eq!(found, if text.contains('\\') { expected } else { Vec::new() });
        }
    }
}
