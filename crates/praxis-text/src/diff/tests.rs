use proptest::prelude::*;

use super::*;

const HEADER: &str = "Index: a.txt\n===================================================================\n--- a.txt\n+++ a.txt\n";

/// The diff below its header.
fn body(old: &str, new: &str) -> String {
    unified("a.txt", old, new).strip_prefix(HEADER).unwrap().to_owned()
}

fn numbered(range: std::ops::RangeInclusive<usize>) -> String {
    range.map(|n| format!("{n}\n")).collect()
}

#[test]
fn four_lines_are_shown_round_a_change() {
    let old = numbered(1..=20);
    let new = old.replace("\n10\n", "\nten\n");
    assert_eq!(body(&old, &new), "@@ -6,9 +6,9 @@\n 6\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n 14\n");
}

#[test]
fn changes_at_the_borders_have_less_round_them() {
    let old = numbered(1..=9);
    assert_eq!(body(&old, &old.replace("1\n", "one\n")), "@@ -1,5 +1,5 @@\n-1\n+one\n 2\n 3\n 4\n 5\n");
    assert_eq!(body(&old, &old.replace("9\n", "nine\n")), "@@ -5,5 +5,5 @@\n 5\n 6\n 7\n 8\n-9\n+nine\n");
}

#[test]
fn a_line_that_ends_like_the_old_one_is_another() {
    let rest = numbered(1..=9);
    let expected = "@@ -1,5 +1,5 @@\n-x\n+yx\n 1\n 2\n 3\n 4\n";
    assert_eq!(body(&format!("x\n{rest}"), &format!("yx\n{rest}")), expected);
}

#[test]
fn changes_share_a_hunk_up_to_eight_lines_apart() {
    let old = numbered(1..=12);
    let near = old.replace("1\n2\n", "one\n2\n").replace("\n10\n", "\nten\n");
    assert_eq!(body(&old, &near).matches("@@ -").count(), 1);
    let far = old.replace("1\n2\n", "one\n2\n").replace("\n11\n", "\neleven\n");
    assert_eq!(
        body(&old, &far),
        "@@ -1,5 +1,5 @@\n-1\n+one\n 2\n 3\n 4\n 5\n@@ -7,6 +7,6 @@\n 7\n 8\n 9\n 10\n-11\n+eleven\n 12\n"
    );
}

