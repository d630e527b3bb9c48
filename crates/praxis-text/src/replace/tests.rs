mod adversaries;
mod properties;

use super::*;
use crate::apply;

fn replaced(content: &str, old: &str, new: &str, all: bool) -> Result<(String, Strategy), ReplaceError> {
    let replacement = replace(content, old, new, all)?;
    Ok((apply(content, &replacement.hunks), replacement.strategy))
}

/// The content after a change by the strategy expected.
#[track_caller]
fn by(strategy: Strategy, content: &str, old: &str, new: &str) -> String {
    let (changed, by) = replaced(content, old, new, false).unwrap();
    assert_eq!(by, strategy);
    changed
}

#[track_caller]
fn message(content: &str, old: &str, new: &str) -> String {
    replace(content, old, new, false).unwrap_err().to_string()
}

#[test]
fn nothing_to_do_and_nothing_to_look_for_are_errors() {
    assert_eq!(replace("a", "a", "a", false), Err(ReplaceError::Identical));
    assert_eq!(replace("a", "", "", false), Err(ReplaceError::Identical));
    assert_eq!(replace("a\nb", "a\r\nb", "a\nb", false), Err(ReplaceError::Identical));
    assert_eq!(replace("a", "", "b", false), Err(ReplaceError::EmptyOld));
    assert!(message("a", "a", "a").contains("identical"));
    assert!(message("a", "", "b").contains("oldString cannot be empty"));
}

