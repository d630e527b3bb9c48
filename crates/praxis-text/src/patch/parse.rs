//! Reading a patch: lenient in what stands around it and in blank space, strict in everything else.

use std::ops::Range;

use super::{Chunk, Line, PatchError, Section};

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const MOVE: &str = "*** Move to:";
/// What every header starts with.
const HEADER: &str = "***";

/// Reads a patch. Lenient in markers and blank space, strict in what it cannot understand.
///
/// What stands before the first marker and after the last (a fence, a here-document, a sentence) is ignored.
pub fn parse(text: &str) -> Result<Vec<Section>, PatchError> {
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut sections = Vec::new();
    for body in envelopes(&lines)? {
        Reader { lines: &lines[..body.end], at: body.start }.sections(&mut sections)?;
    }
    Ok(sections)
}

/// The lines between the markers. A text may hold several patches; leaving out all but the first would be silent.
fn envelopes(lines: &[&str]) -> Result<Vec<Range<usize>>, PatchError> {
    let (mut bodies, mut at) = (Vec::new(), 0);
    while let Some(begin) = lines[at..].iter().position(|line| line.trim() == BEGIN) {
        let start = at + begin + 1;
        let end = start + end_marker(&lines[start..]).ok_or(PatchError::Markers)?;
        bodies.push(start..end);
        at = end + 1;
    }
    if bodies.is_empty() { Err(PatchError::Markers) } else { Ok(bodies) }
}

/// An indented marker may be a kept line of a file about patches, so it only counts if there is no other.
fn end_marker(lines: &[&str]) -> Option<usize> {
    let plain = lines.iter().position(|line| line.trim_end() == END);
    plain.or_else(|| lines.iter().rposition(|line| line.trim() == END))
}

/// Walks the lines of one envelope.
struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.at += 1;
        }
    }

    /// Where the reader stands and what is there, for a message.
    fn here(&self) -> (usize, String) {
        (self.at + 1, self.peek().unwrap_or_default().to_owned())
    }

    fn sections(&mut self, out: &mut Vec<Section>) -> Result<(), PatchError> {
        self.skip_blank();
        while let Some(line) = self.peek() {
            let line = line.trim();
            out.push(if let Some(path) = line.strip_prefix("*** Add File:") {
                let path = self.path(path)?;
                Section::Add { path, content: self.content()? }
            } else if let Some(path) = line.strip_prefix("*** Delete File:") {
                Section::Delete { path: self.path(path)? }
            } else if let Some(path) = line.strip_prefix("*** Update File:") {
                let path = self.path(path)?;
                self.update(path)?
            } else {
                let (number, line) = self.here();
                return Err(PatchError::Stray { number, line });
            });
            self.skip_blank();
        }
        Ok(())
    }

    /// The path of the header at this line; the reader goes on to the next line.
    fn path(&mut self, path: &str) -> Result<String, PatchError> {
        let path = path.trim();
        if path.is_empty() {
            let (number, line) = self.here();
            return Err(PatchError::EmptyPath { number, line });
        }
        self.at += 1;
        Ok(path.to_owned())
    }

    fn content(&mut self) -> Result<String, PatchError> {
        let mut lines = Vec::new();
        while let Some(line) = self.peek() {
            let Some(line) = line.strip_prefix('+') else { break };
            lines.push(line);
            self.at += 1;
        }
        let end = self.here();
        self.skip_blank();
        match self.peek().map(str::trim) {
            None => {}
            Some(END_OF_FILE) => self.at += 1,
            Some(line) if line.starts_with(HEADER) => {}
            Some(_) => {
                // A blank line in the middle is the fault, not the good line below it.
                let (number, line) = end;
                return Err(PatchError::AddLine { number, line });
            }
        }
        Ok(lines.join("\n"))
    }

    fn update(&mut self, path: String) -> Result<Section, PatchError> {
        self.skip_blank();
        let target = self.peek().and_then(|line| line.trim().strip_prefix(MOVE));
        let move_to = target.map(|target| self.path(target)).transpose()?;
        let chunks = self.chunks(&path)?;
        if chunks.is_empty() && move_to.is_none() {
            return Err(PatchError::NoChunk { path });
        }
        Ok(Section::Update { path, move_to, chunks })
    }

    fn chunks(&mut self, path: &str) -> Result<Vec<Chunk>, PatchError> {
        let mut chunks = Chunks { path, done: Vec::new(), open: None, blanks: 0 };
        while let Some(line) = self.peek() {
            if line.trim_end() == END_OF_FILE {
                if !chunks.end_of_file()? {
                    let (number, line) = self.here();
                    return Err(PatchError::Stray { number, line });
                }
            } else if line.starts_with(HEADER) {
                break;
            } else if let Some(context) = line.strip_prefix("@@") {
                chunks.start(context_line(context));
            } else if !chunks.push(line) {
                let (number, line) = self.here();
                return Err(PatchError::UpdateLine { number, line });
            }
            self.at += 1;
        }
        chunks.close()?;
        Ok(chunks.done)
    }
}

