//! From the chunks of a patch to the hunks of a text.

use super::nearest::{nearest, repeated, shortened};
use super::seek::{MAX_STEPS, Seeker};
use super::{Chunk, Line, PatchError};
use crate::{Hunk, Unified};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The hunks that a list of chunks makes of a text.
///
/// They hold only lines that really change, in the line endings of their place. If there are any, the text they make
/// ends with a line ending.
pub fn derive(text: &str, path: &str, chunks: &[Chunk]) -> Result<Vec<Hunk>, PatchError> {
    let unified = Unified::new(text);
    let file = File::new(unified.text());
    let wanted = chunks.iter().flat_map(|chunk| {
        let contexts = chunk.contexts.iter().map(String::as_str);
        contexts.chain(chunk.lines.iter().filter_map(Line::before))
    });
    let seeker = Seeker::new(&file.lines, wanted.collect(), MAX_STEPS);
    let mut placing =
        Placing { path, lines: &file.lines, seeker, cursor: 0, edits: Vec::new(), at_end: Vec::new() };
    for chunk in chunks {
        placing.place(chunk)?;
    }
    let edits = placing.finish();
    Ok(apart(text, file.hunks(&unified, &edits)))
}

/// Lines of the file that go, by number, and those that come instead.
struct Edit<'a> {
    from: usize,
    to: usize,
    lines: Vec<&'a str>,
}

/// The search for the places of all chunks, from the top of the file to its end.
struct Placing<'a> {
    path: &'a str,
    lines: &'a [&'a str],
    seeker: Seeker<'a>,
    /// The first line that the next chunk may change.
    cursor: usize,
    edits: Vec<Edit<'a>>,
    /// Lines that come at the end of the file.
    at_end: Vec<&'a str>,
}

impl<'a> Placing<'a> {
    fn place(&mut self, chunk: &'a Chunk) -> Result<(), PatchError> {
        for context in &chunk.contexts {
            self.cursor = self.context(context)? + 1;
        }
        let before = chunk.before();
        if before.is_empty() {
            self.insert(chunk);
            return Ok(());
        }
        if let Some(at) = self.find(&before, chunk)? {
            self.replace(at, chunk.lines.iter().map(pair));
            return Ok(());
        }
        if let [rest @ .., ""] = &before[..]
            && let Some(at) = self.find(rest, chunk)?
        {
            self.replace(at, without_last_blank(&chunk.lines));
            return Ok(());
        }
        let near = nearest(self.lines, &mut self.seeker, &before, self.cursor);
        Err(PatchError::Lines { path: self.path.to_owned(), lines: repeated(&before), near })
    }

    fn context(&mut self, context: &str) -> Result<usize, PatchError> {
        if let Some(at) = self.seek(&[context], false)? {
            return Ok(at);
        }
        let near = nearest(self.lines, &mut self.seeker, &[context], self.cursor);
        Err(PatchError::Context { path: self.path.to_owned(), context: shortened(context), near })
    }

    fn find(&mut self, before: &[&str], chunk: &Chunk) -> Result<Option<usize>, PatchError> {
        if let Some(at) = self.seek(before, chunk.end_of_file)? {
            return Ok(Some(at));
        }
        // Models repeat the line after `@@` as the first line of the chunk.
        let Some(at) = self.cursor.checked_sub(1).filter(|_| !chunk.contexts.is_empty()) else {
            return Ok(None);
        };
        Ok(self.seeker.stands_at(before, at).then_some(at))
    }

    fn seek(&mut self, pattern: &[&str], end_of_file: bool) -> Result<Option<usize>, PatchError> {
        let found = self.seeker.find(pattern, self.cursor, end_of_file);
        found.map_err(|_| PatchError::TooLarge { path: self.path.to_owned() })
    }

    /// A chunk that only adds: right below its context, else at the end of the file.
    fn insert(&mut self, chunk: &'a Chunk) {
        if chunk.contexts.is_empty() || chunk.end_of_file {
            self.at_end.extend(chunk.after());
        } else {
            self.edits.push(Edit { from: self.cursor, to: self.cursor, lines: chunk.after() });
        }
    }

    /// Notes what really changes among the lines that were found at `at`.
    fn replace(&mut self, at: usize, pairs: impl IntoIterator<Item = Pair<'a>>) {
        let mut edit = Edit { from: at, to: at, lines: Vec::new() };
        for pair in pairs {
            match pair {
                (Some(_), Some(_)) => {
                    let next = edit.to + 1;
                    self.note(std::mem::replace(&mut edit, Edit { from: next, to: next, lines: Vec::new() }));
                }
                (Some(_), None) => edit.to += 1,
                (None, Some(line)) => edit.lines.push(line),
                (None, None) => {}
            }
        }
        self.cursor = edit.to;
        self.note(edit);
    }

