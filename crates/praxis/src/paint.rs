//! How text looks: colours and a width where there is a terminal that wants them, plain text elsewhere.

use std::io::{self, IsTerminal};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The narrowest terminal that lines are cut for; below it they wrap.
const LEAST_WIDTH: usize = 20;

/// Back to the line's begin, and the line empty.
pub(crate) const CLEAR_LINE: &str = "\r\x1b[K";

/// What stdout or stderr can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Colours, and a line that changes.
    pub(crate) is_lively: bool,
    terminal: Option<Terminal>,
}

/// A terminal, by what leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Terminal {
    Out,
    Err,
}

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It went well, or came.
    Good,
    /// It went wrong, or went.
    Bad,
    /// Beside the point.
    Quiet,
}

impl Paint {
    /// Nothing but text.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self { is_lively: false, terminal: None }
    }

    /// What stderr of this process can show. `NO_COLOR` and a dumb terminal mean plain text.
    pub(crate) fn of_stderr() -> Self {
        Self::of(io::stderr().is_terminal().then_some(Terminal::Err))
    }

    /// What stdout of this process can show.
    pub(crate) fn of_stdout() -> Self {
        Self::of(io::stdout().is_terminal().then_some(Terminal::Out))
    }

    fn of(terminal: Option<Terminal>) -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self { is_lively: terminal.is_some() && !is_set("NO_COLOR") && !is_dumb, terminal }
    }

    /// The text in its tone.
    pub(crate) fn tone(self, tone: Tone, text: &str) -> String {
        if !self.is_lively || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Quiet => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// A line that fits the terminal; a pipe gets it whole.
    pub(crate) fn fit(self, line: &str) -> String {
        self.width().map_or_else(|| line.to_owned(), |width| cut(line, width))
    }

    /// Lines that are broken between words where the terminal ends; a pipe gets them whole.
    pub(crate) fn wrap(self, text: &str) -> String {
        let Some(width) = self.width() else { return text.to_owned() };
        text.split('\n').map(|line| broken(line, width)).collect::<Vec<_>>().join("\n")
    }

    /// The terminal's width, asked each time, for windows change.
    fn width(self) -> Option<usize> {
        let size = match self.terminal? {
            Terminal::Out => rustix::termios::tcgetwinsize(io::stdout()),
            Terminal::Err => rustix::termios::tcgetwinsize(io::stderr()),
        };
        Some(usize::from(size.ok()?.ws_col)).filter(|width| *width >= LEAST_WIDTH)
    }
}

/// As much of a line as fits, by the columns its characters take.
fn cut(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let fits = |c: &char| {
        let rest = left.checked_sub(c.width().unwrap_or(0));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let mut kept: String = line.chars().take_while(fits).collect();
    kept.push('…');
    kept
}

/// A line broken between words; what is broken off stands below the line's last column.
fn broken(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let indent = " ".repeat(hang(line, width));
    let (mut rows, mut row) = (Vec::new(), String::new());
    for word in line.split_inclusive(' ') {
        let is_full = row.width() + word.trim_end().width() > width;
        if is_full && !row.trim().is_empty() && !word.trim().is_empty() {
            rows.push(row.trim_end().to_owned());
            row.clone_from(&indent);
        }
        row.push_str(word);
    }
    rows.push(row);
    rows.join("\n")
}

/// Where a broken line goes on: below what stands behind its last gap, unless that is too far to the right.
fn hang(line: &str, width: usize) -> usize {
    let text = line.trim_start();
    let lead = line.len() - text.len();
    let column = text.rfind("  ").map(|gap| lead + text[..gap + 2].width());
    column.filter(|column| *column <= width * 3 / 5).unwrap_or((lead + 2).min(width / 2))
}

/// Text that cannot do anything to a terminal; tabs and, where they are wanted, line ends stay.
pub(crate) fn harmless(text: &str, lines: Lines) -> String {
    let harms = |c: char| c.is_control() && c != '\t' && !(c == '\n' && lines == Lines::Many);
    text.chars().map(|c| if harms(c) { '\u{fffd}' } else { c }).collect()
}

/// Whether a text may have several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Line ends are no better than other control characters.
    One,
    /// Line ends stay.
    Many,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_the_width() {
        assert_eq!(cut("✓ read a.rs", 11), "✓ read a.rs");
        assert_eq!(cut("✓ read a.rs", 10), "✓ read a.…");
        // Such characters take two columns each.
        assert_eq!((cut("日本語", 6).as_str(), cut("日本語", 5).as_str()), ("日本語", "日本…"));
        assert_eq!(cut("日本語", 4), "日…");
    }

    #[test]
    fn a_text_is_broken_between_words_and_columns_stay() {
        assert_eq!(broken("error: it does not fit here", 12), "error: it\n  does not\n  fit here");
        assert_eq!(broken("ok  shell  a long story told", 22), "ok  shell  a long\n           story told");
        assert_eq!(
            broken("  a name with a gap far  to the right", 20),
            "  a name with a gap\n    far  to the\n    right"
        );
        assert_eq!(broken("averyveryverylongword short", 10), "averyveryverylongword\n  short");
        assert_eq!(broken("ask: ", 20), "ask: ");
    }

    #[test]
    fn a_text_cannot_harm_a_terminal() {
        assert_eq!(harmless("a\u{1b}[2J\tb\nc", Lines::Many), "a\u{fffd}[2J\tb\nc");
        assert_eq!(harmless("b\nc\r", Lines::One), "b\u{fffd}c\u{fffd}");
    }

    #[test]
    fn plain_means_plain() {
        let plain = Paint::plain();
        assert_eq!(plain.tone(Tone::Bad, "x"), "x");
        assert_eq!(plain.fit(&"x".repeat(500)), "x".repeat(500));
        assert_eq!(plain.wrap(&"x ".repeat(500)), "x ".repeat(500));
        assert_eq!(Paint { is_lively: true, ..plain }.tone(Tone::Good, "x"), "\x1b[32mx\x1b[0m");
    }
}
