//! What goes to stdout, written together.

use std::io::{self, Write};

/// Bytes are kept until nothing more comes, or until there are so many of them.
const MOST: usize = 64 << 10;

/// Bytes on their way to stdout. Whoever adds them flushes when nothing more is to come for now.
#[derive(Default)]
pub(super) struct Kept(Vec<u8>);

impl Kept {
    /// Writes what is kept if it has become too much.
    pub(super) fn bound(&mut self) -> io::Result<()> {
        if self.0.len() > MOST { self.flush() } else { Ok(()) }
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.0).and_then(|()| out.flush());
        self.0.clear();
        written
    }
}
