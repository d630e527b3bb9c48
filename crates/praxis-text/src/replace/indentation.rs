//! The same lines at another depth.

use std::borrow::Cow;
use std::ops::Range;

use super::search::Search;
use super::sequence::{Vocabulary, occurrences};

/// Windows of as many lines that are the old text when both have lost their common indentation.
pub(super) fn windows(search: &Search<'_>) -> Vec<Range<usize>> {
    // Without any indentation the lines must be equal, which leaves few windows to look at closely.
    let (vocabulary, sought) = Vocabulary::new(search.old_lines.iter().map(|line| Cow::Borrowed(bare(line))));
    let numbers: Vec<u32> = search.lines.iter().map(|line| vocabulary.number(bare(line))).collect();
    let old = dedented(&search.old_lines);
    let size = search.old_lines.len();
    let equal = |first: &usize| {
        let lines: Vec<&str> = (*first..first + size).map(|line| search.lines.get(line)).collect();
        dedented(&lines) == old
    };
    let found = occurrences(&numbers, &sought).into_iter().filter(equal);
    found.map(|first| search.lines.span(first, size)).collect()
}

/// A line without its indentation. A blank one is left alone.
fn bare(line: &str) -> &str {
    if is_blank(line) { line } else { line.trim_start() }
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn dedented<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let width = |line: &&str| line.chars().take_while(|c| c.is_whitespace()).count();
    let common = lines.iter().filter(|line| !is_blank(line)).map(width).min().unwrap_or(0);
    let cut = |line: &&'a str| {
        let at = line.char_indices().nth(common).map_or(line.len(), |(at, _)| at);
        if is_blank(line) { *line } else { &line[at..] }
    };
    lines.iter().map(cut).collect()
}

/// The new text, shifted as what was found is shifted against the old text.
///
/// Only if every line is shifted alike; else it is better left as given than moved to a guessed depth.
pub(super) fn shifted<'a>(found: &str, old: &str, new: &'a str) -> Cow<'a, str> {
    let (found_indent, old_indent) = (common_indent(found), common_indent(old));
    if found_indent == old_indent || !alike(found, found_indent, old, old_indent) {
        return Cow::Borrowed(new);
    }
    let line = |line: &str| match line.strip_prefix(old_indent) {
        Some(rest) if !is_blank(line) => format!("{found_indent}{rest}"),
        _ => line.to_owned(),
    };
    Cow::Owned(new.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// The whitespace that begins every line that is not blank.
fn common_indent(text: &str) -> &str {
    let mut lines = text.split('\n').filter(|line| !is_blank(line));
    let indent = |line: &'_ str| line.len() - line.trim_start().len();
    let Some(first) = lines.next() else { return "" };
    let mut common = &first[..indent(first)];
    for line in lines {
        let same = common.chars().zip(line.chars()).take_while(|(a, b)| a == b);
        common = &common[..same.map(|(c, _)| c.len_utf8()).sum()];
    }
    common
}

/// Whether each line has lost the one indentation and got the other, and nothing else.
fn alike(found: &str, found_indent: &str, old: &str, old_indent: &str) -> bool {
    fn rest<'a>(line: &'a str, indent: &str) -> Option<&'a str> {
        line.strip_prefix(indent).map(str::trim_end)
    }
    let mut pairs = found.split('\n').zip(old.split('\n'));
    pairs.all(|(found, old)| is_blank(old) || rest(found, found_indent) == rest(old, old_indent))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found<'a>(text: &'a str, old: &str) -> Vec<&'a str> {
        windows(&Search::new(text, old)).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn only_the_common_depth_may_differ() {
        let text = "z\n    if a:\n\n        b\nz";
        assert_eq!(found(text, "if a:\n\n    b"), ["    if a:\n\n        b"]);
        assert_eq!(found(text, "if a:\n\n  b"), Vec::<&str>::new());
        assert_eq!(found(text, "if a:\n \n    b"), Vec::<&str>::new());
        assert_eq!(found(text, "if a: \n\n    b"), Vec::<&str>::new());
        assert_eq!(found("  a\n  b\n    a\n    b", "a\nb"), ["  a\n  b", "    a\n    b"]);
    }

    #[test]
    fn a_constant_shift_moves_the_new_text() {
        let found = "        if a:\n            b\n";
        let new = "    if a:\n        c\n\n    else:\n  d\n";
        let moved = "        if a:\n            c\n\n        else:\n  d\n";
        assert_eq!(shifted(found, "    if a:\n        b\n", new), moved);
        assert_eq!(shifted("\tx", "x ", "y\n\tz"), "\ty\n\t\tz");
        assert_eq!(shifted("x", "  x", "  y\n    z"), "y\n  z");
        assert_eq!(shifted("\tx", "    x", "    y"), "\ty");
    }

    #[test]
    fn an_uneven_shift_moves_nothing() {
        let new = "if a:\n    c";
        assert_eq!(shifted("  if a:\n    b", "if a:\n    b", new), new);
        assert_eq!(shifted("\tif a:\n\t\tb", "if a:\n    b", new), new);
        assert_eq!(shifted("if a:\n        b", "if a:\n    b", new), new);
    }

    proptest! {
        #[test]
        fn every_window_is_compared(text in "[a \n]{0,30}", old in "[a \n]{0,6}a") {
            let search = Search::new(&text, &old);
            let size = search.old_lines.len();
            let all: Vec<&str> = text.split('\n').collect();
            let firsts = (0..(all.len() + 1).saturating_sub(size)).filter(|&first| {
                dedented(&all[first..first + size]) == dedented(&search.old_lines)
            });
            let expected: Vec<_> = firsts.map(|first| search.lines.span(first, size)).collect();
            // Each of them is one that trimming finds, too.
            prop_assert!(expected.iter().all(|place| search.trimmed_windows().contains(place)));
            prop_assert_eq!(windows(&search), expected);
        }
    }
}
