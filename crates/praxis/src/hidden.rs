//! A line that is typed and not shown.

use std::io::{self, BufRead, Stdin, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Longer than any key.
const LONGEST: usize = 16_384;
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;
const BACKSPACE: u8 = 8;
const CTRL_U: u8 = 21;
const DELETE: u8 = 127;

/// Asks on stderr and reads a line from the terminal without showing it; `None` when the person leaves.
pub(crate) fn ask(question: &str) -> io::Result<Option<String>> {
    let stdin = io::stdin();
    let mut screen = io::stderr().lock();
    let quiet = Quiet::begin(&stdin)?;
    write!(screen, "{question}")?;
    screen.flush()?;
    let line = read_line(stdin.lock());
    drop(quiet);
    writeln!(screen)?;
    line
}

/// Reads up to the end of a line, with the few keys that people use to mend one.
fn read_line(input: impl BufRead) -> io::Result<Option<String>> {
    let mut line: Vec<u8> = Vec::new();
    for byte in input.bytes() {
        match byte? {
            b'\n' | b'\r' => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
            CTRL_C | CTRL_D => return Ok(None),
            CTRL_U => line.clear(),
            BACKSPACE | DELETE => drop(line.pop()),
            byte if line.len() < LONGEST => line.push(byte),
            _ => return Err(io::Error::other("the line is too long for a key")),
        }
    }
    Ok(None)
}

/// The terminal does not show what is typed, until this goes. Ctrl-C is read like any key, for otherwise it would end
/// the program and leave the terminal mute.
struct Quiet<'a> {
    terminal: &'a Stdin,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn begin(terminal: &'a Stdin) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        tcsetattr(terminal, OptionalActions::Now, &quiet)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // What was pasted behind the first line goes too: a shell must not run it.
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_mended_and_left() {
        let read = |typed: &[u8]| read_line(typed).unwrap();
        assert_eq!(read(b"sk-1\nrest").as_deref(), Some("sk-1"));
        assert_eq!(read(b"wrong\x15sk-2\x7f3\r").as_deref(), Some("sk-3"));
        assert_eq!(read(b"sk\x03\n"), None);
        assert_eq!(read(b""), None);
        assert!(read_line([b'x'; LONGEST + 1].as_slice()).is_err());
    }
}
