//! Diffs between two texts, as people and clients read them.
//!
//! ```
//! use praxis_text::diff;
//!
//! let text = diff::unified("a.txt", "one\ntwo\n", "one\n2\n");
//! assert!(text.starts_with("Index: a.txt\n=====") && text.ends_with("@@ -1,2 +1,2 @@\n one\n-two\n+2\n"));
//! assert_eq!(diff::counts("one\ntwo\n", "one\n"), diff::Counts { additions: 0, deletions: 1 });
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp};

use crate::unify;

/// How long the search for the smallest difference may take; what is left then counts as changed.
pub const DEADLINE: Duration = Duration::from_millis(250);
/// How many lines there must be before a plain search is tried first. It compares lines as they are and finds few
/// changes at once, when only to hash so many lines would take most of the time there is.
const LARGE_LINES: usize = 20_000;
/// How long the plain search may take.
const QUICK_DEADLINE: Duration = Duration::from_millis(100);
/// How many bytes of diff text there are at most, headers and the last note aside.
pub const MAX_BYTES: usize = 256 * 1_024;
/// How many unchanged lines are shown round a change.
const CONTEXT: usize = 4;
/// How many `=` stand under the name.
const RULE: usize = 67;

/// How many lines came and went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that came.
    pub additions: usize,
    /// Lines that went.
    pub deletions: usize,
}

/// How many lines came and went between two texts; their line endings do not matter.
pub fn counts(old: &str, new: &str) -> Counts {
    let (old, new) = (unify(old), unify(new));
    let window = Window::new(&old, &new);
    let changes = window.ops().into_iter().map(|op| match op {
        DiffOp::Equal { .. } => (0, 0),
        DiffOp::Delete { old_len, .. } => (0, old_len),
        DiffOp::Insert { new_len, .. } => (new_len, 0),
        DiffOp::Replace { old_len, new_len, .. } => (new_len, old_len),
    });
    changes.fold(Counts::default(), |sum, (additions, deletions)| Counts {
        additions: sum.additions + additions,
        deletions: sum.deletions + deletions,
    })
}

/// The difference between two texts in unified form, under a header that names the file; their line endings do not
/// matter.
///
/// A diff that would be too long ends early, with a note that says how many lines are missing.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let (old, new) = (unify(old), unify(new));
    let window = Window::new(&old, &new);
    let mut page = Page::new(path);
    for group in similar::group_diff_ops(window.ops(), CONTEXT) {
        window.write(&group, &mut page);
    }
    page.finish()
}

/// The lines of two texts from a little before the first difference to a little after the last.
struct Window<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// How many lines stand before it.
    skipped: usize,
}

impl<'a> Window<'a> {
    fn new(old: &'a str, new: &'a str) -> Self {
        let head = common_head(old, new);
        let tail = common_tail(&old[head..], &new[head..]);
        // Some of what both have in common is shown round the change.
        let start = memchr::memrchr_iter(b'\n', &old.as_bytes()[..head]).nth(CONTEXT).map_or(0, |at| at + 1);
        let common_end = &old.as_bytes()[old.len() - tail..];
        let shown = memchr::memchr_iter(b'\n', common_end).nth(CONTEXT - 1).map_or(tail, |at| at + 1);
        let hidden = tail - shown;
        Self {
            old: old[start..old.len() - hidden].split_inclusive('\n').collect(),
            new: new[start..new.len() - hidden].split_inclusive('\n').collect(),
            skipped: memchr::memchr_iter(b'\n', &old.as_bytes()[..start]).count(),
        }
    }

    fn ops(&self) -> Vec<DiffOp> {
        if self.old == self.new {
            return Vec::new();
        }
        if self.old.len() + self.new.len() > LARGE_LINES {
            let deadline = Instant::now() + QUICK_DEADLINE;
            let ops = self.ops_until(Algorithm::RawMyers, deadline);
            if Instant::now() < deadline {
                return ops;
            }
        }
        self.ops_until(Algorithm::Myers, Instant::now() + DEADLINE)
    }

    fn ops_until(&self, algorithm: Algorithm, deadline: Instant) -> Vec<DiffOp> {
        similar::capture_diff_slices_deadline(algorithm, &self.old, &self.new, Some(deadline))
    }

    fn write(&self, group: &[DiffOp], page: &mut Page) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        // A side without lines is named by the line before it.
        let first_line =
            |range: &std::ops::Range<usize>| self.skipped + range.start + usize::from(!range.is_empty());
        let (old_start, new_start) = (first_line(&old), first_line(&new));
        page.title(&format!("@@ -{old_start},{} +{new_start},{} @@\n", old.len(), new.len()));
        for op in group {
            if let DiffOp::Equal { .. } = op {
                self.old[op.old_range()].iter().for_each(|line| page.line(' ', line));
                continue;
            }
            self.old[op.old_range()].iter().for_each(|line| page.line('-', line));
            self.new[op.new_range()].iter().for_each(|line| page.line('+', line));
        }
    }
}

