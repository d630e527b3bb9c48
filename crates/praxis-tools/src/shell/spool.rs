//! The output of a command while it grows: its beginning in memory, all of it in a file once it is long.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use praxis_os::process::Output;
use praxis_text::Limits;

use crate::OutputStore;

/// How much of the beginning is shown of an output that is too long, as a share of the limit.
const HEAD_SHARE: usize = 5;
/// What is written to the file; beyond it only the end is kept, in memory.
const FILE_CAP: u64 = 256 << 20;
/// Read at once of a file that a command writes.
const AT_ONCE: u64 = 1 << 20;

/// The output of one command.
#[derive(Debug)]
pub(crate) struct Spool {
    store: OutputStore,
    /// Everything while it is short, then the beginning.
    head: Vec<u8>,
    total: u64,
    /// Line feeds.
    lines: u64,
    /// How far it was read by whoever asks for what is new.
    read: u64,
    rest: Rest,
}

/// Where the part behind the beginning is.
#[derive(Debug)]
enum Rest {
    /// There is none.
    Nowhere,
    /// In a file that holds the whole output.
    Saved { file: File, path: PathBuf, by: Writer },
    /// The end of it in memory, because the file is full or could not be written.
    End { tail: Vec<u8>, path: Option<PathBuf>, problem: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// We write it.
    Us,
    /// The command writes the file itself.
    Command,
}

/// What is shown of an output.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    /// All of it, or its beginning and its end.
    pub text: String,
    /// Whether something is missing between the two.
    pub cut: bool,
    /// Where the whole of it is saved.
    pub path: Option<PathBuf>,
    /// What went wrong with saving it.
    pub problem: Option<String>,
}

impl Spool {
    pub(crate) fn new(store: OutputStore) -> Self {
        Self { store, head: Vec::new(), total: 0, lines: 0, read: 0, rest: Rest::Nowhere }
    }

    /// The output of a command that writes to a file by itself.
    pub(crate) fn following(store: OutputStore, path: PathBuf) -> io::Result<Self> {
        let file = File::open(&path)?;
        Ok(Self { rest: Rest::Saved { file, path, by: Writer::Command }, ..Self::new(store) })
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    fn limits(&self) -> Limits {
        self.store.limits()
    }

    /// Takes in some of what the command has written; zero at the end of it. `last` when the command has ended.
    pub(crate) fn take(&mut self, from: &Output, buffer: &mut [u8], last: bool) -> io::Result<usize> {
        let count = if last { from.read_last(buffer) } else { from.read(buffer) }?;
        self.push(&buffer[..count]);
        Ok(count)
    }

    /// Takes in what was written.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let room = self.limits().bytes.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        let bytes = &bytes[room..];
        if bytes.is_empty() {
            return;
        }
        if matches!(self.rest, Rest::Nowhere) {
            self.save();
        }
        if let Rest::Saved { file, by: Writer::Us, .. } = &mut self.rest
            && let Err(error) = file.write_all(bytes)
        {
            self.keep_end_only(&error.to_string());
        }
        if self.total >= FILE_CAP {
            self.keep_end_only("the file is full");
        }
        let limit = self.limits().bytes;
        if let Rest::End { tail, .. } = &mut self.rest {
            keep_end(tail, bytes, limit);
        }
    }

    /// Puts what there is into a file.
    fn save(&mut self) {
        let saved = self.store.create().and_then(|(mut file, path)| {
            file.write_all(&self.head)?;
            Ok(Rest::Saved { file, path, by: Writer::Us })
        });
        self.rest = saved.unwrap_or_else(|error| Rest::End {
            tail: Vec::new(),
            path: None,
            problem: format!("The full output could not be saved: {error}"),
        });
    }

    /// From now on only the end is kept.
    fn keep_end_only(&mut self, why: &str) {
        let Rest::Saved { path, .. } = &self.rest else { return };
        let (path, tail) = (path.clone(), self.end(self.limits().bytes));
        let problem = format!("Only the beginning of the output was saved: {why}");
        self.rest = Rest::End { tail, path: Some(path), problem };
    }

