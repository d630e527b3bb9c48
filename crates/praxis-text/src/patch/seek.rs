//! Finding the lines of a patch in a file, closely first and then less closely.

use std::borrow::Cow;
use std::collections::HashMap;

/// How many line comparisons the chunks of one file may take together.
pub(super) const MAX_STEPS: usize = 200_000_000;

/// How much a line of the file may differ from a line of the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Not at all.
    Exact,
    /// In the blanks at its end.
    TrailingBlanks,
    /// In the blanks at both ends.
    Blanks,
    /// In these, and in typographic punctuation where the patch has ASCII, or the other way round.
    Punctuation,
}

impl Closeness {
    const ALL: [Self; 4] = [Self::Exact, Self::TrailingBlanks, Self::Blanks, Self::Punctuation];

    /// What is left of a line when the allowed differences are taken out.
    fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::TrailingBlanks => Cow::Borrowed(line.trim_end()),
            Self::Blanks => Cow::Borrowed(line.trim()),
            Self::Punctuation => folded(line.trim()),
        }
    }
}

/// The line with typographic quotes, dashes, ellipses and no-break spaces as ASCII.
fn folded(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{2018}'..='\u{201b}' => out.push('\''),
            '\u{201c}'..='\u{201f}' => out.push('"'),
            '\u{2010}'..='\u{2015}' => out.push('-'),
            '\u{2026}' => out.push_str("..."),
            '\u{a0}' => out.push(' '),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The search took more steps than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooManySteps;

/// The lines of a file, ready to be searched for lines of a patch.
pub(super) struct Seeker<'a> {
    lines: &'a [&'a str],
    wanted: Vec<&'a str>,
    /// One for each closeness, made when it is first needed.
    indexes: [Option<Index>; 4],
    steps_left: usize,
}

impl<'a> Seeker<'a> {
    /// `wanted` are all lines that will be looked for; others are never found.
    pub(super) fn new(lines: &'a [&'a str], wanted: Vec<&'a str>, max_steps: usize) -> Self {
        Self { lines, wanted, indexes: [None, None, None, None], steps_left: max_steps }
    }

    /// Where `pattern` stands at or after line `from`: the first closest place, or for an `end_of_file` chunk first
    /// the end of the file.
    pub(super) fn find(
        &mut self,
        pattern: &[&str],
        from: usize,
        end_of_file: bool,
    ) -> Result<Option<usize>, TooManySteps> {
        let Some(last) = self.lines.len().checked_sub(pattern.len()) else { return Ok(None) };
        if pattern.is_empty() || from > last {
            return Ok(None);
        }
        for closeness in Closeness::ALL {
            let steps_left = self.steps_left;
            let (index, ids) = self.ids(closeness, pattern);
            if end_of_file && index.stands_at(&ids, last) {
                return Ok(Some(last));
            }
            let (found, steps) = index.find(&ids, from);
            self.steps_left = steps_left.checked_sub(steps).ok_or(TooManySteps)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Whether `pattern` stands at exactly this line, as loosely as may be.
    pub(super) fn stands_at(&mut self, pattern: &[&str], at: usize) -> bool {
        let (index, ids) = self.ids(Closeness::Punctuation, pattern);
        !ids.is_empty() && index.stands_at(&ids, at)
    }

    /// For each line of `pattern` the lines of the file that resemble it.
    pub(super) fn places<'s>(&'s mut self, pattern: &[&str]) -> Vec<&'s [usize]> {
        let (index, ids) = self.ids(Closeness::Punctuation, pattern);
        ids.iter().map(|&id| index.places_of(id)).collect()
    }

    fn ids(&mut self, closeness: Closeness, pattern: &[&str]) -> (&Index, Vec<u32>) {
        let slot = &mut self.indexes[closeness as usize];
        let index = slot.get_or_insert_with(|| Index::new(closeness, self.lines, &self.wanted));
        let ids = pattern.iter().map(|line| index.id(line)).collect();
        (index, ids)
    }
}

