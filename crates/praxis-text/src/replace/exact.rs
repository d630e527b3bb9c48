//! Finding a text as it is.

use std::ops::Range;

use memchr::memmem::{self, Finder};

/// Every place of `needle` in `text`, left to right, none overlapping the one before.
pub(super) fn places(text: &str, needle: &str) -> Vec<Range<usize>> {
    let place = |start| start..start + needle.len();
    memmem::find_iter(text.as_bytes(), needle.as_bytes()).map(place).collect()
}

/// Every place where the text at `place` stands, that one included. Two that overlap are two.
///
/// Overlaps are looked for only if nothing else was found: counting them all could take forever.
pub(super) fn twins(text: &str, place: &Range<usize>) -> Vec<Range<usize>> {
    let needle = &text[place.clone()];
    let mut twins = places(text, needle);
    if let [only] = &twins[..] {
        let from = only.start + 1;
        let second = Finder::new(needle).find(&text.as_bytes()[from.min(text.len())..]);
        twins.extend(second.map(|at| from + at..from + at + needle.len()));
    }
    twins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_may_overlap() {
        assert_eq!(places("aaaa", "aa"), [0..2, 2..4]);
        assert_eq!(twins("aaa", &(0..2)), [0..2, 1..3]);
        assert_eq!(twins("aaa", &(1..3)), [0..2, 1..3]);
        assert_eq!(twins("aab", &(0..2)), [Range { start: 0, end: 2 }]);
        assert_eq!(twins("éé", &(0..2)), [0..2, 2..4]);
    }
}
