use proptest::prelude::*;

use super::*;
use crate::patch::fuzz_parse;

fn keep(text: &str) -> Line {
    Line::Keep(text.into())
}

fn remove(text: &str) -> Line {
    Line::Remove(text.into())
}

fn add(text: &str) -> Line {
    Line::Add(text.into())
}

fn chunk(contexts: &[&str], lines: &[Line]) -> Chunk {
    let contexts = contexts.iter().map(|&context| context.to_owned()).collect();
    Chunk { contexts, lines: lines.to_vec(), end_of_file: false }
}

fn enveloped(body: &str) -> String {
    format!("{BEGIN}\n{body}\n{END}")
}

fn sections(body: &str) -> Vec<Section> {
    parse(&enveloped(body)).unwrap()
}

fn chunks(body: &str) -> Vec<Chunk> {
    match &sections(&format!("*** Update File: f\n{body}"))[..] {
        [Section::Update { chunks, .. }] => chunks.clone(),
        other => panic!("{other:?}"),
    }
}

fn error(body: &str) -> PatchError {
    parse(&enveloped(body)).unwrap_err()
}

fn add_file(path: &str, content: &str) -> Section {
    Section::Add { path: path.into(), content: content.into() }
}

#[test]
fn pinned_add_delete_and_update_in_one_patch() {
    let patch = "*** Add File: nested/new.txt\n+one\n+\n+two\n*** Delete File: old.txt\n*** Update File: a.txt\n@@\n keep\n-x\n+y";
    assert_eq!(
        sections(patch),
        [
            add_file("nested/new.txt", "one\n\ntwo"),
            Section::Delete { path: "old.txt".into() },
            Section::Update {
                path: "a.txt".into(),
                move_to: None,
                chunks: vec![chunk(&[], &[keep("keep"), remove("x"), add("y")])],
            },
        ]
    );
}

#[test]
fn pinned_a_move_has_its_target_and_may_have_no_chunks() {
    let moved = |chunks| Section::Update { path: "a".into(), move_to: Some("b/c".into()), chunks };
    assert_eq!(
        sections("*** Update File: a\n*** Move to: b/c\n@@\n-x\n+y"),
        [moved(vec![chunk(&[], &[remove("x"), add("y")])])]
    );
    assert_eq!(sections("*** Update File: a\n*** Move to: b/c"), [moved(Vec::new())]);
    assert_eq!(sections("*** Update File: a\n\n  *** Move to: b/c  \n\n"), [moved(Vec::new())]);
}

#[test]
fn pinned_several_chunks_and_contexts() {
    assert_eq!(
        chunks("@@\n-a\n+b\n@@ fn b \n-c\n+d\n@@\n+e"),
        [
            chunk(&[], &[remove("a"), add("b")]),
            chunk(&["fn b"], &[remove("c"), add("d")]),
            chunk(&[], &[add("e")])
        ]
    );
}

#[test]
fn nested_contexts_belong_to_one_chunk() {
    assert_eq!(chunks("@@ class A\n@@ fn b\n-x"), [chunk(&["class A", "fn b"], &[remove("x")])]);
    assert_eq!(chunks("@@\n\n@@ fn b\n-x"), [chunk(&["fn b"], &[remove("x")])]);
}

#[test]
fn line_numbers_of_a_unified_diff_are_no_context() {
    assert_eq!(chunks("@@ -1,3 +1,4 @@\n-x"), [chunk(&[], &[remove("x")])]);
    assert_eq!(chunks("@@ -1 +1 @@ fn b\n-x"), [chunk(&["fn b"], &[remove("x")])]);
    assert_eq!(chunks("@@ - a @@ b\n-x"), [chunk(&["- a @@ b"], &[remove("x")])]);
}

#[test]
fn the_first_at_signs_may_be_missing() {
    assert_eq!(chunks("-a\n+b\n@@\n-c"), [chunk(&[], &[remove("a"), add("b")]), chunk(&[], &[remove("c")])]);
    assert_eq!(chunks("\n-a"), [chunk(&[], &[remove("a")])]);
}

#[test]
fn end_of_file_marks_the_chunk_before_it() {
    let last = Chunk { end_of_file: true, ..chunk(&[], &[remove("a"), add("b")]) };
    assert_eq!(chunks("@@\n-a\n+b\n*** End of File"), std::slice::from_ref(&last));
    assert_eq!(chunks("@@\n-a\n+b\n\n*** End of File  \n\n@@\n+c"), [last, chunk(&[], &[add("c")])]);
    assert_eq!(sections("*** Add File: a\n+x\n*** End of File"), [add_file("a", "x")]);
    let stray = |number| PatchError::Stray { number, line: END_OF_FILE.into() };
    assert_eq!(error("*** Update File: a\n*** End of File"), stray(3));
    assert_eq!(error("*** Update File: a\n-a\n*** End of File\n*** End of File"), stray(5));
    assert_eq!(
        error("*** Update File: a\n-a\n*** End of File\n-b"),
        PatchError::UpdateLine { number: 5, line: "-b".into() }
    );
}

#[test]
fn empty_lines_inside_a_chunk_are_kept_lines_and_after_it_nothing() {
    assert_eq!(
        chunks("@@\n-a\n+b\n\n-c\n+d"),
        [chunk(&[], &[remove("a"), add("b"), keep(""), remove("c"), add("d")])]
    );
    assert_eq!(chunks("@@\n\n-a\n\n\n"), [chunk(&[], &[keep(""), remove("a")])]);
    // Between two chunks it may be either; an insertion must not become a search for an empty line.
    assert_eq!(
        chunks("@@\n-a\n\n\n@@\n-c"),
        [chunk(&[], &[remove("a"), keep("")]), chunk(&[], &[remove("c")])]
    );
    assert_eq!(chunks("@@ x\n+a\n\n@@\n-c"), [chunk(&["x"], &[add("a")]), chunk(&[], &[remove("c")])]);
}

