//! One large file, searched in several places at once.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use super::lines::{Finder, Found, LONGEST_LINE};
use super::stop::Stop;

/// Files below this are searched sooner than threads are started.
const LARGE: u64 = 8 << 20;
/// More threads than this wait for memory and not for each other.
const MOST_PARTS: usize = 4;
const CHUNK: usize = 64 << 10;

impl Finder<'_> {
    /// Looks into a file by parts that end with lines; `None` if it is better searched from the beginning to the end.
    pub(super) fn search_parts(&self, file: &File) -> Option<Found> {
        let length = file.metadata().ok()?.len();
        if length < LARGE || is_wide(file) {
            return None;
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_PARTS);
        let borders = borders(file, length, threads, self.stop)?;
        let mut parts: Vec<Part<'_>> = borders
            .windows(2)
            .map(|border| Part { file, at: border[0], end: border[1], stop: self.stop, line_feeds: 0 })
            .collect();
        let found: Vec<Found> = std::thread::scope(|scope| {
            let searches: Vec<_> =
                parts.iter_mut().map(|part| scope.spawn(|| self.search_part(part))).collect();
            let lost = || Found { lines: Vec::new(), unread: true };
            searches.into_iter().map(|search| search.join().unwrap_or_else(|_| lost())).collect()
        });
        Some(self.join(parts, found))
    }

    fn search_part(&self, part: &mut Part<'_>) -> Found {
        // Only the beginning of a file can begin with a byte order mark.
        let mut searcher = self.named_searcher(part.at == 0);
        self.collect(|sink| searcher.search_reader(&self.matcher, part, sink))
    }

    /// The lines of all parts, numbered through. What comes after a part that could not be read has no number.
    fn join(&self, parts: Vec<Part<'_>>, found: Vec<Found>) -> Found {
        let mut whole = Found { lines: Vec::new(), unread: false };
        let mut before = 0;
        for (part, found) in parts.into_iter().zip(found) {
            whole.lines.extend(found.lines.into_iter().map(|mut line| {
                line.number += before;
                line
            }));
            whole.unread |= found.unread;
            before += part.line_feeds;
            if whole.unread || whole.lines.len() >= self.limit {
                break;
            }
        }
        whole.lines.truncate(self.limit);
        whole
    }
}

/// Whether a file says that it is UTF-16, where a line feed is two bytes.
fn is_wide(file: &File) -> bool {
    let mut start = [0; 2];
    matches!(file.read_at(&mut start, 0), Ok(2)) && matches!(start, [0xff, 0xfe] | [0xfe, 0xff])
}

/// Where the parts begin and end, each after a line feed.
fn borders(file: &File, length: u64, parts: usize, stop: &Stop) -> Option<Vec<u64>> {
    let mut borders = vec![0];
    for part in 1..parts as u64 {
        let border = line_start(file, length / parts as u64 * part, stop)?;
        if borders.last().is_some_and(|last| border > *last) && border < length {
            borders.push(border);
        }
    }
    borders.push(length);
    (borders.len() > 2).then_some(borders)
}

/// The first beginning of a line at or after a place, unless the line there is too long to look for it.
fn line_start(file: &File, from: u64, stop: &Stop) -> Option<u64> {
    let (mut chunk, mut at) = (vec![0; CHUNK], from);
    while at - from < LONGEST_LINE as u64 && !stop.is_due() {
        let read = file.read_at(&mut chunk, at).ok().filter(|read| *read > 0)?;
        if let Some(found) = memchr::memchr(b'\n', &chunk[..read]) {
            return Some(at + found as u64 + 1);
        }
        at += read as u64;
    }
    None
}

/// A part of a file, which counts the line feeds it gives. A NUL is one to whoever searches a file by name.
struct Part<'a> {
    file: &'a File,
    at: u64,
    end: u64,
    stop: &'a Stop,
    line_feeds: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            return Err(io::Error::other("stopped"));
        }
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        let read = self.file.read_at(&mut buffer[..room], self.at)?;
        self.at += read as u64;
        // Counting one byte twice is several times as fast as counting two bytes once.
        let count = |byte| memchr::memchr_iter(byte, &buffer[..read]).count() as u64;
        self.line_feeds += count(b'\n') + count(0);
        Ok(read)
    }
}
