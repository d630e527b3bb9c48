//! The lines that come closest to a text that is not there.

use super::likeness::{Budget, likeness};
use super::search::Search;

/// Lines shown.
const LINES: usize = 10;
/// Characters shown of each.
const LINE_CHARS: usize = 200;
/// Places of the rarest common line that are looked at.
const PLACES: usize = 50;
/// Lines compared at each.
const COMPARED: usize = 200;
/// Shared pieces below which two lines have nothing to do with each other.
const RELATED: f64 = 0.4;
/// Longer lines, in bytes, are not looked at piece by piece.
const LOOKED_AT: usize = 2_000;

/// What comes closest to a text that was not found.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Where it begins, counted from 1.
    pub first_line: usize,
    /// The lines as they stand in the file; long ones are cut.
    pub lines: Vec<String>,
    /// How like the lines sought they are, from 0 to 1.
    pub similarity: f64,
}

/// The lines that come closest, in time linear in the text.
pub(super) fn nearest(search: &Search<'_>) -> Option<Nearest> {
    let first = by_equal_line(search).or_else(|| by_pieces(search))?;
    let end = search.lines.len().min(first + search.block.len().min(LINES));
    let lines = || (first..end).map(|line| search.lines.get(line));

    let mut budget = Budget::new();
    let pairs = search.block_lines().iter().zip(lines());
    let sum: f64 = pairs.map_while(|(old, line)| likeness(old.trim(), line.trim(), &mut budget)).sum();
    let similarity = sum / search.block.len().min(LINES) as f64;
    Some(Nearest { first_line: first + 1, lines: lines().map(shown).collect(), similarity })
}

fn shown(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Around the rarest line that both texts have, where most other lines are equal too.
fn by_equal_line(search: &Search<'_>) -> Option<usize> {
    let mut counts = vec![0usize; search.block.len()];
    for number in &search.numbers {
        if let Some(count) = counts.get_mut(*number as usize) {
            *count += 1;
        }
    }
    let count = |at: &usize| counts[search.block[*at] as usize];
    let telling = |at: &usize| search.old_lines[*at].contains(char::is_alphanumeric) && count(at) > 0;
    let anchor = (0..search.block.len()).filter(telling).min_by_key(count)?;

    let lines = search.numbers.iter().enumerate();
    let places = lines.filter(|(_, number)| **number == search.block[anchor]).map(|(line, _)| line);
    let equal = |first: &usize| {
        let pairs = search.block.iter().zip(&search.numbers[*first..]).take(COMPARED);
        pairs.filter(|(old, line)| old == line).count()
    };
    // `max_by_key` takes the last of equals; reversed, that is the first place.
    let firsts: Vec<usize> = places.take(PLACES).map(|line| line.saturating_sub(anchor)).collect();
    firsts.into_iter().rev().max_by_key(equal)
}

/// Around the line that shares the most pieces of three bytes with the longest line sought.
fn by_pieces(search: &Search<'_>) -> Option<usize> {
    let old = search.block_lines().iter().map(|line| line.trim()).enumerate();
    let (anchor, old) = old.filter(|(_, line)| line.len() <= LOOKED_AT).max_by_key(|(_, line)| line.len())?;
    let mut known = vec![false; 1 << 16];
    for piece in pieces(old) {
        known[piece] = true;
    }
    let sought = pieces(old).count();
    let (mut best, mut best_share) = (None, RELATED);
    for (number, line) in search.lines.iter().map(str::trim).enumerate() {
        if line.len() > LOOKED_AT {
            continue;
        }
        let (shared, total) = pieces(line)
            .fold((0, 0), |(shared, total), piece| (shared + usize::from(known[piece]), total + 1));
        let share = 2.0 * shared.min(sought) as f64 / (sought + total).max(1) as f64;
        if share > best_share {
            (best, best_share) = (Some(number), share);
        }
    }
    best.map(|line: usize| line.saturating_sub(anchor))
}

/// Every three bytes in a row, as a number below 2¹⁶. Rare collisions only make a line look a little more alike.
fn pieces(line: &str) -> impl Iterator<Item = usize> + '_ {
    let mix = |three: &[u8]| three.iter().fold(0, |sum: usize, byte| sum * 41 + usize::from(*byte)) & 0xffff;
    line.as_bytes().windows(3).map(mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, old: &str) -> Option<(usize, Vec<String>)> {
        nearest(&Search::new(text, old)).map(|nearest| (nearest.first_line, nearest.lines))
    }

    #[test]
    fn an_equal_line_points_to_the_place() {
        let text = "a\n}\nfn two() {\n    body();\n}\nfn three() {\n    body();\n}\n";
        let lines = ["fn three() {", "    body();", "}"].map(String::from).to_vec();
        assert_eq!(near(text, "fn thre() {\n  body();\n}").map(|(line, _)| line), Some(3));
        assert_eq!(near(text, "fn three() {\n  bodi();\n}"), Some((6, lines)));
    }

    #[test]
    fn a_similar_line_does_too() {
        let text = "zero\nlet retrun_value = 1;\nother\n";
        let found = nearest(&Search::new(text, "let return_value = 1;"));
        let lines = vec!["let retrun_value = 1;".into()];
        assert_eq!(found, Some(Nearest { first_line: 2, lines, similarity: 1.0 - 2.0 / 21.0 }));
        assert_eq!(near("completely different", "let return_value = 1;"), None);
        assert_eq!(near("", "x y"), None);
        assert_eq!(near("}\n}", "}\nx y\n}"), None);
    }

    #[test]
    fn what_is_shown_is_short() {
        let text = format!("start\n{}\n{}", "é".repeat(LINE_CHARS + 1), "line\n".repeat(50));
        let old = format!("start\n{}", "other\n".repeat(50));
        let (_, lines) = near(&text, &old).unwrap();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[1], format!("{}…", "é".repeat(LINE_CHARS)));
    }
}
