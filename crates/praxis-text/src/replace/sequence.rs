//! Finding a sequence of lines or words: each becomes a number, and numbers are quick to compare.

use std::borrow::Cow;
use std::collections::HashMap;

/// Stands for everything that the sequence sought does not hold.
const OTHER: u32 = u32::MAX;

/// The items of the sequence sought, by number.
pub(super) struct Vocabulary<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
}

impl<'a> Vocabulary<'a> {
    /// Numbers the items and gives the sequence in numbers.
    pub(super) fn new(items: impl IntoIterator<Item = Cow<'a, str>>) -> (Self, Vec<u32>) {
        let mut numbers: HashMap<Cow<'a, str>, u32> = HashMap::new();
        let mut number = |item| {
            let next = u32::try_from(numbers.len()).unwrap_or(OTHER);
            *numbers.entry(item).or_insert(next)
        };
        let sequence = items.into_iter().map(&mut number).collect();
        (Self { numbers }, sequence)
    }

    /// The number of an item.
    pub(super) fn number(&self, item: &str) -> u32 {
        self.numbers.get(item).copied().unwrap_or(OTHER)
    }
}

/// Where `needle` begins in `hay`, overlaps included, in linear time (Knuth, Morris and Pratt).
pub(super) fn occurrences(hay: &[u32], needle: &[u32]) -> Vec<usize> {
    if needle.is_empty() {
        return (0..=hay.len()).collect();
    }
    let borders = borders(needle);
    let (mut found, mut matched) = (Vec::new(), 0);
    for (at, item) in hay.iter().enumerate() {
        while matched > 0 && (matched == needle.len() || needle[matched] != *item) {
            matched = borders[matched - 1];
        }
        if needle[matched] == *item {
            matched += 1;
        }
        if matched == needle.len() {
            found.push(at + 1 - matched);
        }
    }
    found
}

/// For each beginning of the sequence, how long a part both begins and ends it without being all of it.
fn borders(needle: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    let mut length = 0;
    for at in 1..needle.len() {
        while length > 0 && needle[length] != needle[at] {
            length = borders[length - 1];
        }
        if needle[length] == needle[at] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn items_not_sought_share_a_number() {
        let (vocabulary, sequence) = Vocabulary::new(["a", "b", "a"].map(Cow::Borrowed));
        assert_eq!(sequence, [0, 1, 0]);
        assert_eq!(["b", "x", "y"].map(|item| vocabulary.number(item)), [1, OTHER, OTHER]);
    }

    proptest! {
        #[test]
        fn every_window_is_compared(
            hay in prop::collection::vec(0u32..3, 0..40), needle in prop::collection::vec(0u32..3, 1..5),
        ) {
            let windows = hay.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle);
            let expected: Vec<usize> = windows.map(|(at, _)| at).collect();
            prop_assert_eq!(occurrences(&hay, &needle), expected);
        }
    }
}
