//! Line endings: matching does not see them, writing keeps them.

use std::borrow::Cow;
use std::ops::Range;

use crate::Hunk;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl Ending {
    /// The characters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// A text in which every line ends in a line feed, and the way back to the one it was made from.
#[derive(Debug, Clone)]
pub struct Unified<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    /// Where, in `text`, the line feeds stand that were `\r\n`. Each is one byte longer in the original.
    pairs: Vec<usize>,
}

impl<'a> Unified<'a> {
    /// Unifies the line endings of `original`.
    pub fn new(original: &'a str) -> Self {
        let bytes = original.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return Self { original, text: Cow::Borrowed(original), pairs: Vec::new() };
        }
        let mut text = String::with_capacity(original.len());
        let (mut pairs, mut at) = (Vec::new(), 0);
        for cr in memchr::memchr_iter(b'\r', bytes) {
            text.push_str(&original[at..cr]);
            at = cr + 1;
            if bytes.get(at) == Some(&b'\n') {
                pairs.push(text.len());
                at += 1;
            }
            text.push('\n');
        }
        text.push_str(&original[at..]);
        Self { original, text: Cow::Owned(text), pairs }
    }

    /// The unified text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place in the original that a place in the unified text stands for.
    pub fn original_offset(&self, offset: usize) -> usize {
        offset + self.pairs.partition_point(|&pair| pair < offset)
    }

    /// The same for a range.
    pub fn original_range(&self, range: Range<usize>) -> Range<usize> {
        self.original_offset(range.start)..self.original_offset(range.end)
    }

    /// How lines end at a place of the unified text: in the range itself, else where its line ends, else before it.
    pub fn ending_at(&self, range: Range<usize>) -> Ending {
        let text = self.text.as_bytes();
        let inside = memchr::memchr(b'\n', &text[range.clone()]).map(|at| range.start + at);
        let after = || memchr::memchr(b'\n', &text[range.end..]).map(|at| range.end + at);
        let before = || memchr::memrchr(b'\n', &text[..range.start]);
        let Some(at) = inside.or_else(after).or_else(before) else { return Ending::Lf };
        if self.pairs.binary_search(&at).is_ok() {
            return Ending::CrLf;
        }
        if self.original.as_bytes()[self.original_offset(at)] == b'\r' { Ending::Cr } else { Ending::Lf }
    }

    /// A hunk of the original from one of the unified text: the new text gets the line endings of its place.
    pub fn original_hunk(&self, range: Range<usize>, text: &str) -> Hunk {
        let ending = self.ending_at(range.clone());
        let unified = unify(text);
        let text = match ending {
            Ending::Lf => unified.into_owned(),
            Ending::CrLf | Ending::Cr => unified.replace('\n', ending.as_str()),
        };
        Hunk { range: self.original_range(range), text }
    }
}

/// The text with every line ending as a line feed.
pub fn unify(text: &str) -> Cow<'_, str> {
    Unified::new(text).text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::apply;

    #[test]
    fn all_endings_are_seen_as_one_and_kept() {
        let original = "a\r\nb\nc\rd";
        let unified = Unified::new(original);
        assert_eq!(unified.text(), "a\nb\nc\nd");
        assert_eq!(unified.original_range(0..1), 0..1);
        assert_eq!(unified.original_range(1..2), 1..3);
        assert_eq!(unified.original_range(2..3), 3..4);
        assert_eq!(unified.ending_at(0..1), Ending::CrLf);
        assert_eq!(unified.ending_at(2..3), Ending::Lf);
        assert_eq!(unified.ending_at(4..5), Ending::Cr);
        assert_eq!(unified.ending_at(6..7), Ending::Cr);
        assert_eq!(unified.original_hunk(0..1, "x\ny"), Hunk { range: 0..1, text: "x\r\ny".into() });
        assert_eq!(Unified::new("a").ending_at(0..1), Ending::Lf);
    }

    proptest! {
        #[test]
        fn unifying_after_a_change_is_changing_after_unifying(
            text in "[ab\r\né]{0,20}", new in "[xy\n\r]{0,5}", from in 0usize..20, length in 0usize..20,
        ) {
            let unified = Unified::new(&text);
            let view = unified.text();
            let borders: Vec<usize> = (0..=view.len()).filter(|&at| view.is_char_boundary(at)).collect();
            let start = borders[from % borders.len()];
            let end = *borders.iter().filter(|&&at| at >= start).nth(length).unwrap_or(&view.len());
            let hunk = unified.original_hunk(start..end, &new);
            // A carriage return left alone before the change would join with a line feed that comes with it.
            prop_assume!(!(text[..hunk.range.start].ends_with('\r') && hunk.text.starts_with('\n')));
            prop_assume!(!(hunk.text.ends_with('\r') && text[hunk.range.end..].starts_with('\n')));
            prop_assume!(!(hunk.text.is_empty() && text[..hunk.range.start].ends_with('\r') && text[hunk.range.end..].starts_with('\n')));
            let expected = apply(view, &[Hunk { range: start..end, text: unify(&new).into_owned() }]);
            let changed = apply(&text, &[hunk]);
            prop_assert_eq!(unify(&changed), expected.as_str());
        }
    }
}
