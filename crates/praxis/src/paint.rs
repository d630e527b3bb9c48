//! How text looks on stderr: colours and a width where there is a terminal that wants them, plain text elsewhere.

use std::io::{self, IsTerminal};

/// The narrowest terminal that lines are cut for; below it they wrap.
const LEAST_WIDTH: usize = 20;

/// What stderr can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Colours, and a line that changes.
    pub(crate) is_lively: bool,
    is_terminal: bool,
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
    /// What stderr of this process can show. `NO_COLOR` and a dumb terminal mean plain text.
    pub(crate) fn of_stderr() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let is_terminal = io::stderr().is_terminal();
        Self { is_lively: is_terminal && !is_set("NO_COLOR") && !is_dumb, is_terminal }
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
        let width = self.is_terminal.then(width).flatten();
        width.map_or_else(|| line.to_owned(), |width| cut(line, width))
    }
}

/// The terminal's width, asked each time, for windows change.
fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok()?;
    Some(usize::from(size.ws_col)).filter(|width| *width >= LEAST_WIDTH)
}

fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
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
    }

    #[test]
    fn a_text_cannot_harm_a_terminal() {
        assert_eq!(harmless("a\u{1b}[2J\tb\nc", Lines::Many), "a\u{fffd}[2J\tb\nc");
        assert_eq!(harmless("b\nc\r", Lines::One), "b\u{fffd}c\u{fffd}");
    }

    #[test]
    fn plain_means_plain() {
        let plain = Paint { is_lively: false, is_terminal: false };
        assert_eq!(plain.tone(Tone::Bad, "x"), "x");
        assert_eq!(plain.fit(&"x".repeat(500)), "x".repeat(500));
        assert_eq!(Paint { is_lively: true, ..plain }.tone(Tone::Good, "x"), "\x1b[32mx\x1b[0m");
    }
}