/// The chunks of one file while they are read.
struct Chunks<'a> {
    path: &'a str,
    done: Vec<Chunk>,
    open: Option<Chunk>,
    /// Empty lines that may belong to the open chunk or only stand after it.
    blanks: usize,
}

impl Chunks<'_> {
    /// An `@@` line: a new chunk, or a nested context if the last `@@` has no lines yet.
    fn start(&mut self, context: &str) {
        if self.open.as_ref().is_some_and(|chunk| !chunk.lines.is_empty()) {
            // One empty line helps to find the place, and the search does without it if need be. Alone it would
            // turn an insertion into a search for the next empty line.
            if let Some(chunk) = &mut self.open
                && self.blanks > 0
                && chunk.lines.iter().any(|line| line.before().is_some())
            {
                chunk.lines.push(Line::Keep(String::new()));
            }
            self.done.extend(self.open.take());
        }
        self.blanks = 0;
        let chunk = self.open.get_or_insert_default();
        if !context.is_empty() {
            chunk.contexts.push(context.to_owned());
        }
    }

    /// A line of a chunk; false if it is none.
    fn push(&mut self, line: &str) -> bool {
        if line.is_empty() {
            self.blanks += 1;
            return true;
        }
        let line = match line.split_at_checked(1) {
            Some((" ", text)) => Line::Keep(text.to_owned()),
            Some(("-", text)) => Line::Remove(text.to_owned()),
            Some(("+", text)) => Line::Add(text.to_owned()),
            _ => return false,
        };
        if self.open.is_none() {
            // Models leave out the first `@@`; later ones they do not, so a line without is an accident.
            if !self.done.is_empty() {
                return false;
            }
            self.blanks = 0;
        }
        let chunk = self.open.get_or_insert_default();
        // Models drop the space of an empty line that is kept.
        let blanks = std::mem::take(&mut self.blanks);
        chunk.lines.extend(std::iter::repeat_n(Line::Keep(String::new()), blanks));
        chunk.lines.push(line);
        true
    }

    /// The end-of-file marker; false if no chunk is open.
    fn end_of_file(&mut self) -> Result<bool, PatchError> {
        let Some(chunk) = &mut self.open else { return Ok(false) };
        chunk.end_of_file = true;
        self.close()?;
        Ok(true)
    }

    fn close(&mut self) -> Result<(), PatchError> {
        self.blanks = 0;
        let Some(chunk) = self.open.take() else { return Ok(()) };
        if chunk.lines.is_empty() {
            return Err(PatchError::NoChunk { path: self.path.to_owned() });
        }
        self.done.push(chunk);
        Ok(())
    }
}

/// The context that an `@@` line names; the line numbers of a unified diff are not one.
fn context_line(text: &str) -> &str {
    let text = text.trim();
    let Some((numbers, heading)) = text.strip_prefix('-').and_then(|rest| rest.split_once("@@")) else {
        return text;
    };
    let is_numbers =
        numbers.contains('+') && numbers.chars().all(|c| c.is_ascii_digit() || " ,+".contains(c));
    if is_numbers { heading.trim() } else { text }
}

#[cfg(test)]
mod tests;
