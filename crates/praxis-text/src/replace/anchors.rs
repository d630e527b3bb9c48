//! Blocks known by their first and last line.

use std::ops::Range;

use super::likeness::{Budget, likeness};
use super::search::Search;

/// Fewer lines than this have nothing between their anchors to be alike: whatever stood there would go unseen.
const ANCHORED_LINES: usize = 3;
/// How alike the lines between the anchors must be, on average.
const ENOUGH: f64 = 0.65;

/// The blocks between the anchors that are most alike. More than one is a tie.
pub(super) fn alike(search: &Search<'_>) -> Vec<Range<usize>> {
    // Out of budget is not found: a guess from half of the blocks could be the wrong one.
    best(search).unwrap_or_default()
}

fn best(search: &Search<'_>) -> Option<Vec<Range<usize>>> {
    let size = search.block.len();
    let delta = (size / 4).max(1);
    let mut budget = Budget::new();
    let (mut best, mut score) = (Vec::new(), ENOUGH);
    for (first, count) in anchored(search).filter(|(_, count)| count.abs_diff(size) <= delta) {
        let average = average(search, first, count, &mut budget)?;
        if average < score {
            continue;
        }
        if average > score {
            best.clear();
        }
        score = average;
        best.push(search.place(first, count));
    }
    Some(best)
}

/// How alike the lines between the anchors are, by position. Two empty lines say nothing and count as unlike.
fn average(search: &Search<'_>, first: usize, count: usize, budget: &mut Budget) -> Option<f64> {
    let between = search.block.len().min(count).saturating_sub(2);
    if between == 0 {
        return Some(1.0);
    }
    let mut sum = 0.0;
    for at in 1..=between {
        let (old, line) = (search.old_lines[at].trim(), search.lines.get(first + at).trim());
        // Numbers first: they are equal exactly if the trimmed lines are.
        sum += match search.block[at] == search.numbers[first + at] {
            true => f64::from(!old.is_empty()),
            false => likeness(old, line, budget)?,
        };
        budget.spend(1)?;
        let reachable = (sum + (between - at) as f64) / between as f64;
        if reachable < ENOUGH {
            return Some(0.0);
        }
    }
    Some(sum / between as f64)
}

/// The blocks of the same size of which at least half of the lines between the anchors are the same.
pub(super) fn sharing_half(search: &Search<'_>) -> Vec<Range<usize>> {
    let size = search.block.len();
    let same_size = anchored(search).filter(|&(_, count)| count == size);
    let fitting = same_size.filter(|&(first, _)| shares_half(search, first));
    fitting.map(|(first, count)| search.place(first, count)).collect()
}

fn shares_half(search: &Search<'_>, first: usize) -> bool {
    let (mut same, mut total) = (0, 0);
    for at in 1..search.block.len() - 1 {
        let equal = search.block[at] == search.numbers[first + at];
        if equal && search.old_lines[at].trim().is_empty() {
            continue;
        }
        total += 1;
        same += usize::from(equal);
    }
    2 * same >= total
}

/// Blocks from a line like the first one sought to the next line like the last, with something between:
/// their first line and their number of lines.
fn anchored<'s>(search: &'s Search<'_>) -> impl Iterator<Item = (usize, usize)> + 's {
    let anchors = match &search.block[..] {
        [head, .., tail] if search.block.len() >= ANCHORED_LINES => Some((*head, *tail)),
        _ => None,
    };
    anchors.into_iter().flat_map(move |(head, tail)| {
        let lines = search.numbers.iter().enumerate();
        let tails = lines.clone().filter(move |(_, number)| **number == tail).map(|(line, _)| line);
        let mut tails = tails.peekable();
        lines.filter(move |(_, number)| **number == head).map_while(move |(first, _)| {
            // First lines come in order, so a last line once passed is passed for good.
            while tails.next_if(|&last| last < first + 2).is_some() {}
            tails.peek().map(|last| (first, last - first + 1))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike_in<'a>(text: &'a str, old: &str) -> Vec<&'a str> {
        alike(&Search::new(text, old)).into_iter().map(|place| &text[place]).collect()
    }

    fn sharing_in<'a>(text: &'a str, old: &str) -> Vec<&'a str> {
        sharing_half(&Search::new(text, old)).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn likeness_of_exactly_the_threshold_suffices() {
        let old = "{\nabcdefghijklmnopqrst\n}";
        assert_eq!(alike_in("{\nabcdefghijklm1234567\n}", old), ["{\nabcdefghijklm1234567\n}"]);
        let line = |same: usize| format!("{{\n{}{}\n}}", "a".repeat(same), "b".repeat(100 - same));
        assert_eq!(alike_in(&line(65), &line(100)).len(), 1);
        assert_eq!(alike_in(&line(64), &line(100)).len(), 0);
    }

    #[test]
    fn the_size_may_differ_by_a_quarter_and_by_one_at_least() {
        let body = |lines: usize| format!("{{\n{}}}", "same\n".repeat(lines - 2));
        for (old, found, fits) in [(3, 4, true), (3, 5, false), (7, 8, true), (7, 9, false), (8, 10, true)] {
            let (old, text) = (body(old), body(found));
            assert_eq!(alike_in(&text, &old).len(), usize::from(fits), "{old:?} in {text:?}");
        }
        assert_eq!(alike_in(&body(8), &body(10)).len(), 1);
        assert_eq!(alike_in(&body(8), &body(11)).len(), 0);
    }

    #[test]
    fn two_empty_lines_count_against_likeness() {
        assert_eq!(alike_in("{\n a\n\n}", "{\na\n\n}"), Vec::<&str>::new());
        assert_eq!(alike_in("{\n a\nb\n\n}", "{\na\nb\n\n}"), ["{\n a\nb\n\n}"]);
    }

    #[test]
    fn the_strictly_best_wins_and_equals_tie() {
        let text = "{\nvalue = 1\n}\n{\nvalue = 2x\n}\n";
        assert_eq!(alike_in(text, "{\nvalue = 2\n}"), ["{\nvalue = 2x\n}"]);
        assert_eq!(alike_in(text, "{\nvalue = 3\n}"), ["{\nvalue = 1\n}"]);
        let tie = "{\nvalue = 1\n}\n{\nvalue = 2\n}\n";
        assert_eq!(alike_in(tie, "{\nvalue = 3\n}").len(), 2);
    }

    #[test]
    fn the_first_last_line_ends_a_block() {
        assert_eq!(alike_in("{\n}\nabcd\n}", "{\nabcd\n}"), Vec::<&str>::new());
        assert_eq!(alike_in("{\nabce\n}\n}", "{\nabcd\n}"), ["{\nabce\n}"]);
    }

    #[test]
    fn two_lines_are_no_anchors_for_what_stands_between_them() {
        assert_eq!(alike_in("a\nx\nb\n", "a\nb"), Vec::<&str>::new());
        assert_eq!(alike_in("a\nx\nb\n", "a\nb\n"), Vec::<&str>::new());
    }

    #[test]
    fn half_of_the_lines_between_suffices() {
        let old = "{\none\ntwo\n\nthree\nfour\n}";
        let half = "{\n one\ntwo\n\n3\n4\n}";
        assert_eq!(sharing_in(half, old), [half]);
        assert_eq!(sharing_in("{\none\n2\n\n3\n4\n}", old), Vec::<&str>::new());
        assert_eq!(sharing_in("{\none\ntwo\n\n3\n}", old), Vec::<&str>::new());
        assert_eq!(sharing_in("{\n\t\n}", "{\n\n}"), ["{\n\t\n}"]);
    }
}
