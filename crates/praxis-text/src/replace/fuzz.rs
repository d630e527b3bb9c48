//! What holds for every input, for fuzzers and property tests.

use super::{ReplaceError, replace};
use crate::apply;

/// Reads bytes as (all, content, old, new), parted by `0xff`, and checks what must hold for any of them.
///
/// # Panics
///
/// If it does not hold.
pub fn fuzz(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let mut parts = rest.splitn(3, |byte| *byte == 0xff).map(String::from_utf8_lossy);
    let mut part = || parts.next().unwrap_or_default();
    check(&part(), &part(), &part(), first % 2 == 1);
}

/// Replaces and checks the answer.
pub(super) fn check(content: &str, old: &str, new: &str, all: bool) {
    let replacement = match replace(content, old, new, all) {
        Ok(replacement) => replacement,
        Err(error) => return check_error(&error, all),
    };
    let hunks = &replacement.hunks;
    assert!(!hunks.is_empty(), "a replacement replaces something");
    assert!(all || hunks.len() == 1, "one place, unless all are wanted");
    let (mut changed, mut at) = (String::new(), 0);
    for hunk in hunks {
        assert!(at <= hunk.range.start && hunk.range.start < hunk.range.end, "in order, apart, not empty");
        // Slicing panics unless the range is inside and on character borders.
        changed.push_str(&content[at..hunk.range.start]);
        assert!(!content[hunk.range.clone()].is_empty());
        changed.push_str(&hunk.text);
        at = hunk.range.end;
    }
    changed.push_str(&content[at..]);
    assert_eq!(apply(content, hunks), changed, "everything outside stays");
}

fn check_error(error: &ReplaceError, all: bool) {
    assert!(!error.to_string().is_empty());
    if let ReplaceError::Ambiguous { places, total } = error {
        assert!(!all && *total >= 2 && places.len() == (*total).min(10) && places.is_sorted());
    }
}
