//! The page that the demo is written on: as wide as the terminal, and plain where colours are not wanted.

use std::io::{self, IsTerminal, Write};

/// The widest that lines of prose are.
const WIDEST: usize = 96;
/// The narrowest that we care for.
const NARROWEST: usize = 20;
/// What a terminal that does not know is taken for.
const USUAL: usize = 80;

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
}

impl Look {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Bad => "31",
        }
    }
}

/// Writes lines and growing text.
pub(super) struct Page<W> {
    out: W,
    coloured: bool,
    /// None where lines are as long as they are: a program may read them.
    width: Option<usize>,
    /// Characters on the line that grows.
    column: usize,
    /// The end of the growing text, which may be half a word.
    word: String,
}

impl Page<io::Stdout> {
    /// Standard output, as it can show things.
    pub(super) fn stdout() -> Self {
        let out = io::stdout();
        let terminal = out.is_terminal();
        let columns = rustix::termios::tcgetwinsize(&out).map_or(0, |size| usize::from(size.ws_col));
        let width = terminal.then_some(if columns == 0 { USUAL } else { columns });
        let given = |name: &str| std::env::var_os(name).unwrap_or_default();
        let coloured = terminal && given("NO_COLOR").is_empty() && given("TERM") != "dumb";
        Self::new(out, coloured, width)
    }
}

impl<W: Write> Page<W> {
    pub(super) fn new(out: W, coloured: bool, width: Option<usize>) -> Self {
        let width = width.map(|width| width.max(NARROWEST));
        Self { out, coloured, width, column: 0, word: String::new() }
    }

    /// Whether somebody watches, and words may come one by one.
    pub(super) fn is_watched(&self) -> bool {
        self.width.is_some()
    }

    /// A line of prose, broken between words.
    pub(super) fn prose(&mut self, text: &str) -> io::Result<()> {
        self.grow(text)?;
        self.rest()
    }

    /// One line, cut where the terminal ends.
    pub(super) fn line(&mut self, look: Look, text: &str) -> io::Result<()> {
        let text = match self.width {
            Some(width) if text.chars().count() > width => {
                text.chars().take(width - 1).chain(['…']).collect()
            }
            Some(_) | None => text.to_owned(),
        };
        self.whole(look, &text)
    }

    /// One line with all that is on it.
    pub(super) fn whole(&mut self, look: Look, text: &str) -> io::Result<()> {
        self.rest()?;
        if self.coloured && look != Look::Plain {
            writeln!(self.out, "\x1b[{}m{text}\x1b[0m", look.code())
        } else {
            writeln!(self.out, "{text}")
        }
    }

    /// An empty line.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        self.line(Look::Plain, "")
    }

    /// More of a text that comes in pieces.
    pub(super) fn grow(&mut self, delta: &str) -> io::Result<()> {
        for char in delta.chars() {
            if char.is_whitespace() {
                self.place_word()?;
            } else {
                self.word.push(char);
            }
        }
        self.out.flush()
    }

    /// Ends the line that grows, if there is one.
    pub(super) fn rest(&mut self) -> io::Result<()> {
        self.place_word()?;
        if self.column > 0 {
            self.column = 0;
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn place_word(&mut self) -> io::Result<()> {
        let length = self.word.chars().count();
        if length == 0 {
            return Ok(());
        }
        let width = self.width.map_or(usize::MAX, |width| width.min(WIDEST));
        if self.column > 0 && self.column + 1 + length > width {
            writeln!(self.out)?;
            self.column = 0;
        }
        if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        write!(self.out, "{}", self.word)?;
        self.column += length;
        self.word.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(coloured: bool, width: Option<usize>, write: impl Fn(&mut Page<&mut Vec<u8>>)) -> String {
        let mut out = Vec::new();
        write(&mut Page::new(&mut out, coloured, width));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn growing_text_breaks_between_words_however_it_comes() {
        let whole = "one two  three\nfour five six seven";
        for size in 1..whole.len() {
            let text = written(false, Some(20), |page| {
                for piece in whole.as_bytes().chunks(size) {
                    page.grow(str::from_utf8(piece).unwrap()).unwrap();
                }
                page.line(Look::Plain, "end").unwrap();
            });
            assert_eq!(text, "one two three four\nfive six seven\nend\n", "in pieces of {size}");
        }
    }

    #[test]
    fn a_pipe_gets_whole_lines() {
        let long = "word ".repeat(60);
        let text = written(false, None, |page| {
            page.prose(&long).unwrap();
            page.line(Look::Good, &long).unwrap();
        });
        assert_eq!(text, format!("{}\n{long}\n", long.trim_end()));
    }

    #[test]
    fn a_line_is_cut_at_the_edge_and_colours_do_not_count() {
        let line = |text: &str| written(true, Some(20), |page| page.line(Look::Bad, text).unwrap());
        assert_eq!(line(&"x".repeat(20)), format!("\x1b[31m{}\x1b[0m\n", "x".repeat(20)));
        assert_eq!(line(&"x".repeat(21)), format!("\x1b[31m{}…\x1b[0m\n", "x".repeat(19)));
        let whole = written(true, Some(20), |page| page.whole(Look::Plain, &"x".repeat(21)).unwrap());
        assert_eq!(whole, format!("{}\n", "x".repeat(21)));
    }
}
