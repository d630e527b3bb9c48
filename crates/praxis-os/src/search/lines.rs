//! Looking into one file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::Line;
use super::stop::Stop;
use crate::HeldFolder;

/// The longest line that is searched; a file with a longer one is searched up to it.
///
/// It bounds memory, and the time between two looks at whether to stop.
pub(super) const LONGEST_LINE: usize = 32 << 20;
/// The same for a pattern that may take long for each byte, so that it is stopped in time as well.
const LONGEST_LINE_FOR_HEAVY: usize = 256 << 10;
/// Files up to this size, which are nearly all, are read at once: the searcher alone would read each three times.
const SMALL: usize = 64 << 10;
/// The most bytes of one character, also of one that is not UTF-8.
const CHAR_BYTES: usize = 4;
/// Shown where a line was cut.
const CUT: &str = "...";

/// Finds lines in files.
pub(super) struct Finder<'a> {
    pub(super) matcher: RegexMatcher,
    pub(super) stop: &'a Stop,
    /// The most lines of one file.
    pub(super) limit: usize,
    /// The most characters of one line.
    pub(super) chars: usize,
    /// Whether the pattern may take long for each byte.
    pub(super) is_heavy: bool,
}

/// What one file gave.
pub(super) struct Found {
    pub(super) lines: Vec<Line>,
    /// It could not be read, or not to its end.
    pub(super) unread: bool,
}

impl Finder<'_> {
    /// Looks into a file that the walk came to. Nobody said that it is text.
    pub(super) fn search_path(&self, reader: &mut Reader, held: &HeldFolder, path: &Path) -> Found {
        let unread = Found { lines: Vec::new(), unread: true };
        if self.stop.is_due() {
            return unread;
        }
        // The walk saw a regular file. Should it be a pipe or a link by now, this neither waits nor follows.
        let Ok(descriptor) = held.open_file(path) else { return unread };
        let mut file = File::from(descriptor);
        let Ok(length) = file.read(&mut reader.start) else { return unread };
        let start = &reader.start[..length];
        self.collect(|sink| {
            if length < SMALL {
                reader.searcher.search_slice(&self.matcher, start, sink)
            } else {
                let whole = start.chain(Watched { file, stop: self.stop });
                reader.searcher.search_reader(&self.matcher, whole, sink)
            }
        })
    }

    /// Looks into a file that was asked for by name.
    pub(super) fn search_file(&self, file: File) -> Found {
        if let Some(found) = self.search_parts(&file) {
            return found;
        }
        let watched = Watched { file, stop: self.stop };
        self.collect(|sink| self.named_searcher(true).search_reader(&self.matcher, watched, sink))
    }

    /// For files that the walk comes to.
    pub(super) fn reader(&self) -> Reader {
        let searcher = builder(BinaryDetection::quit(0), self.longest_line()).build();
        Reader { searcher, start: vec![0; SMALL] }
    }

    /// For a file that was asked for by name, or a part of it.
    pub(super) fn named_searcher(&self, from_the_start: bool) -> Searcher {
        let mut builder = builder(BinaryDetection::convert(0), self.longest_line());
        builder.bom_sniffing(from_the_start).build()
    }

    fn longest_line(&self) -> usize {
        if self.is_heavy { LONGEST_LINE_FOR_HEAVY } else { LONGEST_LINE }
    }

    pub(super) fn collect(&self, search: impl FnOnce(&mut Collector) -> io::Result<()>) -> Found {
        let mut sink = Collector { lines: Vec::new(), limit: self.limit, chars: self.chars };
        let searched = search(&mut sink);
        Found { lines: sink.lines, unread: searched.is_err() }
    }
}

/// What a thread reads one file after the other with.
pub(super) struct Reader {
    searcher: Searcher,
    start: Vec<u8>,
}

fn builder(binary: BinaryDetection, longest_line: usize) -> SearcherBuilder {
    let mut builder = SearcherBuilder::new();
    builder
        // As the patterns have it, or every search would fail.
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .binary_detection(binary)
        .heap_limit(Some(longest_line));
    builder
}

/// A file that cannot be read any more once it is time to stop.
struct Watched<'a> {
    file: File,
    stop: &'a Stop,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            return Err(io::Error::other("stopped"));
        }
        self.file.read(buffer)
    }
}

pub(super) struct Collector {
    lines: Vec<Line>,
    limit: usize,
    chars: usize,
}

impl Sink for Collector {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let text = shown(line.bytes(), self.chars);
        self.lines.push(Line { number: line.line_number().unwrap_or_default(), text });
        Ok(self.lines.len() < self.limit)
    }
}

/// The line as text, without its ending, and not longer than `chars`.
fn shown(line: &[u8], chars: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Decoding megabytes to show a few characters of them would be a waste.
    let start = &line[..line.len().min(chars.saturating_add(1).saturating_mul(CHAR_BYTES))];
    let text = String::from_utf8_lossy(start);
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_after_its_characters_and_never_inside_one() {
        assert_eq!(shown(b"abc\n", 3), "abc");
        assert_eq!(shown(b"abc\r\n", 3), "abc");
        assert_eq!(shown(b"abcd\r\n", 3), "abc...");
        assert_eq!(shown("äöü".as_bytes(), 3), "äöü");
        assert_eq!(shown("🙂🙂🙂🙂🙂🙂🙂".as_bytes(), 3), "🙂🙂🙂...");
        assert_eq!(shown(b"a\xffb\n", 3), "a\u{fffd}b");
        assert_eq!(shown(&[0xff; 100], 3), "\u{fffd}\u{fffd}\u{fffd}...");
        assert_eq!(shown(b"\n", 3), "");
    }
}