#[test]
fn a_side_without_lines_starts_at_nothing() {
    assert_eq!(body("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
    assert_eq!(body("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
    assert_eq!(body("a\n", "a\n"), "");
    assert_eq!(body("", ""), "");
}

#[test]
fn a_missing_line_ending_is_marked() {
    const MARK: &str = "\\ No newline at end of file\n";
    assert_eq!(body("a", "a\n"), format!("@@ -1,1 +1,1 @@\n-a\n{MARK}+a\n"));
    assert_eq!(body("a\n", "a"), format!("@@ -1,1 +1,1 @@\n-a\n+a\n{MARK}"));
    assert_eq!(body("a", "b"), format!("@@ -1,1 +1,1 @@\n-a\n{MARK}+b\n{MARK}"));
    assert_eq!(body("a\nz", "b\nz"), format!("@@ -1,2 +1,2 @@\n-a\n+b\n z\n{MARK}"));
}

#[test]
fn line_endings_do_not_matter() {
    assert_eq!(body("a\r\nb\r\n", "a\nb\n"), "");
    assert_eq!(body("a\r\nb\r\n", "a\nc\n"), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    assert_eq!(counts("a\rb\r", "a\nb\nc\n"), Counts { additions: 1, deletions: 0 });
}

#[test]
fn lines_are_counted() {
    assert_eq!(counts("a\nb\nc\n", "a\nx\ny\nc\n"), Counts { additions: 2, deletions: 1 });
    assert_eq!(counts("", "a\nb"), Counts { additions: 2, deletions: 0 });
    assert_eq!(counts("a\n", "a\n"), Counts::default());
}

#[test]
fn a_long_diff_ends_at_its_cap_and_says_so() {
    let title = "@@ -0,0 +1,1 @@\n";
    let line = "x".repeat(MAX_BYTES - title.len() - "+\n".len());
    assert_eq!(body("", &format!("{line}\n")), format!("{title}+{line}\n"));
    assert_eq!(
        body("", &format!("{line}x\n")),
        format!("{title}\\ 1 more lines of this diff are left out\n")
    );
    let long = body("a\n", &format!("{}\nb\n", "y".repeat(MAX_BYTES)));
    assert_eq!(long, "@@ -1,1 +1,2 @@\n-a\n\\ 2 more lines of this diff are left out\n");
}

#[test]
fn few_changes_far_apart_in_a_large_text_are_not_more() {
    let old: String = (0..100_000).map(|n| format!("line {n}\n")).collect();
    let new =
        old.replace("line 7\n", "seven\n").replace("line 50000\n", "").replace("line 99990\n", "x\ny\n");
    assert_eq!(counts(&old, &new), Counts { additions: 3, deletions: 3 });
}

#[test]
fn texts_without_anything_in_common_are_compared_in_time() {
    let text = |seed: usize| (0..60_000usize).map(|n| format!("{}\n", (n * seed) % 997)).collect::<String>();
    let (old, new) = (text(31), text(87));
    let started = Instant::now();
    let counts = counts(&old, &new);
    assert!(started.elapsed() < DEADLINE + Duration::from_secs(3), "{:?}", started.elapsed());
    assert_eq!(counts.additions, counts.deletions);
}

#[test]
fn shared_indentation_is_cut() {
    let diff = format!("{HEADER}@@ -1,3 +1,3 @@\n     a\n-      b\n+      c\n \n+  \n");
    assert_eq!(trimmed(&diff), format!("{HEADER}@@ -1,3 +1,3 @@\n a\n-  b\n+  c\n \n+\n"));
}

#[test]
fn a_diff_without_shared_indentation_stays() {
    for body in [
        "@@ -1,1 +1,1 @@\n-a\n+  b\n",
        "@@ -1,1 +1,0 @@\n--- a comment\n   b\n",
        "",
        "@@ -0,0 +1,1 @@\n+  \n",
    ] {
        let diff = format!("{HEADER}{body}");
        assert_eq!(trimmed(&diff), diff);
    }
}

#[test]
fn indentation_is_cut_by_characters() {
    assert_eq!(trimmed("-\u{a0}\u{a0}é\n+\t b\n+\u{a0}"), "-é\n+b\n+");
}

/// What a diff makes of the old text; both end in a line feed.
fn patched(old: &str, diff: &str) -> String {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    for line in diff.strip_prefix(HEADER).unwrap().split_inclusive('\n') {
        if let Some(title) = line.strip_prefix("@@ -") {
            let (start, rest) = title.split_once(',').unwrap();
            let empty = rest.starts_with("0 ");
            let start = start.parse::<usize>().unwrap() - usize::from(!empty);
            out.extend(lines[at..start].iter().copied());
            at = start;
        } else if let Some(added) = line.strip_prefix('+') {
            out.push_str(added);
        } else {
            at += 1;
            if let Some(kept) = line.strip_prefix(' ') {
                out.push_str(kept);
            }
        }
    }
    out.extend(lines[at..].iter().copied());
    out
}

proptest! {
    #[test]
    fn a_diff_makes_the_new_text_of_the_old(old in "([abc]\n){0,30}", new in "([abc]\n){0,30}") {
        let diff = unified("a.txt", &old, &new);
        prop_assert_eq!(patched(&old, &diff), new.clone());
        let Counts { additions, deletions } = counts(&old, &new);
        let (old, new) = (old.len() / 2, new.len() / 2);
        prop_assert_eq!(old + additions, new + deletions);
    }

    #[test]
    fn trimming_cuts_only_blanks_behind_the_sign(diff in "([+ -]{1,4}[ab]?\n){0,8}") {
        let cut = trimmed(&diff);
        let bare = |text: &str| text.replace(' ', "");
        prop_assert_eq!(bare(&cut), bare(&diff));
        prop_assert_eq!(cut.lines().count(), diff.lines().count());
    }

    #[test]
    fn any_texts_can_be_compared(old in "[ab \r\né]{0,30}", new in "[ab \r\né]{0,30}") {
        let diff = unified("a.txt", &old, &new);
        prop_assert_eq!(diff == HEADER, unify(&old) == unify(&new));
        trimmed(&diff);
    }
}
