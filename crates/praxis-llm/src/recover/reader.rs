//! Reads a held text as calls and nothing else.

use serde_json::Value;

use super::object::{self, Proof};
use super::tools::Tools;

/// A call that was printed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Value,
}

/// Which forms may stand at the place where a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// JSON as it is.
    pub(super) bare: bool,
    /// Tags; marks that nobody writes by hand may stand anywhere.
    pub(super) tags: bool,
}

/// What a text is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// More must come to say it.
    Open,
    /// Calls, so far.
    Calls(Vec<Call>),
    /// Something else.
    Text,
    /// Calls that something else follows: they were only shown.
    Example,
}

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The text ended too early.
    Open,
    /// It is not a call.
    Wrong,
}

pub(super) type Step<T> = Result<T, Stop>;

/// The names of languages on a fence between marks; the marks make it a call.
const LANGUAGES: [&str; 9] =
    ["", "json", "xml", "tool_call", "tool_calls", "tool_code", "tool_use", "tool", "function_call"];

/// How Mistral's models announce calls.
const MISTRAL: &str = "[TOOL_CALLS]";

/// Reads a text that begins at a place. `ended`: nothing comes behind it.
pub(super) fn read(text: &str, tools: &Tools, place: Place, ended: bool) -> Verdict {
    let mut reader = Reader { ended, ..Reader::new(text, tools, place) };
    match reader.run() {
        Ok(()) => Verdict::Calls(reader.calls),
        Err(Stop::Open) if !ended => Verdict::Open,
        Err(Stop::Wrong) if !reader.calls.is_empty() => Verdict::Example,
        Err(_) => Verdict::Text,
    }
}

pub(super) struct Reader<'a> {
    pub(super) rest: &'a str,
    pub(super) tools: &'a Tools,
    pub(super) calls: Vec<Call>,
    pub(super) place: Place,
    ended: bool,
    /// Between marks.
    pub(super) marked: bool,
    /// The number of ticks of the fence that is open.
    fence: Option<usize>,
    /// A mark or a fence was opened and no call has come since.
    pub(super) fresh: bool,
}

impl<'a> Reader<'a> {
    fn new(rest: &'a str, tools: &'a Tools, place: Place) -> Self {
        Self { rest, tools, calls: Vec::new(), place, ended: false, marked: false, fence: None, fresh: false }
    }

    fn run(&mut self) -> Step<()> {
        loop {
            self.blank();
            let Some(first) = self.rest.chars().next() else {
                return if self.calls.is_empty() || self.fresh { Err(Stop::Open) } else { Ok(()) };
            };
            match first {
                '<' => self.angle()?,
                '[' if self.literal(MISTRAL)? => self.open_mark(),
                '{' | '[' => self.json()?,
                '`' => self.fence()?,
                ';' if !self.calls.is_empty() => self.skip(1),
                _ if self.marked && is_word(first) => self.named()?,
                _ => return Err(Stop::Wrong),
            }
        }
    }

    /// JSON that is one call or several.
    fn json(&mut self) -> Step<()> {
        let proof = if self.marked { Proof::Marked } else { Proof::Unmarked };
        if !self.marked && self.fence.is_none() && !self.place.bare {
            return Err(Stop::Wrong);
        }
        object::peek(self.rest, self.tools)?;
        let text = self.take(object::extent(self.rest)?);
        let calls = object::calls(text, proof, self.tools).ok_or(Stop::Wrong)?;
        self.found(calls);
        Ok(())
    }

    fn fence(&mut self) -> Step<()> {
        let ticks = self.rest.len() - self.rest.trim_start_matches('`').len();
        if let Some(open) = self.fence.filter(|open| ticks >= *open) {
            self.fence = None;
            self.skip(open);
            return if self.fresh { Err(Stop::Wrong) } else { Ok(()) };
        }
        if ticks < 3 || self.fence.is_some() || !self.marked {
            return self.stop_unless_ended(ticks);
        }
        let after = self.rest[ticks..].trim_start_matches([' ', '\t']);
        let language = &after[..after.len() - after.trim_start_matches(is_word).len()];
        if language.len() == after.len() {
            let may = LANGUAGES.iter().any(|known| known.starts_with(&language.to_ascii_lowercase()));
            return Err(if may { Stop::Open } else { Stop::Wrong });
        }
        if !LANGUAGES.contains(&language.to_ascii_lowercase().as_str()) {
            return Err(Stop::Wrong);
        }
        self.rest = &after[language.len()..];
        self.fence = Some(ticks);
        self.fresh = true;
        Ok(())
    }

    /// Ticks at the end may become more of them.
    fn stop_unless_ended(&self, ticks: usize) -> Step<()> {
        let may = ticks == self.rest.len() && !self.ended && ticks < 3;
        Err(if may { Stop::Open } else { Stop::Wrong })
    }

    pub(super) fn found(&mut self, calls: impl IntoIterator<Item = Call>) {
        self.calls.extend(calls);
        self.fresh = false;
    }

    pub(super) fn open_mark(&mut self) {
        self.marked = true;
        self.fresh = true;
    }

    /// A mark that closes; only behind a call.
    pub(super) fn close_mark(&mut self) -> Step<()> {
        if self.calls.is_empty() || self.fresh {
            return Err(Stop::Wrong);
        }
        self.marked = false;
        Ok(())
    }

    /// The model went on to make up a result, so it meant the call; nobody needs the rest.
    pub(super) fn made_up(&mut self) -> Step<()> {
        self.close_mark()?;
        self.rest = "";
        Ok(())
    }

    pub(super) fn blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    pub(super) fn skip(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }

    pub(super) fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        taken
    }

    /// Takes a literal if it is there.
    pub(super) fn literal(&mut self, literal: &str) -> Step<bool> {
        if let Some(rest) = self.rest.strip_prefix(literal) {
            self.rest = rest;
            return Ok(true);
        }
        if !self.rest.is_empty() && literal.starts_with(self.rest) { Err(Stop::Open) } else { Ok(false) }
    }

    /// Takes the text up to a literal, and the literal.
    pub(super) fn until(&mut self, literal: &str) -> Step<&'a str> {
        let at = self.rest.find(literal).ok_or(Stop::Open)?;
        let taken = self.take(at);
        self.skip(literal.len());
        Ok(taken)
    }

    /// JSON arguments of a tool that was named before, perhaps in a fence.
    pub(super) fn arguments(&mut self) -> Step<Value> {
        self.blank();
        let fenced = self.literal("```")?;
        if fenced {
            self.rest = self.rest.trim_start_matches(is_word);
            self.blank();
        }
        match self.rest.as_bytes().first() {
            Some(b'{') => {}
            None | Some(b'`') => return Err(Stop::Open),
            Some(_) => return Err(Stop::Wrong),
        }
        let text = self.take(object::extent(self.rest)?);
        let value = object::arguments(text).ok_or(Stop::Wrong)?;
        if fenced {
            self.blank();
            self.literal("```")?;
        }
        Ok(value)
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}
