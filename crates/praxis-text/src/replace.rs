//! Replacing one piece of text by another, exactly where it can be and tolerantly where that is safe.
//!
//! ```
//! use praxis_text::{apply, replace::replace};
//!
//! let content = "fn main() {\r\n    run();\r\n}\r\n";
//! let change = replace(content, "run();", "walk();\nrun();", false)?;
//! assert_eq!(apply(content, &change.hunks), "fn main() {\r\n    walk();\r\nrun();\r\n}\r\n");
//! # Ok::<(), praxis_text::replace::ReplaceError>(())
//! ```
//!
//! The exact text goes first; the tolerant strategies follow only if it stands nowhere, each a little looser than
//! the last. The first strategy that finds anything decides: one place is changed, several are an error unless
//! all of them are wanted. No place is ever chosen among equals.
//!
//! Tolerance is about finding. What comes is `new` as given, with three adjustments that keep a change in its place:
//!
//! - its line endings are those of the place;
//! - when whole lines were found at another depth and every one of them is shifted alike, the lines of `new` that
//!   begin with the common indentation of `old` get that of the place instead;
//! - line feeds that end both `old` and `new`, but not what was found, are left out, for the file has its own.

mod anchors;
mod error;
mod escapes;
mod exact;
mod fuzz;
mod indentation;
mod likeness;
mod nearest;
mod search;
mod sequence;
#[cfg(test)]
mod tests;
mod whitespace;

use std::borrow::Cow;
use std::ops::Range;

use self::search::Search;
use crate::{Ending, Hunk, Unified, unify};

pub use self::error::ReplaceError;
pub use self::fuzz::fuzz;
pub use self::nearest::Nearest;

/// A replacement that can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What goes and what comes, in order and without overlap, over the content as given.
    pub hunks: Vec<Hunk>,
    /// How the places were found.
    pub strategy: Strategy,
}

/// A way to find the old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The text as it is.
    Simple,
    /// The same lines, whatever whitespace begins and ends them.
    LineTrimmed,
    /// The same first and last line, and enough likeness between them.
    BlockAnchor,
    /// The same words, whatever whitespace parts them.
    WhitespaceNormalized,
    /// The same lines at another depth. Whatever it fits, `LineTrimmed` has met already.
    IndentationFlexible,
    /// The same text with its escapes undone.
    EscapeNormalized,
    /// The same text without the whitespace around it.
    TrimmedBoundary,
    /// The same first and last line, and half of the lines between them.
    ContextAware,
    /// Every exact occurrence. `Simple` has met them already, so no replacement names it.
    MultiOccurrence,
}

/// The strategies that look for less than the exact text, in their order.
const TOLERANT: [Strategy; 7] = [
    Strategy::LineTrimmed,
    Strategy::BlockAnchor,
    Strategy::WhitespaceNormalized,
    Strategy::IndentationFlexible,
    Strategy::EscapeNormalized,
    Strategy::TrimmedBoundary,
    Strategy::ContextAware,
];

/// Finds where `old` stands in `content` and gives the hunks that put `new` there.
///
/// `all` wants every place instead of the only one.
pub fn replace(content: &str, old: &str, new: &str, all: bool) -> Result<Replacement, ReplaceError> {
    let (old, new) = (unify(old), unify(new));
    if old == new {
        return Err(ReplaceError::Identical);
    }
    if old.is_empty() {
        return Err(ReplaceError::EmptyOld);
    }
    let unified = Unified::new(content);
    let text = unified.text();
    let exact = exact::places(text, &old);
    if !exact.is_empty() {
        let places = settle(text, exact, all)?;
        let hunks = hunks(&unified, &places, |_| Cow::Borrowed(&new));
        return Ok(Replacement { hunks, strategy: Strategy::Simple });
    }
    // Tolerance about whitespace would make nothing but whitespace fit everywhere.
    if old.trim().is_empty() {
        return Err(ReplaceError::NotFound { nearest: None });
    }
    tolerant(&unified, &old, &new, all)
}

fn tolerant(unified: &Unified<'_>, old: &str, new: &str, all: bool) -> Result<Replacement, ReplaceError> {
    let text = unified.text();
    let search = Search::new(text, old);
    for strategy in TOLERANT {
        let found = places(&search, strategy);
        if found.is_empty() {
            continue;
        }
        let places = settle(text, found, all)?;
        if let Some(place) = places.iter().find(|place| disproportionate(&text[(*place).clone()], old)) {
            return Err(ReplaceError::Disproportionate {
                first_line: search.lines.number_at(place.start),
                found_lines: line_count(&text[place.clone()]),
                old_lines: line_count(old),
            });
        }
        let hunks = hunks(unified, &places, |place| fitted(strategy, &text[place], old, new));
        return Ok(Replacement { hunks, strategy });
    }
    Err(ReplaceError::NotFound { nearest: nearest::nearest(&search) })
}

