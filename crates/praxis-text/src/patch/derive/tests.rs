use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::patch::{Near, Section, fuzz_apply, parse};
use crate::{apply, unify};

fn chunks(body: &str) -> Vec<Chunk> {
    let patch = format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
    match parse(&patch).unwrap().remove(0) {
        Section::Update { chunks, .. } => chunks,
        other => panic!("{other:?}"),
    }
}

fn hunks(text: &str, body: &str) -> Vec<Hunk> {
    derive(text, "f", &chunks(body)).unwrap()
}

fn patched(text: &str, body: &str) -> String {
    apply(text, &hunks(text, body))
}

fn error(text: &str, body: &str) -> PatchError {
    derive(text, "f", &chunks(body)).unwrap_err()
}

fn lines_error(lines: &str, near: Near) -> PatchError {
    PatchError::Lines { path: "f".into(), lines: lines.into(), near }
}

#[test]
fn pinned_several_chunks_of_one_file() {
    assert_eq!(patched("1\n2\n3\n4\n", "@@\n-2\n+two\n@@\n-4\n+four"), "1\ntwo\n3\nfour\n");
}

#[test]
fn pinned_a_missing_final_newline_is_added_when_something_changes() {
    assert_eq!(patched("a\nb", "@@\n-b\n+c"), "a\nc\n");
    assert_eq!(patched("a\nb", "@@\n-a\n+c"), "c\nb\n");
    assert_eq!(patched("a\nb", "@@\n-b"), "a\n");
    assert_eq!(patched("a\nb", "+c"), "a\nb\nc\n");
    assert_eq!(patched("a\r\nb", "@@\n-a\n+c"), "c\r\nb\r\n");
    assert_eq!(patched("a\nb", "@@\n a\n b"), "a\nb");
}

#[test]
fn pinned_a_line_into_an_empty_file() {
    assert_eq!(patched("", "@@\n+line"), "line\n");
    assert_eq!(patched("\u{feff}", "@@\n+line"), "\u{feff}line\n");
}

#[test]
fn pinned_a_byte_order_mark_is_no_part_of_the_first_line() {
    assert_eq!(hunks("\u{feff}a\nb\n", "@@\n-a\n+c"), [Hunk { range: 3..5, text: "c\n".into() }]);
}

#[test]
fn pinned_insertions_go_below_their_context() {
    assert_eq!(patched("a\nb\nc\n", "@@ b\n+x\n+y"), "a\nb\nx\ny\nc\n");
    assert_eq!(patched("a\nb\nc\n", "@@\n b\n+x"), "a\nb\nx\nc\n");
    assert_eq!(patched("a\nb", "@@ b\n+x"), "a\nb\nx\n");
    assert_eq!(patched("a\nb\nc\n", "@@ a\n+x\n*** End of File"), "a\nb\nc\nx\n");
    // Two insertions at one place and a change right below them.
    assert_eq!(patched("a\nb\n", "@@ a\n+x\n@@\n-b\n+y"), "a\nx\ny\n");
}

#[test]
fn insertions_without_context_go_to_the_end_before_a_last_empty_line() {
    assert_eq!(patched("a\n", "@@\n+x"), "a\nx\n");
    assert_eq!(patched("a\n\n", "@@\n+x"), "a\nx\n\n");
    assert_eq!(patched("a\nb\n", "@@\n+x\n@@\n-a\n+c\n@@\n+y"), "c\nb\nx\ny\n");
    // The empty line itself changes, so there is nothing to stay in front of.
    assert_eq!(patched("a\n\n", "@@\n+x\n@@\n-a\n-\n+c"), "c\nx\n");
}

#[test]
fn pinned_a_context_tells_like_places_apart() {
    let text = "fn a\nx=10\ny=2\nfn b\nx=10\ny=20\n";
    assert_eq!(patched(text, "@@ fn b\n-x=10\n+x=11"), "fn a\nx=10\ny=2\nfn b\nx=11\ny=20\n");
}

#[test]
fn nested_contexts_are_looked_for_one_below_the_other() {
    let text = "class A\n  def f\n    x\nclass B\n  def f\n    x\n";
    assert_eq!(
        patched(text, "@@ class B\n@@ def f\n-    x\n+    y"),
        "class A\n  def f\n    x\nclass B\n  def f\n    y\n"
    );
}

#[test]
fn a_context_may_be_repeated_as_the_first_line() {
    assert_eq!(patched("x\nfn a\nx\n", "@@ fn a\n fn a\n-x\n+y"), "x\nfn a\ny\n");
    assert_eq!(patched("fn a\nx\nfn a\nx\n", "@@ fn a\n fn a\n-x\n+y"), "fn a\nx\nfn a\ny\n");
}

#[test]
fn pinned_the_end_of_file_anchor_takes_the_last_place() {
    let text = "start\nmarker\nmiddle\nmarker\nend\n";
    let body = "@@\n-marker\n-end\n+changed\n+end\n*** End of File";
    assert_eq!(patched(text, body), "start\nmarker\nmiddle\nchanged\nend\n");
    assert_eq!(patched("a\nb\na\n", "@@\n-a\n+c\n*** End of File"), "a\nb\nc\n");
    assert_eq!(patched("a\nb\n", "@@\n-a\n+c\n*** End of File"), "c\nb\n");
}

