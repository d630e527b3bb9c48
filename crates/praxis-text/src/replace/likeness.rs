//! How alike two lines are, within a budget: edit distance is dear, and files are long.

/// Steps one search may spend on comparing lines: one per line pair, its characters, and the cells of its table.
const STEPS: usize = 20_000_000;
/// Longer lines, in bytes, are alike only if they are equal.
const COMPARABLE: usize = 2_000;

/// What is left to spend.
pub(super) struct Budget {
    steps: usize,
}

impl Budget {
    /// A budget for one search.
    pub(super) fn new() -> Self {
        Self { steps: STEPS }
    }

    /// Takes steps; `None` once there are too few.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(steps)?;
        Some(())
    }
}

/// One minus the share of characters to edit, from 0 to 1; `None` if the budget does not suffice.
pub(super) fn likeness(a: &str, b: &str, budget: &mut Budget) -> Option<f64> {
    budget.spend(1)?;
    if a == b {
        return Some(1.0);
    }
    if a.len() > COMPARABLE || b.len() > COMPARABLE {
        return Some(0.0);
    }
    budget.spend(a.len() + b.len())?;
    let longest = a.chars().count().max(b.chars().count());
    let (a, b) = differing(a, b);
    budget.spend(a.len() * b.len())?;
    let distance = strsim::levenshtein(a, b);
    Some(1.0 - distance as f64 / longest as f64)
}

/// What is left when the common beginning and the common end are gone. The distance stays the same.
fn differing<'t>(a: &'t str, b: &'t str) -> (&'t str, &'t str) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = a.chars().zip(b.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (a, b) = (&a[head..], &b[head..]);
    let tail: usize = a.chars().rev().zip(b.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (&a[..a.len() - tail], &b[..b.len() - tail])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_budget_gives_no_answer() {
        assert_eq!(likeness("abc", "abd", &mut Budget { steps: 8 }), Some(1.0 - 1.0 / 3.0));
        assert_eq!(likeness("abc", "abd", &mut Budget { steps: 7 }), None);
    }

    #[test]
    fn long_lines_are_equal_or_strangers() {
        let (at, past) = ("x".repeat(COMPARABLE), "x".repeat(COMPARABLE + 1));
        let mut budget = Budget::new();
        assert_eq!(likeness(&past, &past, &mut budget), Some(1.0));
        assert_eq!(likeness(&past, &at, &mut budget), Some(0.0));
        assert_eq!(likeness(&at, &at[1..], &mut budget), Some(1.0 - 1.0 / 2_000.0));
    }

    proptest! {
        #[test]
        fn cutting_common_ends_changes_nothing(a in "[abé]{1,12}", b in "[abé]{1,12}") {
            let longest = a.chars().count().max(b.chars().count()) as f64;
            let expected = 1.0 - strsim::levenshtein(&a, &b) as f64 / longest;
            prop_assert_eq!(likeness(&a, &b, &mut Budget::new()), Some(expected));
        }
    }
}
