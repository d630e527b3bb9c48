//! One page of a text, read as a stream: memory holds the page, never the file.

use std::io::{self, BufRead};

use tokio_util::sync::CancellationToken;

const DEFAULT_LINES: u64 = 2_000;
/// Characters of one line.
const LINE_CHARS: usize = 2_000;
/// Bytes of a line kept while it is read; enough for its characters in UTF-8.
const LINE_BYTES: usize = 4 * LINE_CHARS + 4;
const PAGE_BYTES: usize = 50 * 1_024;
/// Bytes read on after the page is full, only to count lines. Beyond it the total is not told.
const COUNT_BYTES: u64 = 1 << 30;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    offset: u64,
    limit: u64,
}

impl Window {
    /// Zero means the same as nothing: the first line, the usual number of lines.
    pub(super) fn new(offset: Option<u64>, limit: Option<u64>) -> Self {
        Self {
            offset: offset.unwrap_or(1).max(1),
            limit: limit.filter(|&limit| limit > 0).unwrap_or(DEFAULT_LINES),
        }
    }

    pub(super) fn offset(self) -> u64 {
        self.offset
    }

    pub(super) fn limit(self) -> u64 {
        self.limit
    }
}

/// What ran out where the page ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    File,
    Lines,
    Bytes,
}

/// A page of numbered lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) lines: Vec<String>,
    pub(super) first: u64,
    /// Lines of the whole file, when they were counted.
    pub(super) total: Option<u64>,
    end: End,
}

impl Page {
    pub(super) fn last(&self) -> u64 {
        self.first + self.lines.len() as u64 - u64::from(!self.lines.is_empty())
    }

    pub(super) fn is_cut(&self) -> bool {
        self.end != End::File
    }

    /// The line under the page that says what is left.
    pub(super) fn ending(&self) -> String {
        let (first, last) = (self.first, self.last());
        let next = first + self.lines.len() as u64;
        match (self.end, self.total) {
            (End::Bytes, _) => {
                format!(
                    "(Output capped at 50 KB. Showing lines {first}-{last}. Use offset={next} to continue.)"
                )
            }
            (End::Lines, Some(total)) => {
                format!("(Showing lines {first}-{last} of {total}. Use offset={next} to continue.)")
            }
            (End::Lines, None) => {
                format!("(Showing lines {first}-{last} of many. Use offset={next} to continue.)")
            }
            (End::File, total) => format!("(End of file - total {} lines)", total.unwrap_or(last)),
        }
    }
}

/// Why there is no page.
#[derive(Debug)]
pub(super) enum BadPage {
    OutOfRange { offset: u64, lines: u64 },
    Cancelled,
    Io(io::Error),
}

impl From<io::Error> for BadPage {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads the lines of a window.
pub(super) fn read_page(
    mut text: impl BufRead,
    window: Window,
    cancel: &CancellationToken,
) -> Result<Page, BadPage> {
    let mut page = Page { lines: Vec::new(), first: window.offset, total: None, end: End::File };
    let (mut number, mut bytes) = (0, 0);
    let mut line = Line::default();
    loop {
        let wanted = number + 1 >= window.offset;
        if wanted && page.lines.len() as u64 == window.limit {
            let more = count_lines(&mut text, cancel)?;
            if more != Some(0) {
                page.end = End::Lines;
            }
            page.total = more.map(|more| number + more);
            break;
        }
        if !line.read(&mut text, wanted, cancel)? {
            page.total = Some(number);
            break;
        }
        number += 1;
        if !wanted {
            continue;
        }
        let shown = line.show();
        let cost = shown.len() + usize::from(!page.lines.is_empty());
        if bytes + cost > PAGE_BYTES {
            page.end = End::Bytes;
            break;
        }
        bytes += cost;
        page.lines.push(shown);
    }
    match page.total {
        Some(lines) if window.offset > lines.max(1) => {
            Err(BadPage::OutOfRange { offset: window.offset, lines })
        }
        _ => Ok(page),
    }
}

/// A line as it is read: its beginning, and whether there was more.
#[derive(Default)]
struct Line {
    start: Vec<u8>,
    longer: bool,
    ended: bool,
}

impl Line {
    /// Reads to the next line feed; `false` at the end of the file.
    fn read(
        &mut self,
        text: &mut impl BufRead,
        keep: bool,
        cancel: &CancellationToken,
    ) -> Result<bool, BadPage> {
        self.start.clear();
        (self.longer, self.ended) = (false, false);
        let mut any = false;
        loop {
            if cancel.is_cancelled() {
                return Err(BadPage::Cancelled);
            }
            let chunk = match text.fill_buf() {
                Ok([]) => return Ok(any),
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e.into()),
            };
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            let piece = &chunk[..end.unwrap_or(chunk.len())];
            if keep {
                let room = LINE_BYTES - self.start.len();
                self.longer |= piece.len() > room;
                self.start.extend_from_slice(&piece[..piece.len().min(room)]);
            }
            let used = end.map_or(chunk.len(), |end| end + 1);
            text.consume(used);
            if end.is_some() {
                self.ended = true;
                return Ok(true);
            }
        }
    }