#[test]
fn pinned_an_empty_line_inside_a_chunk_is_no_separator() {
    let body = "@@\n-a\n+A\n\n-c\n+C";
    let near = Near::Lines { first: 1, lines: vec!["a".into(), "b".into(), "c".into()] };
    assert_eq!(error("a\nb\nc\n", body), lines_error("a\n\nc", near));
    assert_eq!(patched("a\n\nc\n", body), "A\n\nC\n");
}

#[test]
fn an_empty_last_line_that_the_file_lacks_is_left_out() {
    assert_eq!(patched("a\nb\n", "@@\n-a\n\n@@\n-b\n+c"), "c\n");
    assert_eq!(patched("a\nb\n", "@@\n-a\n-\n+c\n+"), "c\nb\n");
    assert_eq!(patched("a\nb\n", "@@\n a\n \n+c"), "a\n\nc\nb\n");
}

#[test]
fn pinned_typographic_quotes_are_found_and_replaced_by_those_of_the_patch() {
    assert_eq!(patched("say “hi” – it’s…\n", "@@\n-say \"hi\" - it's...\n+say \"ho\""), "say \"ho\"\n");
    assert_eq!(patched("say “hi”\n", "@@\n-say \"hi\"\n+say \"hi\""), "say \"hi\"\n");
}

#[test]
fn kept_lines_stay_as_the_file_has_them() {
    let hunk = |range, text: &str| Hunk { range, text: text.into() };
    assert_eq!(hunks("\ta  \n“b”\nc \n", "@@\n a\n-\"b\"\n+B\n c"), [hunk(5..13, "B\n")]);
    assert_eq!(hunks("a\nb\nc\n", "@@\n-a\n-b\n-c\n+a\n+x\n+c"), [hunk(2..4, "x\n")]);
    assert_eq!(hunks("a\nb\n", "@@\n-a\n-b\n+a\n+b"), []);
}

#[test]
fn everything_may_go() {
    assert_eq!(patched("a\nb\n", "@@\n-a\n-b"), "");
    assert_eq!(patched("a", "@@\n-a"), "");
}

#[test]
fn new_lines_end_as_their_neighbours_do() {
    assert_eq!(patched("a\r\nb\r\n", "@@\n a\n+x\n b\n+y"), "a\r\nx\r\nb\r\ny\r\n");
    assert_eq!(patched("a\rb\r", "@@\n a\n+x"), "a\rx\rb\r");
    assert_eq!(patched("a\r\nb\nc\n", "@@\n-a\n+x\n b\n-c\n+y\n+z"), "x\r\nb\ny\nz\n");
}

#[test]
fn line_ends_that_a_change_brings_together_stay_two() {
    assert_eq!(unify(&patched("a\rb\n", "@@\n a\n+\n b")), "a\n\nb\n");
    assert_eq!(unify(&patched("a\rb\n\nc\n", "@@\n a\n-b\n \n c")), "a\n\nc\n");
    assert_eq!(unify(&patched("b\r\nc\r\n\n", "@@\n-b\n+x")), "x\nc\n\n");
    assert_eq!(unify(&patched("b\rc\r\rd\n\n", "@@\n c\n \n-d\n+x\n \n")), "b\nc\n\nx\n\n");
}

#[test]
fn pinned_a_missing_context_is_named() {
    let fault = error("fn alpha() {\n}\n", "@@ fn alpah() {\n-x");
    let near = Near::Lines { first: 1, lines: vec!["fn alpha() {".into()] };
    assert_eq!(fault, PatchError::Context { path: "f".into(), context: "fn alpah() {".into(), near });
    assert!(fault.to_string().starts_with("Failed to find context 'fn alpah() {' in f\n"), "{fault}");
}

#[test]
fn missing_lines_are_repeated() {
    let fault = error("a\n", "@@\n-missing one\n-missing two\n+x");
    assert_eq!(fault, lines_error("missing one\nmissing two", Near::Nothing));
    assert_eq!(
        fault.to_string(),
        "Failed to find expected lines in f:\nmissing one\nmissing two\nNo line there resembles it; read the file again before the next patch."
    );
    assert_eq!(error("", "@@\n-a"), lines_error("a", Near::Nothing));
}

#[test]
fn chunks_in_the_wrong_order_are_told_so() {
    assert_eq!(error("a\nb\nc\n", "@@\n-c\n@@\n-a"), lines_error("a", Near::Above { line: 1 }));
    assert_eq!(error("a\nb\n", "@@\n-a\n+x\n@@\n-a\n+y"), lines_error("a", Near::Above { line: 1 }));
}

