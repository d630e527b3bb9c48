//! What a file has where a patch expected something else; "not found" alone helps nobody.

use std::collections::HashMap;
use std::fmt;

use super::seek::Seeker;
use crate::floor_char;

/// How many lines of the file a message shows.
const SHOWN_LINES: usize = 12;
/// How many bytes of a line a message shows.
const SHOWN_BYTES: usize = 200;
/// How many lines of the patch a message repeats.
const REPEATED_LINES: usize = 60;
/// How many lines of the file are compared one by one when none of the patch's lines is in it.
const COMPARED_LINES: usize = 5_000;
/// How many resembling places are counted to find where most of the lines are.
const COUNTED_PLACES: usize = 20_000;
/// How alike two lines must be to be worth showing.
const ALIKE: f64 = 0.5;

/// The place of a file that comes closest to what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Near {
    /// Nothing comes close.
    Nothing,
    /// It is there, but above the chunk before.
    Above {
        /// The line, counted from one.
        line: usize,
    },
    /// These lines resemble it.
    Lines {
        /// The first of them, counted from one.
        first: usize,
        /// The lines, very long ones cut.
        lines: Vec<String>,
    },
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => {
                f.write_str("\nNo line there resembles it; read the file again before the next patch.")
            }
            Self::Above { line } => write!(
                f,
                "\nIt stands at line {line}, above the chunk before it; put the chunks in the order of the file."
            ),
            Self::Lines { first, lines } => {
                f.write_str(
                    "\nThe closest lines there are these; repeat them exactly, without the numbers:",
                )?;
                (*first..).zip(lines).try_for_each(|(number, line)| write!(f, "\n{number}: {line}"))
            }
        }
    }
}

/// The place of `lines` that comes closest to `pattern`, which was not found at or after line `from`.
pub(super) fn nearest(lines: &[&str], seeker: &mut Seeker<'_>, pattern: &[&str], from: usize) -> Near {
    if let Ok(Some(at)) = seeker.find(pattern, 0, false)
        && at < from
    {
        return Near::Above { line: at + 1 };
    }
    let best = most_agreed(seeker, pattern, from).or_else(|| most_alike(lines, pattern, from));
    let Some(start) = best else { return Near::Nothing };
    let end = lines.len().min(start + pattern.len().min(SHOWN_LINES));
    Near::Lines { first: start + 1, lines: lines[start..end].iter().map(|line| shortened(line)).collect() }
}

/// Where the most lines of the pattern stand in their places.
fn most_agreed(seeker: &mut Seeker<'_>, pattern: &[&str], from: usize) -> Option<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let places = seeker.places(pattern);
    let telling = places.into_iter().enumerate().filter(|&(offset, _)| !pattern[offset].trim().is_empty());
    let starts = telling.flat_map(|(offset, places)| {
        let after = places.partition_point(|&place| place < from + offset);
        places[after..].iter().map(move |place| place - offset)
    });
    for start in starts.take(COUNTED_PLACES) {
        *votes.entry(start).or_default() += 1;
    }
    // The first of the best, whatever the order of the map.
    votes.into_iter().max_by_key(|&(start, count)| (count, usize::MAX - start)).map(|(start, _)| start)
}

/// The line most like the first that says something.
fn most_alike(lines: &[&str], pattern: &[&str], from: usize) -> Option<usize> {
    let (offset, wanted) = pattern.iter().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let wanted = short(wanted.trim());
    let candidates = lines.iter().enumerate().skip(from).take(COMPARED_LINES);
    let scored = candidates.map(|(at, line)| (at, strsim::sorensen_dice(short(line.trim()), wanted)));
    let best = scored
        .filter(|&(_, score)| score >= ALIKE)
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(at, _)| at.saturating_sub(offset).max(from))
}

/// The lines of a pattern for a message.
pub(super) fn repeated(pattern: &[&str]) -> String {
    let mut lines: Vec<String> = pattern.iter().take(REPEATED_LINES).map(|line| shortened(line)).collect();
    if pattern.len() > REPEATED_LINES {
        lines.push(format!("… and {} more lines", pattern.len() - REPEATED_LINES));
    }
    lines.join("\n")
}

fn short(line: &str) -> &str {
    &line[..floor_char(line, SHOWN_BYTES)]
}

/// A line for a message.
pub(super) fn shortened(line: &str) -> String {
    let start = short(line);
    if start.len() == line.len() { line.to_owned() } else { format!("{start}…") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::seek::MAX_STEPS;

    fn near(lines: &[&str], pattern: &[&str], from: usize) -> Near {
        nearest(lines, &mut Seeker::new(lines, pattern.to_vec(), MAX_STEPS), pattern, from)
    }

    #[test]
    fn the_place_where_most_lines_agree_is_shown() {
        let lines = ["fn a() {", "  one", "}", "fn b() {", "  one", "  two", "}"];
        let expected =
            Near::Lines { first: 4, lines: vec!["fn b() {".into(), "  one".into(), "  two".into()] };
        assert_eq!(near(&lines, &["fn b() {", "  one", "  three"], 0), expected);
        assert_eq!(
            expected.to_string(),
            "\nThe closest lines there are these; repeat them exactly, without the numbers:\n4: fn b() {\n5:   one\n6:   two"
        );
    }

    #[test]
    fn the_first_of_like_places_is_shown() {
        let expected = Near::Lines { first: 1, lines: vec!["k".into(), "x".into()] };
        assert_eq!(near(&["k", "x", "k", "y", "k", "w"], &["k", "z"], 0), expected);
    }

    #[test]
    fn a_line_that_is_almost_the_same_is_shown() {
        let lines = ["alpha", "let total = count + 1;", "omega"];
        let expected = Near::Lines { first: 2, lines: vec!["let total = count + 1;".into()] };
        assert_eq!(near(&lines, &["let total = count + 2;"], 0), expected);
        assert_eq!(near(&lines, &["nothing of the kind"], 0), Near::Nothing);
        assert_eq!(near(&lines, &[""], 0), Near::Nothing);
    }

    #[test]
    fn lines_above_the_chunk_before_are_told_as_such() {
        assert_eq!(near(&["a", "b", "c"], &["a"], 2), Near::Above { line: 1 });
    }

    #[test]
    fn messages_stay_short() {
        let lines = vec!["x"; 61];
        let line = "é".repeat(101);
        assert_eq!(repeated(&lines[..60]), lines[..60].join("\n"));
        assert_eq!(repeated(&lines), format!("{}\n… and 1 more lines", lines[..60].join("\n")));
        assert_eq!(shortened(&line[..200]), &line[..200]);
        assert_eq!(shortened(&line), format!("{}…", &line[..200]));
    }
}
