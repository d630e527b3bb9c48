//! What people and programs see: text and JSON on stdout, trouble on stderr, and the exit code.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;
use tracing_subscriber::filter::LevelFilter;

use crate::paint::{CLEAR_LINE, Paint};

/// The work failed.
pub(crate) const WORK_FAILED: u8 = 1;
/// The command line, or the configuration, is wrong.
pub(crate) const WRONG_USAGE: u8 = 2;
/// The user, or nobody, gave a permission that the work needed.
pub(crate) const REJECTED: u8 = 3;
/// A limit of steps, time or money was reached.
pub(crate) const LIMIT_REACHED: u8 = 4;
/// Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command could not do its work, and the code it ends with.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    text: String,
}

impl Failure {
    /// The user has to change the command line or the configuration.
    pub(crate) fn usage(text: impl Display) -> Self {
        Self { code: WRONG_USAGE, text: text.to_string() }
    }

    /// A permission that the work needs was not given.
    pub(crate) fn rejected(text: impl Display) -> Self {
        Self { code: REJECTED, text: text.to_string() }
    }

    /// The code the program ends with.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// The machine did not play along.
    pub(crate) fn work(text: impl Display) -> Self {
        Self { code: WORK_FAILED, text: text.to_string() }
    }
}

/// A reader that has gone (`praxis … | head`) is no failure worth a word.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let text = match error.kind() {
            io::ErrorKind::BrokenPipe => String::new(),
            _ => format!("could not write the output: {error}"),
        };
        Self { code: WORK_FAILED, text }
    }
}

/// Says why, and gives the code.
pub(crate) fn fail(failure: &Failure) -> ExitCode {
    if !failure.text.is_empty() {
        complain("error", &failure.text);
    }
    ExitCode::from(failure.code)
}

/// Sends what the parts of the program have to say to stderr: warnings, and more where `PRAXIS_LOG` names a level.
pub(crate) fn start_log(level: Option<&str>) {
    let level = level.and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::WARN);
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(log_line)
        .with_ansi(false)
        .without_time()
        .init();
}

/// Where a line of the log goes: on a line of its own, also where a spinner is being drawn.
fn log_line() -> io::Stderr {
    let mut stderr = io::stderr();
    if Paint::of_stderr().is_lively {
        // If even stderr is gone there is nobody to tell.
        let _ = stderr.write_all(CLEAR_LINE.as_bytes());
    }
    stderr
}

/// One line, or several, on stdout.
pub(crate) fn say(text: impl Display) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// One value as JSON on stdout: indented for a person at a terminal, one line for a program.
pub(crate) fn say_json(value: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        serde_json::to_writer_pretty(&mut out, value)?;
    } else {
        serde_json::to_writer(&mut out, value)?;
    }
    writeln!(out)
}

/// Something for the user's eyes, on stderr.
pub(crate) fn complain(kind: &str, text: impl Display) {
    // If even stderr is gone there is nobody to tell.
    let text = Paint::of_stderr().wrap(&format!("{kind}: {text}"));
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Lines of columns, each as wide as its widest entry; the last one takes what is left of the terminal.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
