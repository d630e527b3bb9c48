//! A second reading of a script: where its words, operators, comments and heredocs are, and which words name commands.
//!
//! The grammar and the shell disagree now and then. This reader knows a smaller language, in which it follows the shell
//! to the byte; what is beyond it is refused. Where it reads a script and the grammar reads the same (`agree`), both
//! have read what the shell will run.

mod heredoc;
mod word;

use self::heredoc::{Heredoc, delimiter};
use super::Dialect;

/// Substitutions and groups inside each other.
const DEEPEST: usize = 64;

/// A span of the text, in bytes.
pub(super) type Span = (usize, usize);

/// What was found, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub(super) words: Vec<Span>,
    pub(super) operators: Vec<Span>,
    /// The signs of redirections.
    pub(super) redirects: Vec<Span>,
    pub(super) comments: Vec<Span>,
    pub(super) bodies: Vec<Span>,
    /// Arithmetic that is a command.
    pub(super) sums: Vec<Span>,
    /// Assignments before a command, or without one.
    pub(super) assignments: Vec<Span>,
    /// Where the names of commands begin.
    pub(super) names: Vec<usize>,
}

/// Why a script is beyond this reader, for people.
type Beyond = &'static str;

/// Reads a script, or tells why it cannot be read for sure.
pub(super) fn lex(text: &str, shell: Dialect) -> Result<Lexed, Beyond> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        end: text.len(),
        depth: 0,
        shell,
        pending: Vec::new(),
        out: Lexed::default(),
    };
    lexer.list(Until::End)?;
    Ok(lexer.out)
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Paren,
}