    /// Takes an edit without the lines at its borders that the file already has.
    fn note(&mut self, edit: Edit<'a>) {
        let same = |(old, new): &(&&str, &&str)| old == new;
        let old = &self.lines[edit.from..edit.to];
        let head = old.iter().zip(&edit.lines).take_while(same).count();
        let (old, new) = (&old[head..], &edit.lines[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let lines = new[..new.len() - tail].to_vec();
        let edit = Edit { from: edit.from + head, to: edit.to - tail, lines };
        if edit.from < edit.to || !edit.lines.is_empty() {
            self.edits.push(edit);
        }
    }

    /// All edits in the order of the file.
    fn finish(mut self) -> Vec<Edit<'a>> {
        if !self.at_end.is_empty() {
            let end = self.lines.len();
            let taken = self.edits.last().map_or(0, |edit| edit.to);
            // An empty last line stays last, unless a chunk changes it.
            let at = if self.lines.last() == Some(&"") && taken < end { end - 1 } else { end };
            self.edits.push(Edit { from: at, to: at, lines: self.at_end });
        }
        self.edits
    }
}

/// A line before and after the change.
type Pair<'a> = (Option<&'a str>, Option<&'a str>);

fn pair(line: &Line) -> Pair<'_> {
    (line.before(), line.after())
}

/// The lines of a chunk whose last old line, an empty one, is not in the file. Most often it is the empty line between
/// two chunks, so an empty line at the end of the new lines goes with it.
fn without_last_blank(lines: &[Line]) -> Vec<Pair<'_>> {
    let mut pairs: Vec<Pair<'_>> = lines.iter().map(pair).collect();
    if let Some(last) = pairs.iter_mut().rfind(|(old, _)| old.is_some()) {
        last.0 = None;
    }
    pairs.retain(|pair| *pair != (None, None));
    pairs.pop_if(|pair| *pair == (None, Some("")));
    pairs
}

/// The lines of a text and where they start.
struct File<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
    starts: Vec<usize>,
}

impl<'a> File<'a> {
    fn new(text: &'a str) -> Self {
        // The mark belongs to the file and not to its first line.
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut lines: Vec<&str> = body.split('\n').collect();
        lines.pop_if(|line| line.is_empty());
        let mut at = text.len() - body.len();
        let mut starts = Vec::with_capacity(lines.len());
        for line in &lines {
            starts.push(at);
            at += line.len() + 1;
        }
        Self { text, lines, starts }
    }

    fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    fn hunks(&self, unified: &Unified<'_>, edits: &[Edit<'_>]) -> Vec<Hunk> {
        let end = self.lines.len();
        let unended = end > 0 && !self.text.ends_with('\n');
        let last_stays = edits.iter().all(|edit| edit.to < end || edit.from == end);
        let mut missing = (unended && last_stays && !edits.is_empty())
            .then(|| unified.original_hunk(self.text.len()..self.text.len(), "\n"));
        let mut hunks = Vec::with_capacity(edits.len() + 1);
        for edit in edits {
            if edit.from == end {
                hunks.extend(missing.take());
            }
            let text: String = edit.lines.iter().flat_map(|line| [line, "\n"]).collect();
            hunks.push(unified.original_hunk(self.start(edit.from)..self.start(edit.to), &text));
        }
        hunks.extend(missing);
        hunks
    }
}

/// Keeps line ends apart that a change brings together: a carriage return that ends a line of its own, and a line feed
/// that ends the next, would be read as one.
fn apart(text: &str, mut hunks: Vec<Hunk>) -> Vec<Hunk> {
    let bytes = text.as_bytes();
    let (mut last, mut at) = (None, 0);
    let mut starts = hunks.iter().map(|hunk| hunk.range.start).collect::<Vec<_>>().into_iter().skip(1);
    for hunk in &mut hunks {
        if hunk.range.start > at {
            last = Some(bytes[hunk.range.start - 1]);
        }
        if last == Some(b'\r') && hunk.text.starts_with('\n') {
            hunk.text.insert(0, '\r');
        }
        last = hunk.text.bytes().last().or(last);
        at = hunk.range.end;
        let joined = starts.next() != Some(at) && last == Some(b'\r') && bytes.get(at) == Some(&b'\n');
        if joined {
            hunk.text.push('\r');
        }
    }
    hunks
}

#[cfg(test)]
mod tests;
