//! Why nothing was replaced, said so that the next attempt can succeed.

use std::ops::Range;

use super::Nearest;

/// Line numbers named for an ambiguous text.
const PLACES_NAMED: usize = 10;

/// Why a replacement cannot be made. The messages are written for the model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplaceError {
    /// Old and new text do not differ, line endings aside.
    #[error("No changes to apply: oldString and newString are identical; give the text as it should become")]
    Identical,
    /// There is nothing to look for.
    #[error("oldString cannot be empty; give the text that is to be replaced")]
    EmptyOld,
    /// The old text is not there, not even roughly.
    #[error("Could not find oldString in the file. {}", advice(nearest.as_ref()))]
    NotFound {
        /// What comes closest.
        nearest: Option<Nearest>,
    },
    /// The old text fits several places.
    #[error("Found multiple matches for oldString: {}", several(places, *total))]
    Ambiguous {
        /// The line in which each place begins, counted from 1; at most ten.
        places: Vec<usize>,
        /// How many places there are.
        total: usize,
    },
    /// What was found is much more than what was asked for.
    #[error(
        "Refusing replacement because the matched span is much larger than oldString: {found_lines} lines from \
         line {first_line} on, against {old_lines}; give the whole text to be replaced as it stands in the file"
    )]
    Disproportionate {
        /// The line in which the place begins, counted from 1.
        first_line: usize,
        /// Its number of lines.
        found_lines: usize,
        /// The number of lines asked for.
        old_lines: usize,
    },
}

impl ReplaceError {
    /// An ambiguity between places of `text`, which are in order.
    pub(super) fn ambiguous(text: &str, found: &[Range<usize>]) -> Self {
        let (mut line, mut from) = (1, 0);
        let number = |place: &Range<usize>| {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[from..place.start]).count();
            from = place.start;
            line
        };
        Self::Ambiguous { places: found.iter().take(PLACES_NAMED).map(number).collect(), total: found.len() }
    }
}

fn advice(nearest: Option<&Nearest>) -> String {
    let Some(nearest) = nearest else {
        return "Nothing in it is similar; read the file again and copy the text to be replaced from it"
            .into();
    };
    let last_line = nearest.first_line + nearest.lines.len().saturating_sub(1);
    let mut advice =
        format!("It must match the file; the nearest lines are {}-{last_line}:", nearest.first_line);
    for (number, line) in (nearest.first_line..).zip(&nearest.lines) {
        advice.push_str(&format!("\n{number}: {line}"));
    }
    advice
        .push_str("\nCopy the lines to be replaced from there, without the numbers, or read the file again");
    advice
}

fn several(places: &[usize], total: usize) -> String {
    let mut lines: Vec<String> = places.iter().map(usize::to_string).collect();
    lines.dedup();
    let more = if total > places.len() { ", …" } else { "" };
    let noun = if lines.len() == 1 && more.is_empty() { "line" } else { "lines" };
    let lines = lines.join(", ");
    format!(
        "it fits {total} places, beginning in {noun} {lines}{more}; add surrounding lines to oldString until it \
         fits one, or use replaceAll to change them all"
    )
}