/// Where in a file the lines of a patch stand, by number instead of by text.
struct Index {
    closeness: Closeness,
    ids: HashMap<String, u32>,
    /// The number of every line of the file.
    lines: Vec<u32>,
    /// For every number the lines that have it, in order.
    places: Vec<Vec<usize>>,
}

/// The number of all lines that the patch does not mention.
const UNKNOWN: u32 = u32::MAX;

impl Index {
    fn new(closeness: Closeness, lines: &[&str], wanted: &[&str]) -> Self {
        let mut ids = HashMap::new();
        for (number, line) in (0..UNKNOWN).zip(wanted) {
            ids.entry(closeness.key(line).into_owned()).or_insert(number);
        }
        let mut places = vec![Vec::new(); wanted.len()];
        let number = |line: &&str| ids.get(closeness.key(line).as_ref()).copied().unwrap_or(UNKNOWN);
        let lines: Vec<u32> = lines.iter().map(number).collect();
        for (at, &id) in lines.iter().enumerate().filter(|&(_, &id)| id != UNKNOWN) {
            places[id as usize].push(at);
        }
        Self { closeness, ids, lines, places }
    }

    fn id(&self, line: &str) -> u32 {
        self.ids.get(self.closeness.key(line).as_ref()).copied().unwrap_or(UNKNOWN)
    }

    fn places_of(&self, id: u32) -> &[usize] {
        self.places.get(id as usize).map_or(&[], Vec::as_slice)
    }

    fn stands_at(&self, ids: &[u32], at: usize) -> bool {
        // Lines that the patch does not mention share a number but are not alike.
        !ids.contains(&UNKNOWN) && self.lines.get(at..at + ids.len()) == Some(ids)
    }

    /// The first place at or after `from`, and what it cost to look.
    fn find(&self, ids: &[u32], from: usize) -> (Option<usize>, usize) {
        let after = |(offset, &id): (usize, &u32)| {
            let places = self.places_of(id);
            (offset, &places[places.partition_point(|&place| place < from + offset)..])
        };
        let rarest = ids.iter().enumerate().map(after).min_by_key(|(_, places)| places.len());
        let Some((offset, places)) = rarest else { return (None, 0) };
        let all = self.lines.len() - from;
        if places.len().saturating_mul(ids.len()) > all {
            let found = self.scan(ids, from);
            return (found, ids.len() + found.map_or(all, |at| at - from + ids.len()));
        }
        let found = places.iter().position(|place| self.stands_at(ids, place - offset));
        let looked_at = found.map_or(places.len(), |nth| nth + 1);
        (found.map(|nth| places[nth] - offset), ids.len() * (1 + looked_at))
    }

    /// The first place at or after `from`, without ever looking at a line of the file twice: when the patch starts
    /// like the file does in many places, comparing at each of them would take the product of both lengths.
    fn scan(&self, ids: &[u32], from: usize) -> Option<usize> {
        let borders = borders(ids);
        let mut matched = 0;
        for (at, &id) in self.lines.iter().enumerate().skip(from) {
            while matched > 0 && ids[matched] != id {
                matched = borders[matched - 1];
            }
            if ids[matched] == id {
                matched += 1;
            }
            if matched == ids.len() {
                return Some(at + 1 - matched);
            }
        }
        None
    }
}