/// What may come next in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A command, or a word that the shell reserves.
    Command,
    /// Arguments; how many words the command has already.
    Arguments(usize),
    /// Nothing but an operator or a redirection.
    Operator,
    ForName,
    ForIn,
    ForWords,
    CaseWord,
    CaseIn,
    Pattern,
    Function,
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Where the part ends that is being read.
    end: usize,
    depth: usize,
    shell: Dialect,
    pending: Vec<Heredoc>,
    out: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        if self.at + ahead < self.end { self.bytes[self.at + ahead] } else { 0 }
    }

    fn starts(&self, text: &str) -> bool {
        self.bytes[self.at.min(self.end)..self.end].starts_with(text.as_bytes())
    }

    /// Only bash is known so well.
    fn only_bash(&self, what: Beyond) -> Result<(), Beyond> {
        if self.shell == Dialect::Bash { Ok(()) } else { Err(what) }
    }

    /// Commands up to what ends them; the end is taken too.
    fn list(&mut self, until: Until) -> Result<(), Beyond> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deep");
        }
        let mut next = Next::Command;
        let mut cases = 0_usize;
        loop {
            self.blanks()?;
            if self.at >= self.end {
                if until == Until::Paren {
                    return Err("a substitution has no end");
                }
                break;
            }
            let start = self.at;
            match self.bytes[start] {
                b'\n' => {
                    self.at += 1;
                    self.heredocs()?;
                    next = match next {
                        Next::ForIn | Next::CaseIn | Next::Pattern => next,
                        Next::ForName | Next::CaseWord | Next::Function => {
                            return Err("a line ends too early");
                        }
                        _ => Next::Command,
                    };
                }
                b'#' => {
                    let end = self.text[start..self.end].find('\n').map_or(self.end, |len| start + len);
                    self.at = end;
                    self.out.comments.push((start, end));
                }
                b')' => {
                    self.at += 1;
                    if next == Next::Pattern {
                        next = Next::Command;
                        self.out.operators.push((start, self.at));
                    } else if until == Until::Paren && cases == 0 {
                        break;
                    } else {
                        return Err("a bracket is closed that was never opened");
                    }
                }
                b'(' => next = self.open(next)?,
                b';' | b'&' | b'|' if !self.starts("&>") => next = self.operator(next)?,
                b'<' | b'>' if self.peek(1) != b'(' => self.redirect()?,
                b'&' => self.redirect()?,
                _ => next = self.next_word(next, &mut cases)?,
            }
        }
        self.depth -= 1;
        if self.pending.is_empty() && cases == 0 { Ok(()) } else { Err("a heredoc or a case has no end") }
    }

    /// Blanks and escaped line ends.
    fn blanks(&mut self) -> Result<(), Beyond> {
        let mut is_broken = false;
        loop {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    is_broken = true;
                    self.at += 2;
                }
                b'#' if is_broken => return Err("a sign of comments follows an escaped line end"),
                _ => return Ok(()),
            }
        }
    }

    /// `(`: a group, the brackets of a function, a pattern's beginning, or arithmetic.
    fn open(&mut self, next: Next) -> Result<Next, Beyond> {
        let start = self.at;
        if matches!(next, Next::Command | Next::ForName) && self.peek(1) == b'(' {
            self.only_bash("it has arithmetic")?;
            self.at += 2;
            self.arithmetic()?;
            if next == Next::Command {
                self.out.sums.push((start, self.at));
            }
            return Ok(if next == Next::ForName { Next::ForIn } else { Next::Operator });
        }
        self.at += 1;
        self.out.operators.push((start, self.at));
        match next {
            Next::Pattern => Ok(Next::Pattern),
            Next::Command => {
                self.list(Until::Paren)?;
                self.out.operators.push((self.at - 1, self.at));
                Ok(Next::Operator)
            }
            Next::Arguments(1) => {
                while matches!(self.peek(0), b' ' | b'\t') {
                    self.at += 1;
                }
                if self.peek(0) != b')' {
                    return Err("a bracket follows a word");
                }
                self.at += 1;
                self.out.operators.push((self.at - 1, self.at));
                // What stood before them is the name of a function, not of a command.
                self.out.names.pop();
                Ok(Next::Command)
            }
            _ => Err("a bracket follows a word"),
        }
    }

    fn operator(&mut self, next: Next) -> Result<Next, Beyond> {
        const ALL: [&str; 9] = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|"];
        let start = self.at;
        let sign = ALL.into_iter().find(|sign| self.starts(sign)).unwrap_or(";");
        self.at += sign.len();
        self.out.operators.push((start, self.at));
        if sign == "|&" {
            self.only_bash("it has `|&`")?;
        }
        match (next, sign) {
            (Next::Pattern, "|") => Ok(Next::Pattern),
            (Next::ForIn, ";") => Ok(Next::ForIn),
            (
                Next::Pattern | Next::ForName | Next::ForIn | Next::CaseWord | Next::CaseIn | Next::Function,
                _,
            ) => Err("an operator stands where a word must"),
            (_, ";;" | ";&" | ";;&") => Ok(Next::Pattern),
            _ => Ok(Next::Command),
        }
    }

    fn redirect(&mut self) -> Result<(), Beyond> {
        const ALL: [&str; 13] =
            ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&"];
        let sign = ALL.into_iter().find(|sign| self.starts(sign)).unwrap_or("&");
        let start = self.at;
        self.at += sign.len();
        if matches!(sign, "&>>" | "&>" | "<<<") {
            self.only_bash("it has a redirection that only bash knows")?;
        }
        let spaces =
            self.text[self.at..self.end].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if matches!(sign, "<&" | ">&") && spaces > 0 && self.peek(spaces) == b'-' {
            return Err("a closed descriptor is written in an unusual way");
        }
        if matches!(sign, "<&" | ">&") && self.peek(0) == b'-' {
            self.at += 1;
            self.out.redirects.push((start, self.at));
            return if self.is_word_end() { Ok(()) } else { Err("a word touches a closed descriptor") };
        }
        self.out.redirects.push((start, self.at));
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let from = self.at;
        if self.is_word_end() && !(matches!(self.peek(0), b'<' | b'>') && self.peek(1) == b'(')
            || self.peek(0) == b'#'
        {
            return Err("a redirection has no file");
        }
        self.word()?;
        let word = &self.text[from..self.at];
        self.out.words.push((from, self.at));
        if sign == ">&" && !word.bytes().all(|byte| byte.is_ascii_digit()) && self.shell != Dialect::Bash {
            return Err("it has a redirection that only bash knows");
        }
        if matches!(sign, "<&" | ">&") && word.ends_with('-') {
            return Err("it moves a descriptor");
        }
        // The shell expands such a word twice.
        if matches!(sign, "<&" | ">&") && !word.bytes().all(is_plain) {
            return Err("a file behind `>&` is written in an unusual way");
        }
        if matches!(sign, "<<" | "<<-") {
            let (end, quoted) = delimiter(word).ok_or("the end of a heredoc is written in an unusual way")?;
            self.pending.push(Heredoc { end: end.to_owned(), quoted, tabs: sign == "<<-" });
        }
        Ok(())
    }

    /// One word where `next` says what it is.
    fn next_word(&mut self, next: Next, cases: &mut usize) -> Result<Next, Beyond> {
        let start = self.at;
        if next == Next::Command && self.starts("[[") && matches!(self.peek(2), b' ' | b'\t') {
            self.only_bash("it has `[[`")?;
            self.test()?;
            return Ok(Next::Operator);
        }
        self.word()?;
        let word = &self.text[start..self.at];
        let touches = matches!(self.peek(0), b'<' | b'>');
        if touches && word.bytes().all(|byte| byte.is_ascii_digit()) {
            // The number of a descriptor.
            if word.len() > 1 {
                self.only_bash("it has a descriptor that only bash knows")?;
            }
            return Ok(next);
        }
        if touches && word.starts_with('{') && word.ends_with('}') {
            return Err("a descriptor has a name");
        }
        self.out.words.push((start, self.at));
        Ok(match next {
            Next::Command => match word {
                "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "{" => Next::Command,
                "!" => {
                    // A second one is unusual enough.
                    self.blanks()?;
                    if self.peek(0) == b'!' {
                        return Err("there are two `!`");
                    }
                    Next::Command
                }
                "fi" | "done" | "}" => Next::Operator,
                "for" => Next::ForName,
                "case" => {
                    *cases += 1;
                    Next::CaseWord
                }
                "select" | "coproc" | "[[" | "]]" => return Err("it has a command that is not read here"),
                "function" => {
                    self.only_bash("it has `function`")?;
                    Next::Function
                }
                "esac" | "in" => return Err("a word stands where it cannot"),
                _ if is_assignment(word) => {
                    if word.split('=').next().is_some_and(|name| name.ends_with(['+', ']'])) {
                        self.only_bash("it has an assignment that only bash knows")?;
                    }
                    self.out.assignments.push((start, self.at));
                    Next::Command
                }
                _ => {
                    self.out.names.push(start);
                    Next::Arguments(1)
                }
            },
            Next::Arguments(1) if self.is_timed(start) && is_reserved(word) => {
                return Err("`time` is written in an unusual way");
            }
            Next::Arguments(count) => Next::Arguments(count + 1),
            Next::Operator => return Err("a word follows where none can"),
            Next::ForName if is_name(word) => Next::ForIn,
            Next::ForName => return Err("a loop has an unusual variable"),
            Next::ForIn if word == "in" => Next::ForWords,
            Next::ForIn if word == "do" => Next::Command,
            Next::ForIn => return Err("a loop is written in an unusual way"),
            Next::ForWords => Next::ForWords,
            Next::CaseWord => Next::CaseIn,
            Next::CaseIn if word == "in" => Next::Pattern,
            Next::CaseIn => return Err("a case is written in an unusual way"),
            Next::Pattern if word == "esac" => {
                *cases = cases.checked_sub(1).ok_or("a case ends that never began")?;
                Next::Operator
            }
            Next::Pattern => Next::Pattern,
            Next::Function => {
                self.blanks()?;
                if self.peek(0) == b'(' {
                    return Err("a function is written in an unusual way");
                }
                Next::Command
            }
        })
    }

    /// Does `time` stand right before the word that starts here?
    fn is_timed(&self, start: usize) -> bool {
        self.text[..start].trim_end().ends_with("time")
    }

    /// `[[ … ]]`: simple words and the signs between them.
    fn test(&mut self) -> Result<(), Beyond> {
        self.at += 2;
        let mut matches_pattern = false;
        loop {
            self.blanks()?;
            if self.at >= self.end {
                return Err("a test has no end");
            }
            match self.bytes[self.at] {
                b'\n' | b';' | b'#' => return Err("a test is written in an unusual way"),
                b'&' | b'|' if self.starts("&&") || self.starts("||") => self.at += 2,
                b'<' | b'>' if matches!(self.peek(1), b' ' | b'\t') => self.at += 1,
                b'(' | b')' if !matches_pattern => self.at += 1,
                b'&' | b'|' | b'<' | b'>' | b'(' | b')' => return Err("a test is written in an unusual way"),
                _ => {
                    let start = self.at;
                    self.word()?;
                    // A pattern may have brackets and bars; they must not part words.
                    while matches_pattern && matches!(self.peek(0), b'(' | b')' | b'|') {
                        self.at += 1;
                        if !self.is_word_end() {
                            self.word()?;
                        }
                    }
                    let word = &self.text[start..self.at];
                    if word == "]]" {
                        return Ok(());
                    }
                    matches_pattern = word == "=~";
                }
            }
        }
    }
}

/// Does the word mean more than itself at the beginning of a command?
fn is_reserved(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "select",
        "function", "{", "}", "!", "[[", "]]", "time", "coproc", "in", "-p", "--",
    ];
    WORDS.contains(&word) || is_assignment(word)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./".contains(&byte)
}

fn is_name(word: &str) -> bool {
    let start = word.bytes().next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic());
    start && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// `a=…`, `a+=…`, `a[…]=…`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    match name.split_once('[') {
        Some((name, index)) => is_name(name) && index.ends_with(']'),
        None => is_name(name),
    }
}