    fn show(&self) -> String {
        // A carriage return belongs to the line ending only if a line feed follows it.
        let whole = self.ended && !self.longer;
        let bytes = if whole { self.start.strip_suffix(b"\r").unwrap_or(&self.start) } else { &self.start };
        let text = String::from_utf8_lossy(bytes);
        match text.char_indices().nth(LINE_CHARS) {
            Some((end, _)) => format!("{}... (line truncated to {LINE_CHARS} chars)", &text[..end]),
            None => text.into_owned(),
        }
    }
}

/// How many lines are left, or `None` if that would take too long.
fn count_lines(text: &mut impl BufRead, cancel: &CancellationToken) -> Result<Option<u64>, BadPage> {
    let (mut lines, mut read, mut open) = (0, 0, false);
    loop {
        if cancel.is_cancelled() {
            return Err(BadPage::Cancelled);
        }
        let chunk = text.fill_buf()?;
        let Some(last) = chunk.last() else { return Ok(Some(lines + u64::from(open))) };
        open = *last != b'\n';
        lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        let used = chunk.len();
        read += used as u64;
        text.consume(used);
        if read > COUNT_BYTES {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use proptest::prelude::*;

    use super::*;

    fn page(text: &[u8], offset: u64, limit: u64) -> Result<Page, BadPage> {
        read_page(Cursor::new(text), Window::new(Some(offset), Some(limit)), &CancellationToken::new())
    }

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("line{n}\n")).collect()
    }

    #[test]
    fn pinned_windows() {
        let text = numbered(100);
        let first = page(text.as_bytes(), 1, 10).unwrap();
        assert_eq!(first.ending(), "(Showing lines 1-10 of 100. Use offset=11 to continue.)");
        let middle = page(text.as_bytes(), 10, 5).unwrap();
        assert_eq!(middle.lines, ["line10", "line11", "line12", "line13", "line14"]);
        let end = page(text.as_bytes(), 91, 10).unwrap();
        assert_eq!((end.ending().as_str(), end.is_cut()), ("(End of file - total 100 lines)", false));
    }

    #[test]
    fn the_edges_of_a_file() {
        assert_eq!(page(b"", 1, 10).unwrap().ending(), "(End of file - total 0 lines)");
        assert!(matches!(page(b"", 2, 10), Err(BadPage::OutOfRange { offset: 2, lines: 0 })));
        assert!(matches!(page(b"a\nb\nc", 4, 10), Err(BadPage::OutOfRange { offset: 4, lines: 3 })));
        assert_eq!(page(b"a\r\nb\r\n", 1, 10).unwrap().lines, ["a", "b"]);
        assert_eq!(page(b"a\n\nb", 0, 10).unwrap().lines, ["a", "", "b"]);
        assert_eq!(page(b"a\nb", 1, 0).unwrap().lines, ["a", "b"]);
    }

    #[test]
    fn long_lines_are_cut_and_never_held() {
        let text = [vec![b'x'; 10_000_000], b"\nend".to_vec()].concat();
        let page = page(&text, 1, 10).unwrap();
        assert_eq!(page.lines[0], format!("{}... (line truncated to 2000 chars)", "x".repeat(2_000)));
        assert_eq!(page.lines[1], "end");
        let exact = "é".repeat(2_000);
        assert_eq!(
            super::read_page(
                Cursor::new(exact.as_bytes()),
                Window::new(None, None),
                &CancellationToken::new()
            )
            .unwrap()
            .lines[0],
            exact
        );
    }

    /// Counts what is taken from it.
    struct Counting<'a>(&'a [u8], &'a mut usize);

    impl Read for Counting<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let taken = self.0.read(buffer)?;
            *self.1 += taken;
            Ok(taken)
        }
    }

    #[test]
    fn a_full_page_stops_the_reading() {
        let text = "some line of text\n".repeat(250_000);
        let mut taken = 0;
        let reader = io::BufReader::new(Counting(text.as_bytes(), &mut taken));
        let page = read_page(reader, Window::new(None, Some(1_000_000)), &CancellationToken::new()).unwrap();
        assert!(page.ending().starts_with("(Output capped at 50 KB. Showing lines 1-"), "{}", page.ending());
        assert!(taken < text.len() / 2, "{taken}");
    }

    proptest! {
        #[test]
        fn pages_together_are_the_file(text in "[ab\r\n]{0,80}", limit in 1u64..5) {
            let expected: Vec<String> = text.lines().map(str::to_owned).collect();
            let (mut seen, mut offset) = (Vec::new(), 1);
            loop {
                let page = page(text.as_bytes(), offset, limit).unwrap();
                offset = page.first + page.lines.len() as u64;
                let cut = page.is_cut();
                prop_assert_eq!(page.total, Some(expected.len() as u64));
                seen.extend(page.lines);
                if !cut { break }
            }
            prop_assert_eq!(seen, expected);
        }
    }
}