    /// Takes in what the command has written to its own file.
    pub(crate) fn catch_up(&mut self) {
        loop {
            let Rest::Saved { file, by: Writer::Command, .. } = &mut self.rest else { return };
            let mut bytes = Vec::new();
            match file.take(AT_ONCE).read_to_end(&mut bytes) {
                Ok(1..) => self.push(&bytes),
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// The last bytes, `most` of them if there are as many.
    fn end(&self, most: usize) -> Vec<u8> {
        let from = self.total.saturating_sub(most as u64);
        self.since(from).unwrap_or_default()
    }

    /// The bytes from a place on; nothing if they were not kept.
    fn since(&self, from: u64) -> Option<Vec<u8>> {
        let behind_head = from.saturating_sub(self.head.len() as u64);
        let head = self.head.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or_default();
        match &self.rest {
            Rest::Nowhere => Some(head.to_vec()),
            Rest::Saved { file, .. } => {
                let mut bytes = vec![0; usize::try_from(self.total - from).ok()?];
                file.read_exact_at(&mut bytes, from).ok()?;
                Some(bytes)
            }
            Rest::End { tail, .. } => {
                let behind = self.total - self.head.len() as u64;
                let lost = behind - tail.len() as u64;
                let start = usize::try_from(behind_head.saturating_sub(lost)).ok()?;
                let whole = lost == 0 || behind_head >= lost;
                whole.then(|| [head, tail.get(start..).unwrap_or_default()].concat())
            }
        }
    }

    /// The newest characters, for a display that follows.
    pub(crate) fn newest(&self, most: usize) -> String {
        // A character has four bytes at most.
        let bytes = self.end((most * 4).min(self.limits().bytes));
        let is_whole = bytes.len() as u64 == self.total;
        let text = readable(&bytes[if is_whole { 0 } else { char_start(&bytes, 0) }..]);
        let start = text.char_indices().rev().nth(most).map(|(at, c)| at + c.len_utf8());
        match start {
            Some(at) => format!("...\n\n{}", &text[at..]),
            None if is_whole => text,
            None => format!("...\n\n{text}"),
        }
    }

    /// What the model gets of the whole output; what does not fit is in a file.
    pub(crate) fn show(&mut self) -> Shown {
        let limits = self.limits();
        let is_short = self.total == self.head.len() as u64 && line_count(&self.head) <= limits.lines;
        if is_short {
            return Shown { text: readable(&self.head), cut: false, path: None, problem: None };
        }
        if matches!(self.rest, Rest::Nowhere) {
            self.save();
        }
        let (first, last) = self.ends(limits);
        let gap = self.gap(&first, &last);
        let (first, last) = (readable(&first), readable(&last));
        let text = match first.trim_end_matches('\n') {
            "" => last,
            first => format!("{first}\n\n{gap}\n\n{last}"),
        };
        let (path, problem) = match &self.rest {
            Rest::Nowhere => (None, None),
            Rest::Saved { path, .. } => (Some(path.clone()), None),
            Rest::End { path, problem, .. } => (path.clone(), Some(problem.clone())),
        };
        Shown { text, cut: true, path, problem }
    }

    /// The beginning and the end that fit the limits together; the end gets the larger part.
    fn ends(&self, limits: Limits) -> (Vec<u8>, Vec<u8>) {
        let head_lines = limits.lines / HEAD_SHARE;
        let first = first_lines(&self.head, head_lines, limits.bytes / HEAD_SHARE);
        let behind = usize::try_from(self.total - first.len() as u64).unwrap_or(usize::MAX);
        let end = self.end(behind.min(limits.bytes - first.len()));
        let last = last_lines(&end, limits.lines - head_lines, end.len() < behind);
        (first.to_vec(), last.to_vec())
    }

    fn gap(&self, first: &[u8], last: &[u8]) -> String {
        let hidden = self.total - (first.len() + last.len()) as u64;
        let shown = (line_count(first) + line_count(last)) as u64;
        match self.lines.saturating_sub(shown) {
            0 => format!("...{hidden} bytes truncated..."),
            lines => format!("...{lines} lines truncated..."),
        }
    }

    /// What was written since the last time this was asked, as far as it fits, and how many bytes before it did not;
    /// nothing if there is nothing new.
    pub(crate) fn fresh(&mut self) -> Option<(String, u64)> {
        let limit = self.limits().bytes as u64;
        if self.total == self.read {
            return None;
        }
        let from = self.read.max(self.total.saturating_sub(limit));
        let skipped = from - self.read;
        self.read = self.total;
        let bytes = self.since(from).unwrap_or_default();
        let start = if skipped > 0 { char_start(&bytes, 0) } else { 0 };
        Some((readable(&bytes[start..]), skipped))
    }
}

/// Keeps the newest `limit` bytes at least; memory is let go of in large steps.
fn keep_end(tail: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    if bytes.len() >= limit {
        tail.clear();
        tail.extend_from_slice(&bytes[bytes.len() - limit..]);
        return;
    }
    tail.extend_from_slice(bytes);
    if tail.len() > 4 * limit {
        tail.drain(..tail.len() - limit);
    }
}

fn line_count(bytes: &[u8]) -> usize {
    let ends = memchr::memchr_iter(b'\n', bytes).count();
    ends + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

/// Whole lines from the start.
fn first_lines(bytes: &[u8], lines: usize, most: usize) -> &[u8] {
    let mut end = 0;
    for at in memchr::memchr_iter(b'\n', &bytes[..bytes.len().min(most)]).take(lines) {
        end = at + 1;
    }
    &bytes[..end]
}

/// The last lines. If something stands before the bytes, the first line is part of one and goes, unless it is the only
/// one.
fn last_lines(bytes: &[u8], lines: usize, is_part: bool) -> &[u8] {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let start = memchr::memrchr_iter(b'\n', body).nth(lines.saturating_sub(1)).map(|at| at + 1);
    let start = start.or_else(|| is_part.then(|| memchr::memchr(b'\n', body)).flatten().map(|at| at + 1));
    match start {
        Some(start) => &bytes[start..],
        None if is_part => &bytes[char_start(bytes, 0)..],
        None => bytes,
    }
}

/// The first place at or behind `at` where a character starts.
fn char_start(bytes: &[u8], at: usize) -> usize {
    let is_inside = |byte: &u8| (0x80..0xC0).contains(byte);
    at + bytes[at..].iter().take(3).take_while(|byte| is_inside(byte)).count()
}

/// Bytes as text: what is no UTF-8, and NUL, which some providers refuse, become a mark.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use praxis_proto::Mint;
    use proptest::prelude::*;

    use super::*;

    fn spool(folder: &std::path::Path, lines: usize, bytes: usize) -> Spool {
        let mint = Arc::new(Mint::new(|| 1));
        Spool::new(OutputStore::new(folder.join("out"), mint, Limits { lines, bytes }))
    }

    #[test]
    fn what_fits_is_shown_whole_and_nothing_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = spool(folder.path(), 3, 12);
        spool.push(b"a\nb\n");
        spool.push(b"c12345\n");
        assert_eq!(
            spool.show(),
            Shown { text: "a\nb\nc12345\n".into(), cut: false, path: None, problem: None }
        );
        assert!(!folder.path().join("out").exists());
    }

    #[test]
    fn one_byte_or_one_line_more_is_cut_and_saved() {
        let folder = tempfile::tempdir().unwrap();
        for (text, limits) in [("aaaa\nbbbb\ncc\n", (100, 12)), ("1\n2\n3\n4\n", (3, 100))] {
            let mut spool = spool(folder.path(), limits.0, limits.1);
            spool.push(text.as_bytes());
            let shown = spool.show();
            assert!(shown.cut, "{text}");
            assert_eq!(std::fs::read_to_string(shown.path.unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_only_the_middle() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("out"), "a file").unwrap();
        let mut spool = spool(folder.path(), 10, 20);
        for n in 0..100 {
            spool.push(format!("line {n}\n").as_bytes());
        }
        let shown = spool.show();
        assert!(shown.text.ends_with("line 98\nline 99\n"), "{shown:?}");
        assert!(shown.problem.unwrap().starts_with("The full output could not be saved: "));
    }

    #[test]
    fn what_is_new_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = spool(folder.path(), 100, 10);
        assert_eq!(spool.fresh(), None);
        spool.push(b"one");
        assert_eq!(spool.fresh(), Some(("one".into(), 0)));
        assert_eq!(spool.fresh(), None);
        spool.push(b"twothreefour");
        assert_eq!(spool.fresh(), Some(("othreefour".into(), 2)));
        spool.push("é€".as_bytes());
        assert_eq!(spool.fresh(), Some(("é€".into(), 0)));
    }

    proptest! {
        /// Whatever comes in whatever pieces: the file has all of it, the text its end, and both stay within limits.
        #[test]
        fn nothing_is_lost_and_nothing_grows(
            pieces in prop::collection::vec(prop::collection::vec(prop::sample::select(b"ab\n\xc3\xa9".to_vec()), 0..40), 0..40),
            lines in 1_usize..8, bytes in 10_usize..60,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut spool = spool(folder.path(), lines, bytes);
            let whole = pieces.concat();
            for piece in &pieces {
                spool.push(piece);
                prop_assert!(spool.head.len() <= bytes);
            }
            let shown = spool.show();
            match shown.path {
                Some(path) => prop_assert_eq!(std::fs::read(path).unwrap(), whole.clone()),
                None => prop_assert_eq!(&shown.text, &String::from_utf8_lossy(&whole)),
            }
            let last = String::from_utf8_lossy(&whole);
            let end = last.lines().next_back().unwrap_or_default();
            prop_assert!(!shown.cut || end.len() > bytes / 2 || shown.text.trim_end_matches('\n').ends_with(end.trim_end_matches('\n')), "{:?} {:?}", shown.text, end);
            let fresh: String = spool.fresh().map(|(text, _)| text).unwrap_or_default();
            let fresh = fresh.trim_start_matches(char::REPLACEMENT_CHARACTER);
            prop_assert!(last.ends_with(fresh), "{:?}", fresh);
        }
    }
}
