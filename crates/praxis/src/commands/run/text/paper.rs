//! Where a run is written: stdout and stderr, in order, with the spinner out of the way.

use std::io::{self, IsTerminal, Write};

use crate::commands::run::kept::Kept;
use crate::paint::{CLEAR_LINE, Lines, Paint, Tone, harmless};

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// stdout for the answer and stderr for the rest.
pub(super) struct Paper {
    paint: Paint,
    /// stdout is a terminal.
    is_live: bool,
    kept: Kept,
    /// A text has begun and its line has not ended.
    is_mid_line: Option<Stream>,
    is_spinning: bool,
    frame: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

impl Paper {
    pub(super) fn new() -> Self {
        Self {
            paint: Paint::of_stderr(),
            is_live: io::stdout().is_terminal(),
            kept: Kept::default(),
            is_mid_line: None,
            is_spinning: false,
            frame: 0,
        }
    }

    pub(super) fn paint(&self) -> Paint {
        self.paint
    }

    /// Whether text should be shown while it grows.
    pub(super) fn is_live(&self) -> bool {
        self.is_live
    }

    /// A piece of the answer.
    pub(super) fn answer(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.rest()?;
        if self.is_mid_line == Some(Stream::Err) {
            self.end_block()?;
        }
        // A program gets the text as it is; a terminal must not be made to do things.
        if self.is_live {
            self.kept.write_all(harmless(text, Lines::Many).as_bytes())?;
        } else {
            self.kept.write_all(text.as_bytes())?;
        }
        self.is_mid_line = (!text.ends_with('\n')).then_some(Stream::Out);
        self.kept.bound()
    }

    /// A piece of what the model thinks.
    pub(super) fn thought(&mut self, text: &str) -> io::Result<()> {
        self.beside(text)
    }

    /// A piece of text that is not the answer.
    pub(super) fn aside(&mut self, text: &str) -> io::Result<()> {
        self.beside(text)
    }

    fn beside(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.rest()?;
        if self.is_mid_line == Some(Stream::Out) {
            self.end_block()?;
        }
        let shown = self.paint.tone(Tone::Quiet, &harmless(text, Lines::Many));
        self.write_err(&shown)?;
        self.is_mid_line = (!text.ends_with('\n')).then_some(Stream::Err);
        Ok(())
    }

    /// Ends the line that a text has begun.
    pub(super) fn end_block(&mut self) -> io::Result<()> {
        self.rest()?;
        match self.is_mid_line.take() {
            None => self.flush(),
            Some(Stream::Out) => {
                self.kept.write_all(b"\n")?;
                self.flush()
            }
            Some(Stream::Err) => self.write_err("\n"),
        }
    }

    /// Whole lines that are painted and fit already.
    pub(super) fn lines(&mut self, lines: &[String]) -> io::Result<()> {
        self.end_block()?;
        self.write_err(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
    }

    /// Something beside the point.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.end_block()?;
        let line = self.paint.fit(&harmless(text, Lines::One));
        self.write_err(&format!("{}\n", self.paint.tone(Tone::Quiet, &line)))
    }

    /// Something to see.
    pub(super) fn warn(&mut self, text: &str) -> io::Result<()> {
        self.end_block()?;
        self.write_err(&format!("{}\n", self.paint.tone(Tone::Bad, &self.paint.wrap(text))))
    }

    /// Draws the next picture of the spinner, unless a text is in its place.
    pub(super) fn spin(&mut self, label: &str) -> io::Result<()> {
        if !self.paint.is_lively || self.is_mid_line.is_some() {
            return Ok(());
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let line = self.paint.fit(&format!("{} {label}", FRAMES[self.frame]));
        self.is_spinning = true;
        self.write_err(&format!("{CLEAR_LINE}{}", self.paint.tone(Tone::Quiet, &line)))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.kept.flush()
    }

    /// Takes the spinner away.
    fn rest(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_spinning) { self.write_err(CLEAR_LINE) } else { Ok(()) }
    }

    /// What was written to stdout before comes before.
    fn write_err(&mut self, text: &str) -> io::Result<()> {
        self.flush()?;
        // The run is for its answer: what is told beside it is not worth ending it for.
        let _ = io::stderr().lock().write_all(text.as_bytes());
        Ok(())
    }
}
