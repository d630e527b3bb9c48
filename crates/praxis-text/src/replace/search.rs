//! What is sought and where, in lines; every tolerant strategy reads it.

use std::borrow::Cow;
use std::ops::Range;

use super::sequence::{Vocabulary, occurrences};

/// A text cut at its line feeds.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(starts).collect() }
    }

    /// How many there are; a text that ends in a line feed has an empty last line.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// One line without its line feed.
    pub(super) fn get(&self, line: usize) -> &'a str {
        &self.text[self.span(line, 1)]
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(|line| self.get(line))
    }

    /// Where `count` lines stand, without the line feed of the last.
    pub(super) fn span(&self, first: usize, count: usize) -> Range<usize> {
        let end = self.starts.get(first + count).map_or(self.text.len(), |next| next - 1);
        self.starts[first]..end
    }

    /// The number, counted from 1, of the line that holds an offset.
    pub(super) fn number_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }
}

/// The text sought and the text to seek in.
pub(super) struct Search<'a> {
    /// Where to look, in line feeds.
    pub(super) text: &'a str,
    /// Its lines.
    pub(super) lines: Lines<'a>,
    /// Numbers for its lines, trimmed.
    pub(super) numbers: Vec<u32>,
    /// What to look for, in line feeds. It is not blank.
    pub(super) old: &'a str,
    /// Its lines.
    pub(super) old_lines: Vec<&'a str>,
    /// Numbers for the lines of the block, trimmed.
    pub(super) block: Vec<u32>,
}

impl<'a> Search<'a> {
    pub(super) fn new(text: &'a str, old: &'a str) -> Self {
        let old_lines: Vec<&str> = old.split('\n').collect();
        let (vocabulary, block) =
            Vocabulary::new(without_last_empty(&old_lines).iter().map(|line| Cow::Borrowed(line.trim())));
        let lines = Lines::new(text);
        let numbers = lines.iter().map(|line| vocabulary.number(line.trim())).collect();
        Self { text, lines, numbers, old, old_lines, block }
    }

    /// The lines sought, without the empty one that a final line feed makes.
    pub(super) fn block_lines(&self) -> &[&'a str] {
        without_last_empty(&self.old_lines)
    }

    /// The place of whole lines that stand for the block: with the last line feed if it was sought and is there.
    pub(super) fn place(&self, first: usize, count: usize) -> Range<usize> {
        let span = self.lines.span(first, count);
        let feed = self.block.len() < self.old_lines.len() && span.end < self.text.len();
        span.start..span.end + usize::from(feed)
    }

    /// The windows whose lines are those of the block after trimming.
    pub(super) fn trimmed_windows(&self) -> Vec<Range<usize>> {
        let found = occurrences(&self.numbers, &self.block);
        found.into_iter().map(|first| self.place(first, self.block.len())).collect()
    }
}

fn without_last_empty<'l, 'a>(lines: &'l [&'a str]) -> &'l [&'a str] {
    match lines {
        [rest @ .., ""] if !rest.is_empty() => rest,
        lines => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_places() {
        let lines = Lines::new("a\n\nbc\n");
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["a", "", "bc", ""]);
        assert_eq!((lines.span(0, 2), lines.span(2, 1), lines.span(2, 2)), (0..2, 3..5, 3..6));
        assert_eq!([0, 1, 2, 3, 5, 6].map(|at| lines.number_at(at)), [1, 1, 2, 3, 3, 4]);
    }

    #[test]
    fn a_final_line_feed_is_part_of_the_place_if_there_is_one() {
        let place = |text, old| Search::new(text, old).trimmed_windows();
        assert_eq!(place("x\n a\nb", "a\n"), [Range { start: 2, end: 5 }]);
        assert_eq!(place("x\n a\nb", "a "), [Range { start: 2, end: 4 }]);
        assert_eq!(place("x\n a", "a\n"), [Range { start: 2, end: 4 }]);
        assert_eq!(place("a\na\na", " a\na"), [0..3, 2..5]);
    }
}