/// How many bytes at the beginning are whole lines that both texts have.
fn common_head(old: &str, new: &str) -> usize {
    let same = common_bytes(old.as_bytes(), new.as_bytes());
    memchr::memrchr(b'\n', &old.as_bytes()[..same]).map_or(0, |at| at + 1)
}

/// How many bytes at the end are whole lines that both texts have. Both must start with a line.
fn common_tail(old: &str, new: &str) -> usize {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let same = common_bytes_back(old, new);
    let starts_line = |text: &[u8]| text.len() == same || text[text.len() - same - 1] == b'\n';
    if starts_line(old) && starts_line(new) {
        return same;
    }
    memchr::memchr(b'\n', &old[old.len() - same..]).map_or(0, |at| same - at - 1)
}

/// Blocks of this size are compared at once, which is much faster than byte by byte.
const BLOCK: usize = 4_096;

fn common_bytes(old: &[u8], new: &[u8]) -> usize {
    let blocks =
        old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK)).take_while(|(old, new)| old == new).count();
    let at = blocks * BLOCK;
    at + old[at..].iter().zip(&new[at..]).take_while(|(old, new)| old == new).count()
}

fn common_bytes_back(old: &[u8], new: &[u8]) -> usize {
    let blocks =
        old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK)).take_while(|(old, new)| old == new).count();
    let at = blocks * BLOCK;
    let (old, new) = (&old[..old.len() - at], &new[..new.len() - at]);
    at + old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count()
}

/// Diff text up to its cap.
struct Page {
    text: String,
    room: usize,
    left_out: usize,
}

impl Page {
    fn new(path: &str) -> Self {
        let text = format!("Index: {path}\n{}\n--- {path}\n+++ {path}\n", "=".repeat(RULE));
        Self { text, room: MAX_BYTES, left_out: 0 }
    }

    fn title(&mut self, title: &str) {
        if self.takes(title.len()) {
            self.text.push_str(title);
        }
    }

    fn line(&mut self, sign: char, line: &str) {
        const UNENDED: &str = "\n\\ No newline at end of file\n";
        let end = if line.ends_with('\n') { "" } else { UNENDED };
        if !self.takes(1 + line.len() + end.len()) {
            self.left_out += 1;
            return;
        }
        self.text.push(sign);
        self.text.push_str(line);
        self.text.push_str(end);
    }

    /// Whether there is room. Once there was none there is none for shorter lines either: a gap would mislead.
    fn takes(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.room;
        self.room = if fits { self.room - bytes } else { 0 };
        fits
    }

    fn finish(mut self) -> String {
        if self.left_out > 0 {
            // In a unified diff a line that starts so is a remark.
            let _ = writeln!(self.text, "\\ {} more lines of this diff are left out", self.left_out);
        }
        self.text
    }
}

/// The diff without the indentation that all its lines share.
pub fn trimmed(diff: &str) -> String {
    let mut in_hunk = false;
    let lines: Vec<(bool, &str)> =
        diff.split('\n').map(|line| (is_content(line, &mut in_hunk), line)).collect();
    let indents = lines.iter().filter(|(content, _)| *content).filter_map(|(_, line)| indent(&line[1..]));
    let shared = indents.min().unwrap_or(0);
    if shared == 0 {
        return diff.to_owned();
    }
    let cut = lines
        .iter()
        .map(|&(content, line)| if content { outdented(line, shared) } else { Cow::Borrowed(line) });
    cut.collect::<Vec<_>>().join("\n")
}

/// Whether a line of a diff is one of a file. A removed `-- comment` looks like a header but stands in a hunk.
fn is_content(line: &str, in_hunk: &mut bool) -> bool {
    if line.starts_with("@@") || line.starts_with("Index: ") {
        *in_hunk = line.starts_with("@@");
        return false;
    }
    let header = !*in_hunk && (line.starts_with("---") || line.starts_with("+++"));
    line.starts_with(['+', '-', ' ']) && !header
}

/// With how many blanks a line starts, if there is more in it than blanks.
fn indent(line: &str) -> Option<usize> {
    line.chars().position(|c| !c.is_whitespace())
}

/// The line with `count` characters less behind its sign.
fn outdented(line: &str, count: usize) -> Cow<'_, str> {
    let (sign, rest) = line.split_at(1);
    let at = rest.char_indices().nth(count).map_or(rest.len(), |(at, _)| at);
    Cow::Owned(format!("{sign}{}", &rest[at..]))
}

#[cfg(test)]
mod tests;
