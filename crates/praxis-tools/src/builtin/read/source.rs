//! A file of any encoding and any line endings, read as UTF-8 with line feeds.

use std::io::{self, Read};

use praxis_text::encoding::{Encoding, StreamDecoder};

const CHUNK: usize = 32 << 10;

/// Decodes while it is read; holds one chunk.
pub(super) struct Transcoded<R> {
    inner: R,
    decoder: StreamDecoder,
    text: String,
    given: usize,
    ended: bool,
}

impl<R: Read> Transcoded<R> {
    pub(super) fn new(inner: R, encoding: Encoding, bom: bool) -> Self {
        Self {
            inner,
            decoder: StreamDecoder::new(encoding, bom),
            text: String::new(),
            given: 0,
            ended: false,
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        let mut chunk = [0; CHUNK];
        while self.text.is_empty() && !self.ended {
            let read = self.inner.read(&mut chunk)?;
            self.ended = read == 0;
            self.decoder.push(&chunk[..read], self.ended, &mut self.text);
        }
        Ok(())
    }
}

impl<R: Read> Read for Transcoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.text.len() {
            self.refill()?;
        }
        let rest = &self.text.as_bytes()[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

/// Whether lines end in carriage returns alone, as they did on the Macintosh. A carriage return among line feeds is
/// left as it is: counting it would number lines as nobody else does.
pub(super) fn has_classic_endings(text: &str) -> bool {
    text.contains('\r') && !text.contains('\n')
}

/// Gives carriage returns as line feeds, if they are line endings.
pub(super) struct LineFeeds<R> {
    inner: R,
    classic: bool,
}

impl<R: Read> LineFeeds<R> {
    pub(super) fn new(inner: R, classic: bool) -> Self {
        Self { inner, classic }
    }
}

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if self.classic {
            buffer[..read].iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        }
        Ok(read)
    }
}
