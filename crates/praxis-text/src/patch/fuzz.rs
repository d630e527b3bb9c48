//! What must hold for any input, for fuzzers and property tests.

use super::{Section, derive, parse};
use crate::{apply, unify};

/// Reads `data` as a patch; panics if what comes out breaks a promise of [`parse`].
pub fn fuzz_parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let sections = parse(&text);
    if !text.contains('\r') {
        assert_eq!(sections, parse(&text.replace('\n', "\r\n")), "line endings change the meaning");
    }
    for section in sections.unwrap_or_default() {
        let (Section::Add { path, .. } | Section::Delete { path } | Section::Update { path, .. }) = &section;
        assert!(!path.trim().is_empty(), "a section without a path");
        let Section::Update { move_to, chunks, .. } = &section else { continue };
        assert!(move_to.is_some() || !chunks.is_empty(), "an update that does nothing");
        assert!(chunks.iter().all(|chunk| !chunk.lines.is_empty()), "a chunk without lines");
    }
}

/// Reads `data` as a file, a zero byte and a patch, and applies every update of the patch to the file; panics if what
/// comes out breaks a promise of [`derive`].
pub fn fuzz_apply(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((file, patch)) = text.split_once('\0') else { return };
    for section in parse(patch).unwrap_or_default() {
        let Section::Update { path, chunks, .. } = &section else { continue };
        let Ok(hunks) = derive(file, path, chunks) else { continue };
        let mut at = 0;
        for hunk in &hunks {
            assert!(at <= hunk.range.start && hunk.range.start <= hunk.range.end, "hunks out of order");
            at = hunk.range.end;
        }
        let changed = apply(file, &hunks);
        if hunks.is_empty() {
            assert_eq!(changed, file, "a change without a hunk");
            continue;
        }
        let view = unify(&changed);
        let bare = view.trim_start_matches('\u{feff}').is_empty();
        assert!(bare || view.ends_with('\n'), "no line ending at the end");
    }
}
