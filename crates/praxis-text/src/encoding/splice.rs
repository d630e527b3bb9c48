//! Changing a file in place: only the bytes of the hunks are new.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::{Border, Cursor};
use super::{Decoded, Unencodable, encode};
use crate::Hunk;

/// The bytes of a file with hunks, which are ranges of [`Decoded::text`], put in; every other byte is copied.
///
/// The hunks must be in order and must not overlap. What a hunk has in common with the text it replaces, at its
/// beginning and at its end, keeps its bytes as well.
pub fn splice(bytes: &[u8], decoded: &Decoded, hunks: &[Hunk]) -> Result<Vec<u8>, Unencodable> {
    let mark = decoded.encoding.mark_if(decoded.bom).len();
    let body = &bytes[mark..];
    let grown: usize = hunks.iter().map(|hunk| hunk.text.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + grown);
    out.extend_from_slice(&bytes[..mark]);
    let mut at = 0;
    for change in changes(decoded, body, hunks) {
        out.extend_from_slice(&body[at..change.bytes.start]);
        out.extend(change.encoded(decoded)?);
        at = change.bytes.end;
    }
    out.extend_from_slice(&body[at..]);
    Ok(out)
}

/// A piece of the bytes and the text that comes in its place.
pub(super) struct Change<'a> {
    pub(super) bytes: Range<usize>,
    text: Cow<'a, str>,
    /// Where it begins in the old text.
    start: usize,
}

impl Change<'_> {
    fn encoded(&self, decoded: &Decoded) -> Result<Vec<u8>, Unencodable> {
        // A second mark would be a character in the middle of nowhere.
        let twice = decoded.bom && self.start == 0;
        let text = if twice { self.text.trim_start_matches('\u{FEFF}') } else { &self.text };
        encode(text, decoded.encoding, false).map_err(|report| {
            let before = memchr::memchr_iter(b'\n', &decoded.text.as_bytes()[..self.start]).count();
            Unencodable { line: before + report.line, ..report }
        })
    }
}

/// The hunks as changes to the bytes, which are those after the byte order mark.
pub(super) fn changes<'a>(decoded: &'a Decoded, body: &'a [u8], hunks: &'a [Hunk]) -> Vec<Change<'a>> {
    let mut cursor = Cursor::new(decoded, body);
    let mut groups = Vec::new();
    let mut open: Option<Group<'a>> = None;
    for hunk in hunks {
        let (range, text) = trimmed(&decoded.text, hunk);
        if range.is_empty() && text.is_empty() {
            continue;
        }
        let (start, _) = cursor.around(range.start);
        let (_, end) = cursor.around(range.end);
        open = Some(match open.take() {
            Some(group) if start.byte < group.end.byte => group.joined(decoded, range, text, end),
            earlier => {
                groups.extend(earlier.map(|group| group.closed(decoded)));
                Group::new(decoded, start, range, text, end)
            }
        });
    }
    groups.extend(open.map(|group| group.closed(decoded)));
    groups
}

/// Hunks that touch the same sequence of bytes and can only be written together.
struct Group<'a> {
    start: Border,
    text: Cow<'a, str>,
    /// How far the old text is used up.
    used: usize,
    end: Border,
}

impl<'a> Group<'a> {
    fn new(decoded: &'a Decoded, start: Border, range: Range<usize>, text: &'a str, end: Border) -> Self {
        let kept = &decoded.text[start.text..range.start];
        let text = if kept.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{kept}{text}")) };
        Self { start, text, used: range.end, end }
    }

    fn joined(mut self, decoded: &'a Decoded, range: Range<usize>, text: &str, end: Border) -> Self {
        self.text.to_mut().push_str(&decoded.text[self.used..range.start]);
        self.text.to_mut().push_str(text);
        Self { used: range.end, end, ..self }
    }

    fn closed(mut self, decoded: &Decoded) -> Change<'a> {
        let kept = &decoded.text[self.used..self.end.text];
        if !kept.is_empty() {
            self.text.to_mut().push_str(kept);
        }
        Change { bytes: self.start.byte..self.end.byte, text: self.text, start: self.start.text }
    }
}

/// The hunk without what it leaves as it is: such characters may be unencodable, or have more than one spelling.
fn trimmed<'a>(text: &str, hunk: &'a Hunk) -> (Range<usize>, &'a str) {
    let (old, new) = (&text[hunk.range.clone()], hunk.text.as_str());
    let head: usize =
        old.chars().zip(new.chars()).take_while(|(old, new)| old == new).map(|(old, _)| old.len_utf8()).sum();
    let (old, new) = (&old[head..], &new[head..]);
    let pairs = old.chars().rev().zip(new.chars().rev());
    let tail: usize = pairs.take_while(|(old, new)| old == new).map(|(old, _)| old.len_utf8()).sum();
    (hunk.range.start + head..hunk.range.end - tail, &new[..new.len() - tail])
}
