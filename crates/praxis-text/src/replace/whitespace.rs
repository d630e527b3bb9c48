//! The same words, whatever whitespace parts them.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::Finder;

use super::search::Search;
use super::sequence::{Vocabulary, occurrences};

/// Places in one line that hold the words of the old text, and windows of as many lines that consist of them.
pub(super) fn places(search: &Search<'_>) -> Vec<Range<usize>> {
    let mut places = in_lines(search);
    if search.block.len() > 1 {
        let windows = windows(search);
        // A window around a line that holds all the words is the same place once more.
        let inside = |window: &Range<usize>| {
            let at = places.partition_point(|place| place.start < window.start);
            places.get(at).is_some_and(|place| place.end <= window.end)
        };
        let others: Vec<_> = windows.into_iter().filter(|window| !inside(window)).collect();
        places.extend(others);
        places.sort_by_key(|place| place.start);
    }
    places
}

fn in_lines(search: &Search<'_>) -> Vec<Range<usize>> {
    let mut old = String::new();
    normalise(search.old, &mut old);
    let finder = Finder::new(&old);
    let (mut places, mut line) = (Vec::new(), String::new());
    for number in 0..search.lines.len() {
        let span = search.lines.span(number, 1);
        let text = &search.text[span.clone()];
        normalise(text, &mut line);
        if line == old {
            places.push(span);
            continue;
        }
        let mut found = finder.find_iter(line.as_bytes()).peekable();
        if found.peek().is_some() {
            let words = Words::new(text);
            places.extend(
                found.map(|at| span.start + words.original(at)..span.start + words.original(at + old.len())),
            );
        }
    }
    places
}

/// Writes the words of `text`, one space between two, into `out`.
fn normalise(text: &str, out: &mut String) {
    out.clear();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Where words stand: in the normalised text and in the one it was made from.
struct Words {
    starts: Vec<(usize, usize)>,
}

impl Words {
    fn new(text: &str) -> Self {
        let mut normalised = 0;
        let start = |word: &str| {
            let start = (normalised, word.as_ptr().addr() - text.as_ptr().addr());
            normalised += word.len() + 1;
            start
        };
        Self { starts: text.split_whitespace().map(start).collect() }
    }

    /// The offset in the text for one in a normalised word or at its end.
    fn original(&self, at: usize) -> usize {
        let word = self.starts.partition_point(|&(normalised, _)| normalised <= at).saturating_sub(1);
        self.starts.get(word).map_or(at, |(normalised, original)| original + (at - normalised))
    }
}

fn windows(search: &Search<'_>) -> Vec<Range<usize>> {
    let (vocabulary, sought) = Vocabulary::new(search.old.split_whitespace().map(Cow::Borrowed));
    let mut numbers = Vec::new();
    // How many words stand before each line, and how many there are.
    let mut before = vec![0];
    for line in search.lines.iter() {
        numbers.extend(line.split_whitespace().map(|word| vocabulary.number(word)));
        before.push(numbers.len());
    }
    let size = search.block.len();
    let blank = search.block_lines().iter().take_while(|line| line.trim().is_empty()).count();
    // The lines before which exactly so many words stand: more than one if some of them are blank.
    let lines_at = |words: usize| {
        let from = before.partition_point(|&count| count < words);
        from..before.partition_point(|&count| count <= words)
    };
    let window = |first_word: usize| {
        let (starts, ends) = (lines_at(first_word), lines_at(first_word + sought.len()));
        let from = starts.start.max(ends.start.saturating_sub(size));
        let to = starts.end.min(ends.end.saturating_sub(size)).checked_sub(1)?;
        // Blank lines around the words may leave a choice; the block's own number of them comes first.
        let wanted = starts.end.saturating_sub(1 + blank);
        (from <= to).then(|| search.place(wanted.clamp(from, to), size))
    };
    occurrences(&numbers, &sought).into_iter().filter_map(window).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found<'a>(text: &'a str, old: &str) -> Vec<&'a str> {
        places(&Search::new(text, old)).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn whole_lines_and_parts_of_lines() {
        assert_eq!(found("a\n  x  =\t1 \nb", "x = 1"), ["  x  =\t1 "]);
        assert_eq!(found("if (x  ==  1) {", "x == 1"), ["x  ==  1"]);
        assert_eq!(found("foo \u{3000}é bar", "oo é b"), ["oo \u{3000}é b"]);
        assert_eq!(found("let  a   b;", "a b"), ["a   b"]);
        assert_eq!(found("a  b; a\tb;", "a b"), ["a  b", "a\tb"]);
        assert_eq!(found("x == 1", "x = 1"), Vec::<&str>::new());
    }

    #[test]
    fn several_lines_by_their_words() {
        assert_eq!(found("z\nfoo(a,  b,\n  c);\nz", "foo(a, b,\nc);"), ["foo(a,  b,\n  c);"]);
        assert_eq!(found("z\nfoo(a,\n b, c);\nz", "foo(a, b,\nc);\n"), ["foo(a,\n b, c);\n"]);
        assert_eq!(found("foo(a, b, c);", "foo(a, b,\nc);"), ["foo(a, b, c);"]);
        assert_eq!(found("foo(a, b,\nd);", "foo(a, b,\nc);"), Vec::<&str>::new());
        assert_eq!(found("x foo(a, b,\nc);", "foo(a, b,\nc);"), Vec::<&str>::new());
    }

    #[test]
    fn one_place_is_found_once_whatever_blank_lines_surround_it() {
        assert_eq!(found("\n\na b\nc\n\n", "a  b\n\nc"), ["a b\nc\n"]);
        assert_eq!(found("z\n\n\na b\nc", "a  b\n\nc"), ["\na b\nc"]);
        assert_eq!(found("z\n\na b c\n\n", "a b\nc"), ["a b c"]);
    }

    proptest! {
        #[test]
        fn every_window_with_the_same_words_is_found(text in "[ab \n]{0,30}", old in "[ab][ab \n]{0,6}\n[ab ]{0,3}[ab]") {
            let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
            let search = Search::new(&text, &old);
            let found = windows(&search);
            for place in &found {
                prop_assert_eq!(words(&text[place.clone()]), words(&old));
                prop_assert_eq!(text[place.clone()].split('\n').count(), search.old_lines.len());
            }
            for first in 0..(search.lines.len() + 1).saturating_sub(search.block.len()) {
                let window = search.lines.span(first, search.block.len());
                let overlaps = |place: &Range<usize>| place.start < window.end && window.start < place.end;
                prop_assert!(words(&text[window.clone()]) != words(&old) || found.iter().any(overlaps));
            }
        }
    }
}
