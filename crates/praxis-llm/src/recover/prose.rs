//! What a text is in the middle of: whether a call may begin here, or would be quoted.

use super::Mode;
use super::reader::Place;

/// How much of a line is remembered.
const LINE_CAP: usize = 512;

/// How far a line may be indented before it is code.
const INDENT: usize = 4;

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Prose {
    line: String,
    /// The last character, and the last one that is not white space.
    previous: Option<char>,
    last: Option<char>,
    /// The mark that closes the fence that is open.
    fence: Option<Fence>,
    /// Inside of inline code.
    code: bool,
    tick: bool,
    /// Whether anything was said.
    said: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    len: usize,
}

impl Prose {
    /// Takes the next character.
    pub(super) fn push(&mut self, c: char) {
        if c == '\n' {
            self.new_line();
            return;
        }
        let tick = c == '`';
        if tick && !self.tick {
            self.code = !self.code;
        }
        self.tick = tick;
        self.previous = Some(c);
        if !c.is_whitespace() {
            self.said = true;
            self.last = Some(c);
        }
        if self.line.len() < LINE_CAP {
            self.line.push(c);
        }
    }

    /// The line is over.
    pub(super) fn new_line(&mut self) {
        match (fence(&self.line), self.fence) {
            (Some(mark), None) => self.fence = Some(mark),
            (Some(mark), Some(open)) if mark.mark == open.mark && mark.len >= open.len => self.fence = None,
            _ => {}
        }
        self.line.clear();
        self.code = false;
        self.tick = false;
    }

    /// Whether a call may begin with this character, and in which forms.
    pub(super) fn place(&self, c: char, mode: Mode) -> Option<Place> {
        let any = mode == Mode::Any;
        if !self.said {
            // Blanks are held as well, so that a call alone leaves no text behind.
            let starts = c.is_whitespace() || matches!(c, '<' | '[') || any && c == '{';
            return starts.then_some(Place { bare: any, tags: true });
        }
        if !matches!(c, '<' | '[') || self.fence.is_some() || self.code {
            return None;
        }
        let at_start = self.line.trim().is_empty();
        if at_start && (self.line.len() >= INDENT || self.line.contains('\t')) {
            return None;
        }
        if !at_start && self.is_quoted() {
            return None;
        }
        Some(Place { bare: false, tags: at_start || self.ends_sentence() })
    }

    /// Whether what comes next would be quoted, or an item of a list or a table.
    fn is_quoted(&self) -> bool {
        if self.line.ends_with("</think>") {
            return false;
        }
        matches!(self.previous, Some('`' | '"' | '\'' | '“' | '‘' | '«' | '「' | '('))
            || matches!(self.last, Some('>' | '|' | '='))
            || is_bullet(self.line.trim())
    }

    fn ends_sentence(&self) -> bool {
        self.last.is_some_and(|c| c == ':' || c == '：' || is_stop(c)) || self.line.ends_with("</think>")
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// `-`, `*`, `1.` and the like.
fn is_bullet(line: &str) -> bool {
    matches!(line.trim_start_matches(|c: char| c.is_ascii_digit()), "-" | "*" | "+" | "•" | "." | ")")
}

/// The mark of a fence, if a line begins with one.
fn fence(line: &str) -> Option<Fence> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let len = text.chars().take_while(|c| *c == mark).count();
    // Inline code may begin with as many.
    let inline = mark == '`' && text[len..].contains('`');
    (len >= 3 && !inline).then_some(Fence { mark, len })
}