#[test]
fn each_strategy_finds_its_kind() {
    use Strategy::*;
    assert_eq!(by(Simple, "a foo b", "foo", "bar"), "a bar b");
    assert_eq!(by(LineTrimmed, "x\n  foo \ny", "foo\ny ", "bar"), "x\nbar");
    assert_eq!(by(BlockAnchor, "f {\n  let a = 1;\n}\n", "f {\n  let a = 12;\n}", "f {}"), "f {}\n");
    assert_eq!(by(WhitespaceNormalized, "if (a  ==  b) {}", "a == b", "a"), "if (a) {}");
    assert_eq!(by(EscapeNormalized, "say(\"hi\");\n", r#"say(\"hi\");"#, "hush();"), "hush();\n");
    assert_eq!(by(TrimmedBoundary, "x = foo(\n  1) + 2", "  foo(\n  1) ", "bar"), "x = bar + 2");
    let content = "{\nsame\nzzzzzzzzzz\n}\n";
    assert_eq!(by(ContextAware, content, "{\nsame\nother thing\n}", "{}"), "{}\n");
}

#[test]
fn whole_lines_keep_the_line_feed_they_had() {
    assert_eq!(by(Strategy::LineTrimmed, "a\n\tb\nc\n", "  b\n", "  d\n"), "a\n\td\nc\n");
    assert_eq!(by(Strategy::LineTrimmed, "a\n\tb\nc\n", "  b\n", ""), "a\nc\n");
    assert_eq!(by(Strategy::LineTrimmed, "a\n\tb", "  b\n", "  d\n"), "a\n\td");
    assert_eq!(by(Strategy::WhitespaceNormalized, "a  =  b\nc\n", "a = b\n", "a = c\n"), "a = c\nc\n");
    assert_eq!(by(Strategy::TrimmedBoundary, "x(foo\n)\ny", " foo\n) \n", "bar\n"), "x(bar\ny");
}

#[test]
fn pinned_loose_block_anchors_are_rejected() {
    let body = "function work() {\n  one()\n  two()\n  three()\n  four()\n}\n";
    let old = "function work() {\n  one()\n}";
    assert!(matches!(replace(body, old, "x", false), Err(ReplaceError::NotFound { .. })));
    let unrelated = "function work() {\n  keep(the, original, behaviour)\n}\n";
    let old = "function work() {\n  throw new Error()\n}";
    assert!(matches!(replace(unrelated, old, "x", false), Err(ReplaceError::NotFound { .. })));
}

#[test]
fn pinned_all_of_three() {
    let done = replaced("foo bar foo\nbaz foo", "foo", "qux", true);
    assert_eq!(done, Ok(("qux bar qux\nbaz qux".into(), Strategy::Simple)));
}

#[test]
fn pinned_every_mix_of_endings_ends_in_the_files_own() {
    let text = "before\none\ntwo\nthree\nafter\n";
    for ending in ["\n", "\r\n", "\r"] {
        let content = text.replace('\n', ending);
        let expected = "before\n1\n2\n3\nafter\n".replace('\n', ending);
        for old in ["one\ntwo\nthree", "one\r\ntwo\r\nthree", "one\r\ntwo\nthree"] {
            for new in ["1\n2\n3", "1\r\n2\r\n3", "1\n2\r\n3"] {
                let done = replaced(&content, old, new, false);
                assert_eq!(done, Ok((expected.clone(), Strategy::Simple)), "{content:?} {old:?} {new:?}");
            }
        }
    }
}

#[test]
fn pinned_all_of_several_blocks_keep_the_endings() {
    for ending in ["\n", "\r\n"] {
        let content = "a\nb\nx\na\nb\n".replace('\n', ending);
        for (old, new) in [("a\nb", "1\n2\n3"), ("a\r\nb", "1\r\n2\n3")] {
            let expected = "1\n2\n3\nx\n1\n2\n3\n".replace('\n', ending);
            assert_eq!(replaced(&content, old, new, true), Ok((expected, Strategy::Simple)));
        }
    }
}

#[test]
fn each_place_of_a_mixed_file_keeps_its_own_endings() {
    let content = "a\r\nb\r\n--\na\nb\n--\n";
    assert_eq!(replaced(content, "a\nb", "c\nd", true).unwrap().0, "c\r\nd\r\n--\nc\nd\n--\n");
    assert_eq!(replaced("x y\r\nz x\n", "x", "1\n2", true).unwrap().0, "1\r\n2 y\r\nz 1\n2\n");
    assert_eq!(replaced("x x\r\nx x", "x", "\n", true).unwrap().0, "\r\n \r\n\r\n\r\n \r\n");
}

#[test]
fn dollars_are_plain_text() {
    for new in ["$&", "$1", "$$", "$`x$'", "\\1"] {
        for all in [false, true] {
            assert_eq!(replaced("a foo b", "foo", new, all).unwrap().0, format!("a {new} b"));
        }
    }
}

#[test]
fn an_exact_text_that_stands_twice_is_ambiguous_even_if_it_overlaps() {
    let ambiguous = |places: Vec<usize>, total| Err(ReplaceError::Ambiguous { places, total });
    assert_eq!(replace("a\nfoo\nfoo", "foo", "x", false), ambiguous(vec![2, 3], 2));
    assert_eq!(replace("aaa", "aa", "x", false), ambiguous(vec![1, 1], 2));
    assert_eq!(replaced("aaa", "aa", "x", true).unwrap().0, "xa");
    // The second place fits after trimming, too; that must not make it the one meant.
    assert_eq!(replace("a\nb\n  a\nb", "a\nb", "x", false), ambiguous(vec![1, 3], 2));
    let many = "x\n".repeat(25);
    assert_eq!(replace(&many, "x", "y", false), ambiguous((1..=10).collect(), 25));
}

#[test]
fn different_places_that_fit_tolerantly_are_ambiguous() {
    use ReplaceError::Ambiguous;
    let cases = [
        ("  foo();\n\tfoo();\n", "foo(); ", vec![1, 2]),
        ("{\nvalue = 1\n}\n{\nvalue = 2\n}\n", "{\nvalue = 3\n}", vec![1, 4]),
        ("f(a  ==  b)\nf(a\t==\tb)", "a == b", vec![1, 2]),
        ("say(\"a\")\nsay(\"a\") ", r#"say(\"a\")"#, vec![1, 2]),
        ("(foo)\n[foo]", " foo ", vec![1, 2]),
        ("{\nsame\nzzzzzzzzzz\n}\n{\nsame\nyyyyyyyyyy\n}\n", "{\nsame\nother thing\n}", vec![1, 5]),
    ];
    for (content, old, places) in cases {
        assert_eq!(replace(content, old, "new", false), Err(Ambiguous { places, total: 2 }), "{content:?}");
    }
    // One whole line fits, but its text is part of another one.
    let part = replace("foo();\nfoo();;\n", " foo(); ", "new", false);
    assert_eq!(part, Err(Ambiguous { places: vec![1, 2], total: 2 }));
}

#[test]
fn all_takes_every_place_that_fits_tolerantly() {
    let content = "  foo();\n\tfoo();\nfoo(1);\n";
    assert_eq!(replaced(content, "foo(); ", "bar();", true).unwrap().0, "  bar();\n\tbar();\nfoo(1);\n");
    assert_eq!(replaced(" a\na\n a\na", "a \na", "b", true).unwrap().0, "b\nb");
}

#[test]
fn blank_text_is_found_exactly_or_not_at_all() {
    assert_eq!(replace("a\n\nb", "  \n", "x", true), Err(ReplaceError::NotFound { nearest: None }));
    assert_eq!(replaced("a  b", "  ", " ", false).unwrap().0, "a b");
    assert!(matches!(replace("a\nb", r"\n", "x", true), Err(ReplaceError::NotFound { .. })));
}

#[test]
fn new_lines_move_to_the_depth_of_the_place() {
    let content = "class A:\n    def f(self):\n        return 1\n";
    let (old, new) = ("def f(self): \n    return 1\n", "def f(self):\n    x = 2\n\n    return x\n");
    let moved = "class A:\n    def f(self):\n        x = 2\n\n        return x\n";
    assert_eq!(by(Strategy::LineTrimmed, content, old, new), moved);
    let uneven = "class A:\n    def f(self):\n     return 1\n";
    let as_given = "class A:\ndef f(self):\n    x = 2\n\n    return x\n";
    assert_eq!(by(Strategy::LineTrimmed, uneven, old, new), as_given);
}

#[test]
fn a_match_much_larger_than_asked_for_is_refused() {
    let blank = |width: usize| format!("a\n{}\nb", " ".repeat(width));
    // Trimmed, the old text has 4 characters: 504 are allowed.
    assert_eq!(by(Strategy::LineTrimmed, &blank(500), "a\n\nb ", "x"), "x");
    let refused = ReplaceError::Disproportionate { first_line: 1, found_lines: 3, old_lines: 3 };
    assert_eq!(replace(&blank(501), "a\n\nb ", "x", false), Err(refused.clone()));
    assert_eq!(
        refused.to_string(),
        "Refusing replacement because the matched span is much larger than oldString: 3 lines from line 1 on, \
         against 3; give the whole text to be replaced as it stands in the file"
    );
    // One line that turns out to be four.
    let four = replace("a\nb\nc\nd", r"a\nb\nc\nd", "x", false);
    assert_eq!(four, Err(ReplaceError::Disproportionate { first_line: 1, found_lines: 4, old_lines: 1 }));
    assert_eq!(by(Strategy::EscapeNormalized, "a\nb\nc\nd", r"a\nb\nc", "x"), "x\nd");
}

#[test]
fn not_found_shows_the_nearest_lines() {
    let content = "use a;\n\nfn main() {\n    let total = sum(1, 2);\n    print(total);\n}\n";
    let old = "fn main() {\n    let total = add(3, 4, 5);\n    dbg(totals_of_all);\n}";
    assert_eq!(
        message(content, old, "x"),
        "Could not find oldString in the file. It must match the file; the nearest lines are 3-6:\n\
         3: fn main() {\n\
         4:     let total = sum(1, 2);\n\
         5:     print(total);\n\
         6: }\n\
         Copy the lines to be replaced from there, without the numbers, or read the file again"
    );
    assert_eq!(
        message("something else", "fn main() {}", "x"),
        "Could not find oldString in the file. Nothing in it is similar; read the file again and copy the text \
         to be replaced from it"
    );
}

#[test]
fn ambiguity_names_the_lines_and_the_ways_out() {
    assert_eq!(
        message("a\nfoo\nfoo", "foo", "x"),
        "Found multiple matches for oldString: it fits 2 places, beginning in lines 2, 3; add surrounding lines \
         to oldString until it fits one, or use replaceAll to change them all"
    );
    assert!(message("foo foo", "foo", "x").contains("2 places, beginning in line 1; "));
    assert!(
        message(&"x\n".repeat(11), "x", "y")
            .contains("11 places, beginning in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; ")
    );
}