fn places(search: &Search<'_>, strategy: Strategy) -> Vec<Range<usize>> {
    match strategy {
        Strategy::Simple | Strategy::MultiOccurrence => exact::places(search.text, search.old),
        Strategy::LineTrimmed => search.trimmed_windows(),
        Strategy::BlockAnchor => anchors::alike(search),
        Strategy::WhitespaceNormalized => whitespace::places(search),
        Strategy::IndentationFlexible => indentation::windows(search),
        Strategy::EscapeNormalized => escapes::places(search),
        Strategy::TrimmedBoundary => trimmed_boundary(search),
        Strategy::ContextAware => anchors::sharing_half(search),
    }
}

/// A window of lines that trims to the same text holds that text, so looking for the text is looking for both.
fn trimmed_boundary(search: &Search<'_>) -> Vec<Range<usize>> {
    let trimmed = search.old.trim();
    if trimmed == search.old { Vec::new() } else { exact::places(search.text, trimmed) }
}

/// The places to change: all that do not overlap, or the one there is.
fn settle(text: &str, mut found: Vec<Range<usize>>, all: bool) -> Result<Vec<Range<usize>>, ReplaceError> {
    if all {
        let mut free_from = 0;
        found.retain(|place| {
            let free = place.start >= free_from;
            free_from = if free { place.end } else { free_from };
            free
        });
        return Ok(found);
    }
    if let [only] = &found[..] {
        found = exact::twins(text, only);
    }
    if found.len() == 1 { Ok(found) } else { Err(ReplaceError::ambiguous(text, &found)) }
}

/// More lines than this are too many for what was asked, even if `old` is short.
const SURPLUS_LINES: usize = 3;
/// More characters than this are too many, even if `old` is short.
const SURPLUS_CHARS: usize = 500;

/// Whether so much more was found than was asked for that it cannot have been meant.
fn disproportionate(found: &str, old: &str) -> bool {
    let (found_lines, old_lines) = (line_count(found), line_count(old));
    if found_lines >= (old_lines + SURPLUS_LINES).max(2 * old_lines) {
        return true;
    }
    let length = |text: &str| text.trim().chars().count();
    old_lines > 1 && length(found) > (length(old) + SURPLUS_CHARS).max(4 * length(old))
}

fn line_count(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1
}

/// The new text as it belongs in a place that was found tolerantly.
fn fitted<'a>(strategy: Strategy, found: &str, old: &str, new: &'a str) -> Cow<'a, str> {
    let new = without_surplus_feeds(found, old, new);
    match strategy {
        Strategy::LineTrimmed | Strategy::IndentationFlexible => indentation::shifted(found, old, new),
        Strategy::Simple
        | Strategy::BlockAnchor
        | Strategy::WhitespaceNormalized
        | Strategy::EscapeNormalized
        | Strategy::TrimmedBoundary
        | Strategy::ContextAware
        | Strategy::MultiOccurrence => Cow::Borrowed(new),
    }
}

/// Drops the line feeds from the end of `new` that end `old` too, but not the place.
fn without_surplus_feeds<'a>(found: &str, old: &str, mut new: &'a str) -> &'a str {
    let feeds = |text: &str| memchr::memchr_iter(b'\n', &text.as_bytes()[text.trim_end().len()..]).count();
    for _ in feeds(found)..feeds(old) {
        let Some(shorter) = new.trim_end_matches([' ', '\t']).strip_suffix('\n') else { break };
        new = shorter;
    }
    new
}

/// Hunks of the original, each in the line endings of its place.
///
/// Places in one line have one ending. Asking once per line keeps a long line with many places linear.
fn hunks<'a>(
    unified: &Unified<'_>,
    places: &[Range<usize>],
    new_at: impl Fn(Range<usize>) -> Cow<'a, str>,
) -> Vec<Hunk> {
    let text = unified.text().as_bytes();
    let mut known: Option<(Range<usize>, Ending)> = None;
    let hunk = |place: &Range<usize>| {
        let same_line = known.as_ref().filter(|(line, _)| line.start <= place.start && place.end <= line.end);
        let ending = same_line.map_or_else(|| unified.ending_at(place.clone()), |&(_, ending)| ending);
        if same_line.is_none() {
            let end =
                memchr::memchr(b'\n', &text[place.start..]).map_or(text.len(), |length| place.start + length);
            known = Some((place.start..end, ending));
        }
        let new = new_at(place.clone());
        let new = if ending == Ending::Lf { new.into_owned() } else { new.replace('\n', ending.as_str()) };
        Hunk { range: unified.original_range(place.clone()), text: new }
    };
    places.iter().map(hunk).collect()
}