/// For each beginning of the pattern, the length of its longest proper beginning that is also its end.
fn borders(ids: &[u32]) -> Vec<usize> {
    let mut borders = vec![0; ids.len()];
    let mut matched = 0;
    for at in 1..ids.len() {
        while matched > 0 && ids[matched] != ids[at] {
            matched = borders[matched - 1];
        }
        if ids[matched] == ids[at] {
            matched += 1;
        }
        borders[at] = matched;
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(lines: &[&str], pattern: &[&str], from: usize, end_of_file: bool) -> Option<usize> {
        Seeker::new(lines, pattern.to_vec(), MAX_STEPS).find(pattern, from, end_of_file).unwrap()
    }

    #[test]
    fn the_closest_place_wins_before_the_first() {
        assert_eq!(find(&["  a", "a ", "a"], &["a"], 0, false), Some(2));
        assert_eq!(find(&["  a", "a "], &["a"], 0, false), Some(1));
        assert_eq!(find(&["b", "  a"], &["a"], 0, false), Some(1));
        assert_eq!(find(&["“a” – ‘b’…\u{a0}c"], &["\"a\" - 'b'... c"], 0, false), Some(0));
        assert_eq!(find(&["\"a\" - 'b'... c"], &["“a” – ‘b’…\u{a0}c"], 0, false), Some(0));
        assert_eq!(find(&["b"], &["a"], 0, false), None);
    }

    #[test]
    fn the_search_starts_where_it_is_told_to() {
        assert_eq!(find(&["a", "b", "a"], &["a"], 1, false), Some(2));
        assert_eq!(find(&["a", "b", "a"], &["a"], 3, false), None);
        assert_eq!(find(&["a", "b"], &["b", "a"], 1, false), None);
        assert_eq!(find(&["a"], &[], 0, false), None);
        assert_eq!(find(&[], &["a"], 0, false), None);
    }

    #[test]
    fn the_end_of_the_file_is_tried_first_if_asked() {
        assert_eq!(find(&["a", "b", "a"], &["a"], 0, true), Some(2));
        assert_eq!(find(&["a", "b", "c"], &["a"], 0, true), Some(0));
        assert_eq!(find(&["a", "b", "a"], &["a"], 3, true), None);
    }

    #[test]
    fn lines_that_nobody_asked_for_are_not_alike() {
        let mut seeker = Seeker::new(&["x", "y"], vec!["a"], MAX_STEPS);
        assert_eq!(seeker.find(&["z"], 0, true), Ok(None));
        assert!(!seeker.stands_at(&["z"], 0));
    }

    #[test]
    fn the_search_gives_up_after_its_steps_and_not_before() {
        let lines = ["a", "b", "a"];
        // One step for the pattern and one for the place that is looked at; a second search takes as many.
        let mut enough = Seeker::new(&lines, vec!["a"], 4);
        assert_eq!(enough.find(&["a"], 0, false), Ok(Some(0)));
        assert_eq!(enough.find(&["a"], 1, false), Ok(Some(2)));
        let mut short = Seeker::new(&lines, vec!["a"], 3);
        assert_eq!(short.find(&["a"], 0, false), Ok(Some(0)));
        assert_eq!(short.find(&["a"], 1, false), Err(TooManySteps));
    }

    proptest! {
        #[test]
        fn the_place_is_the_first_of_the_closest(
            lines in prop::collection::vec("[ab]{1,2} ?", 0..40),
            pattern in prop::collection::vec("[ab]{1,2} ?", 1..4),
            from in 0usize..10,
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let pattern: Vec<&str> = pattern.iter().map(String::as_str).collect();
            let naive = Closeness::ALL.iter().find_map(|closeness| {
                let same = |(a, b): (&&str, &&str)| closeness.key(a) == closeness.key(b);
                (from..lines.len()).find(|&at| {
                    at + pattern.len() <= lines.len() && lines[at..].iter().zip(&pattern).all(same)
                })
            });
            prop_assert_eq!(find(&lines, &pattern, from, false), naive);
        }

        #[test]
        fn scanning_finds_what_comparing_finds(
            lines in prop::collection::vec("[ab]", 0..40),
            pattern in prop::collection::vec("[ab]", 1..6),
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let pattern: Vec<&str> = pattern.iter().map(String::as_str).collect();
            let index = Index::new(Closeness::Exact, &lines, &pattern);
            let ids: Vec<u32> = pattern.iter().map(|line| index.id(line)).collect();
            prop_assert_eq!(index.scan(&ids, 0), lines.windows(pattern.len()).position(|at| at == pattern));
        }
    }
}