#[test]
fn pinned_here_documents_fences_and_blank_space_around_it_are_tolerated() {
    let patch = enveloped("*** Add File: a\n+x");
    let expected = vec![add_file("a", "x")];
    for text in [
        patch.clone(),
        format!("\n\n  {patch}  \n\n"),
        format!("<<EOF\n{patch}\nEOF"),
        format!("cat <<'EOF'\n{patch}\nEOF\n"),
        format!("<<\"EOF\"\n{patch}\nEOF"),
        format!("```diff\n{patch}\n```"),
        patch.replace(END, "  *** End Patch\t"),
        patch.replace('\n', "\r\n"),
        patch.replace("***", "  ***").replace("+x", "+x\n\n"),
    ] {
        assert_eq!(parse(&text).as_ref(), Ok(&expected), "{text}");
    }
}

#[test]
fn an_indented_marker_can_be_a_kept_line() {
    assert_eq!(chunks("@@\n *** End Patch\n-a"), [chunk(&[], &[keep("*** End Patch"), remove("a")])]);
}

#[test]
fn several_patches_in_one_text_are_all_read() {
    let text = format!("{}\n\n{}", enveloped("*** Add File: a\n+x"), enveloped("*** Delete File: b"));
    assert_eq!(parse(&text), Ok(vec![add_file("a", "x"), Section::Delete { path: "b".into() }]));
}

#[test]
fn an_empty_envelope_has_no_sections() {
    assert_eq!(parse("*** Begin Patch\n*** End Patch"), Ok(Vec::new()));
    assert_eq!(parse("*** Begin Patch\n\n \n*** End Patch"), Ok(Vec::new()));
}

#[test]
fn missing_markers_are_an_error() {
    for text in ["", "x", BEGIN, END, "*** End Patch\n*** Begin Patch", "*** Begin Patch\n*** Delete File: a"]
    {
        assert_eq!(parse(text), Err(PatchError::Markers), "{text}");
    }
    assert_eq!(PatchError::Markers.to_string(), "Invalid patch format: missing Begin/End markers");
}

#[test]
fn pinned_unknown_headers_and_stray_lines_are_errors() {
    for body in ["*** Frobnicate File: x", "hello", "*** Move to: x", "***", "*** Add File", BEGIN] {
        let wanted = PatchError::Stray { number: 2, line: body.into() };
        assert_eq!(error(body), wanted);
        assert!(wanted.to_string().starts_with("Invalid patch line 2: '"), "{wanted}");
    }
    assert_eq!(error("*** Delete File: a\n\nhello"), PatchError::Stray { number: 4, line: "hello".into() });
    assert_eq!(
        error("*** Update File: a\n-x\n*** Frobnicate File: x"),
        PatchError::Stray { number: 4, line: "*** Frobnicate File: x".into() }
    );
}

#[test]
fn lines_of_a_new_file_need_their_sign() {
    let fault = error("*** Add File: a\n+x\ny");
    assert_eq!(fault, PatchError::AddLine { number: 4, line: "y".into() });
    assert!(fault.to_string().starts_with("Invalid add file line 4: 'y'"), "{fault}");
    assert_eq!(error("*** Add File: a\n+x\n\n+y"), PatchError::AddLine { number: 4, line: String::new() });
    assert_eq!(
        sections("*** Add File: a\n+x\n\n \n*** Add File: b"),
        [add_file("a", "x"), add_file("b", "")]
    );
}

#[test]
fn lines_of_a_change_need_their_sign() {
    let fault = error("*** Update File: a\n@@\n-x\ny");
    assert_eq!(fault, PatchError::UpdateLine { number: 5, line: "y".into() });
    assert!(fault.to_string().starts_with("Invalid update file line 5: 'y'"), "{fault}");
    assert_eq!(error("*** Update File: a\né"), PatchError::UpdateLine { number: 3, line: "é".into() });
}

#[test]
fn an_update_without_a_chunk_is_an_error() {
    let wanted = PatchError::NoChunk { path: "a".into() };
    for body in ["", "@@", "@@ fn b", "@@\n\n", "@@\n-x\n@@", "@@\n*** End of File", "*** Move to: b\n@@"] {
        assert_eq!(error(&format!("*** Update File: a\n{body}")), wanted, "{body}");
    }
    assert!(wanted.to_string().contains("expected at least one @@ chunk"));
}

#[test]
fn empty_paths_are_errors() {
    for header in ["*** Add File:", "*** Delete File:  ", "*** Update File:"] {
        assert_eq!(error(header), PatchError::EmptyPath { number: 2, line: header.into() });
    }
    let line = "*** Move to: ".to_owned();
    assert_eq!(error(&format!("*** Update File: a\n{line}")), PatchError::EmptyPath { number: 3, line });
}

#[test]
fn carriage_returns_inside_a_line_stay() {
    assert_eq!(sections("*** Add File: a\r\n+x\r\r\n+y"), [add_file("a", "x\r\ny")]);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        fuzz_parse(text.as_bytes());
    }

    #[test]
    fn any_mixture_of_patch_lines_is_read_or_refused(
        lines in prop::collection::vec(prop::sample::select(vec![
            BEGIN, END, END_OF_FILE, " *** End Patch", "*** Add File: a", "*** Delete File: b", "*** Update File: c",
            "*** Move to: d", "*** Update File:", "@@", "@@ x", "@@ -1 +1 @@", "+a", "-a", " a", "", " ", "a", "é",
        ]), 0..20),
    ) {
        fuzz_parse(lines.join("\n").as_bytes());
        fuzz_parse(enveloped(&lines.join("\n")).as_bytes());
    }
}
