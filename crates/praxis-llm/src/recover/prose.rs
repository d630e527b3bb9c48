//! What a text is in the middle of: whether a call may begin here, or would be quoted.

use super::Mode;
use super::reader::Place;

/// How much of a line is remembered.
const LINE_CAP: usize = 512;

/// How far a line may be indented before it is code.
const INDENT: usize = 4;

/// Words that announce an example wherever they stand.
const EXAMPLE: [&str; 15] = [
    "for example",
    "for instance",
    "e.g.",
    "an example",
    "example:",
    "like this",
    "like so",
    "as follows",
    "syntax",
    "beispiel",
    "par exemple",
    "por ejemplo",
    "например",
    "例如",
    "比如",
];

/// Words that announce one if the line leads to what comes next, as one does that ends with a colon.
const LEAD: [&str; 34] = [
    "example",
    "such as",
    "look like",
    "looks like",
    "format",
    "schema",
    "template",
    "would be",
    "would call",
    "would use",
    "could call",
    "could use",
    "can call",
    "you can",
    "you could",
    "you would",
    "you should",
    "you must",
    "don't",
    "do not",
    "never",
    "instead of",
    "avoid",
    "wrong",
    "incorrect",
    "invalid",
    "usage",
    "sample",
    "snippet",
    "illustrat",
    "hypothetical",
    "how to",
    "示例",
    "格式",
];

/// Words that announce a deed, even if an example is spoken of.
const DEED: [&str; 12] = [
    "let me",
    "let's",
    "let us",
    "i'll",
    "i’ll",
    "i will",
    "i'm going",
    "i am going",
    "i need to",
    "i should",
    "i have to",
    "now i ",
];

/// Deeds that are examples.
const SHOW: [&str; 11] = [
    "show you",
    "show how",
    "show an",
    "show what",
    "give you",
    "give an",
    "explain",
    "illustrate",
    "demonstrate",
    "describe",
    "write out",
];

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Prose {
    line: String,
    /// The last two lines that said something, the later one last.
    before: [String; 2],
    /// The last character, and the last one that is not white space.
    previous: Option<char>,
    last: Option<char>,
    /// The mark that closes the fence that is open.
    fence: Option<Fence>,
    /// Whether there was a fence.
    fenced: bool,
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
            (Some(mark), None) => {
                self.fence = Some(mark);
                self.fenced = true;
            }
            (Some(mark), Some(open)) if mark.mark == open.mark && mark.len >= open.len => self.fence = None,
            _ => {}
        }
        if !self.line.trim().is_empty() {
            self.before.swap(0, 1);
            self.before[1].clone_from(&self.line);
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
            let starts = c.is_whitespace() || matches!(c, '<' | '[') || any && matches!(c, '{' | '`');
            return starts.then_some(Place { bare: any, fence: any, tags: true });
        }
        if !matches!(c, '<' | '[' | '`') || self.fence.is_some() || self.code {
            return None;
        }
        let at_start = self.line.trim().is_empty();
        if at_start && (self.line.len() >= INDENT || self.line.contains('\t')) {
            return None;
        }
        let fence = any && at_start && !self.fenced;
        if c == '`' && !fence || !at_start && self.is_quoted() {
            return None;
        }
        Some(Place { bare: false, fence, tags: at_start || self.ends_sentence() })
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

    /// Whether what was said last announces an example.
    pub(super) fn explains(&self) -> bool {
        let current = self.line.trim();
        let [far, near] = &self.before;
        let (far, near) = if current.is_empty() { (far, near.trim()) } else { (near, current) };
        let (far, near) = (far.to_lowercase(), near.to_lowercase());
        if has(&near, &DEED) {
            return has(&near, &SHOW);
        }
        if has(&near, &EXAMPLE) || has(&near, &SHOW) {
            return true;
        }
        let leads = !near.ends_with(is_stop);
        leads && (has(&near, &LEAD) || has(&far, &EXAMPLE))
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// `-`, `*`, `1.` and the like.
fn is_bullet(line: &str) -> bool {
    matches!(line.trim_start_matches(|c: char| c.is_ascii_digit()), "-" | "*" | "+" | "•" | "." | ")")
}

/// Whether a text has one of some words, or a word that begins with one of them.
fn has(text: &str, words: &[&str]) -> bool {
    let begins = |at: usize| !text[..at].ends_with(|c: char| c.is_ascii_alphabetic());
    words.iter().any(|word| text.match_indices(word).any(|(at, _)| begins(at)))
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