#[test]
fn a_pattern_that_almost_matches_everywhere_is_found_in_time() {
    let text = format!("{}{}", "a\n".repeat(250_000), "b\n".repeat(250_000));
    // Both lines are everywhere, and a hundred thousand agree at every place before one does not.
    let pattern = format!("@@\n{}{}", "-a\n".repeat(100_000), "-b\n".repeat(100_000));
    let started = Instant::now();
    assert!(matches!(error(&text, &format!("{pattern}-a")), PatchError::Lines { .. }));
    assert_eq!(hunks(&text, &pattern), [Hunk { range: 300_000..700_000, text: String::new() }]);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn ten_thousand_chunks_are_placed_in_time() {
    let text: String = (0..20_000).map(|n| format!("  line {n}\n")).collect();
    // Without the blanks, so that every chunk is only found in the third pass.
    let body: String = (0..10_000).map(|n| format!("@@\n-line {}\n+x\n", 2 * n)).collect();
    let started = Instant::now();
    assert_eq!(hunks(&text, &body).len(), 10_000);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// A text, its lines with their endings, and the chunk that makes other lines of it.
fn change() -> impl Strategy<Value = (String, Vec<(String, &'static str)>, Vec<Line>)> {
    let ending = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    let line =
        ("[ab]{0,2}", ending, prop::option::of(prop::collection::vec("[abx]{0,2}", 0..3)), any::<bool>());
    (prop::collection::vec(line, 1..12), any::<bool>(), any::<bool>()).prop_map(|(lines, mixed, ended)| {
        let style = lines[0].1;
        let mut file: Vec<(String, &'static str)> = Vec::new();
        let mut chunk = Vec::new();
        for (text, ending, added, removed) in lines {
            let ending = if mixed { ending } else { style };
            // An empty line after a lone carriage return must not make a pair of them.
            let joins = text.is_empty() && ending == "\n" && file.last().is_some_and(|last| last.1 == "\r");
            file.push((text.clone(), if joins { "\r\n" } else { ending }));
            chunk.push(if removed { Line::Remove(text) } else { Line::Keep(text) });
            chunk.extend(added.into_iter().flatten().map(Line::Add));
        }
        if !ended && let Some(last) = file.last_mut().filter(|last| !last.0.is_empty()) {
            last.1 = "";
        }
        let text = file.iter().flat_map(|(text, ending)| [text.as_str(), ending]).collect();
        (text, file, chunk)
    })
}

proptest! {
    #[test]
    fn a_change_gives_its_new_lines_and_leaves_the_others_byte_for_byte((text, file, lines) in change()) {
        let chunk = Chunk { contexts: Vec::new(), lines, end_of_file: false };
        let hunks = derive(&text, "f", std::slice::from_ref(&chunk)).unwrap();
        let changed = apply(&text, &hunks);
        if hunks.is_empty() {
            prop_assert_eq!(chunk.before(), chunk.after());
            return Ok(());
        }
        let after: String = chunk.after().iter().flat_map(|line| [line, "\n"]).collect();
        prop_assert_eq!(unify(&changed), after);
        // Every kept line stands, with its own ending, in what no hunk touches.
        let mut at = 0;
        let mut kept = chunk.lines.iter().filter(|line| line.before().is_some());
        for (line, ending) in &file {
            let range = at..at + line.len() + ending.len();
            at = range.end;
            if matches!(kept.next(), Some(Line::Keep(_))) {
                let touched = hunks.iter().any(|hunk| hunk.range.start < range.end && range.start < hunk.range.end);
                prop_assert!(!touched, "{:?}", hunks);
            }
        }
    }

    #[test]
    fn a_patch_made_of_two_texts_gives_the_second(
        old in prop::collection::vec("[abc “]{0,3}", 1..20),
        new in prop::collection::vec("[abc “]{0,3}", 1..20),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
        let mut body = String::new();
        for op in &ops {
            for change in op.iter_changes(&old, &new) {
                let line = change.value();
                match change.tag() {
                    similar::ChangeTag::Equal => body.push_str(&format!(" {line}\n")),
                    similar::ChangeTag::Delete => body.push_str(&format!("-{line}\n")),
                    similar::ChangeTag::Insert => body.push_str(&format!("+{line}\n")),
                }
            }
        }
        let text: String = old.iter().flat_map(|line| [line, ending]).collect();
        let expected: String = new.iter().flat_map(|line| [line, ending]).collect();
        prop_assert_eq!(patched(&text, &format!("@@\n{}", body.replace('\n', ending))), expected);
    }

    #[test]
    fn any_file_and_patch_keep_the_promises(
        file in "(\u{feff})?([ab “]{0,2}(\n|\r|\r\n)){0,8}[ab]?",
        lines in prop::collection::vec(prop::sample::select(vec![
            "@@", "@@ a", "@@ b", "+a", "-a", " a", "-b", " b", "-", "+", " ", "", "+\"", "-\"", "*** End of File",
        ]), 0..10),
    ) {
        let body = lines.join("\n");
        let data = format!("{file}\0*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch");
        fuzz_apply(data.as_bytes());
    }

    #[test]
    fn any_bytes_keep_the_promises(data in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz_apply(&data);
    }
}
