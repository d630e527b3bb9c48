//! Server-sent events from bytes, however they are cut.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The longest event that is read, unless told otherwise.
pub const EVENT_CAP: usize = 64 << 20;

/// Buffers larger than this are given back once the event that needed them is done.
const KEEP: usize = 1 << 20;

/// An event is longer than its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server sent one event of more than {cap} bytes; ask for less in one answer")]
pub struct TooLong {
    /// The cap, in bytes.
    pub cap: usize,
}

/// Cuts a stream into events.
///
/// Lines end with CR, LF or both. Comments, `id` and `retry` are skipped; invalid UTF-8 is replaced, but never because a
/// character was split between chunks. Nothing is allocated for an event once the buffers have grown.
#[derive(Debug)]
pub struct Decoder {
    cap: usize,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    first_line: bool,
}

impl Decoder {
    /// A decoder that refuses events of more than `cap` bytes.
    pub fn new(cap: usize) -> Self {
        Self {
            cap,
            line: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            first_line: true,
        }
    }

    /// Takes the next bytes and gives each event that they complete: its name, empty if it has none, and its data.
    pub fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&str, &str)) -> Result<(), TooLong> {
        if std::mem::take(&mut self.after_cr) && bytes.first() == Some(&b'\n') {
            bytes = &bytes[1..];
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            let line = &bytes[..end];
            let next =
                if bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n') { end + 2 } else { end + 1 };
            self.after_cr = bytes[end] == b'\r' && end + 1 == bytes.len();
            bytes = &bytes[next..];
            if self.line.is_empty() {
                self.take_line(line, &mut each)?;
            } else {
                self.hold(line)?;
                self.take_held(&mut each)?;
            }
        }
        self.hold(bytes)
    }

    /// The stream has ended: gives the event that had no empty line behind it, if any.
    pub fn end(&mut self, mut each: impl FnMut(&str, &str)) -> Result<(), TooLong> {
        if !self.line.is_empty() {
            self.take_held(&mut each)?;
        }
        self.dispatch(&mut each);
        Ok(())
    }

    /// How many bytes are held for an event that is not whole.
    pub fn held(&self) -> usize {
        self.line.len() + self.data.len() + self.name.len()
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.room_for(bytes.len())?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn room_for(&self, more: usize) -> Result<(), TooLong> {
        if self.held() + more > self.cap { Err(TooLong { cap: self.cap }) } else { Ok(()) }
    }

    fn take_held(&mut self, each: &mut impl FnMut(&str, &str)) -> Result<(), TooLong> {
        let mut line = std::mem::take(&mut self.line);
        if !self.has_data && !self.first_line && line.starts_with(b"data:") {
            // A large event fills one line; it is not copied a second time.
            let start = if line.get(5) == Some(&b' ') { 6 } else { 5 };
            line.drain(..start);
            std::mem::swap(&mut line, &mut self.data);
            self.has_data = true;
        } else {
            self.take_line(&line, each)?;
        }
        line.clear();
        line.shrink_to(KEEP);
        self.line = line;
        Ok(())
    }

    fn take_line(&mut self, mut line: &[u8], each: &mut impl FnMut(&str, &str)) -> Result<(), TooLong> {
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(each);
            return Ok(());
        }
        let (field, value) = match memchr(b':', line) {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.room_for(value.len() + 1)?;
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.room_for(value.len())?;
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // Comments, whose field is empty, `id`, `retry` and what nobody knows.
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, each: &mut impl FnMut(&str, &str)) {
        if !self.data.is_empty() {
            each(&lossy(&self.name), &lossy(&self.data));
        }
        self.has_data = false;
        for buffer in [&mut self.name, &mut self.data] {
            buffer.clear();
            buffer.shrink_to(KEEP);
        }
    }
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Decodes any bytes at any cut. Panics if the cuts make a difference.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let Some((&cut, stream)) = data.split_first() else { return };
    let size = usize::from(cut) % 7 + 1;
    assert_eq!(
        events(stream, stream.len().max(1)),
        events(stream, size),
        "chunks of {size} make a difference"
    );
}

fn events(stream: &[u8], size: usize) -> Vec<(String, String)> {
    let (mut decoder, mut events) = (Decoder::new(EVENT_CAP), Vec::new());
    let mut each = |name: &str, data: &str| events.push((name.to_owned(), data.to_owned()));
    let fits = stream.chunks(size).all(|chunk| decoder.push(chunk, &mut each).is_ok());
    assert!(fits && decoder.end(&mut each).is_ok(), "shorter than the cap");
    events
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(stream: &[u8]) -> Vec<(String, String)> {
        let whole = events(stream, stream.len().max(1));
        assert_eq!(whole, events(stream, 1), "byte by byte");
        whole
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect()
    }

    #[test]
    fn events_end_with_an_empty_line_of_any_kind() {
        for stream in [
            "event: a\ndata: 1\n\ndata: 2\n\n",
            "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
            "event: a\rdata: 1\r\rdata: 2\r\r",
            "\u{feff}event: a\r\ndata: 1\n\r\ndata: 2\r\n\n",
            "event:a\ndata:1\n\n\n\ndata:2\n\n",
        ] {
            assert_eq!(read(stream.as_bytes()), pairs(&[("a", "1"), ("", "2")]), "{stream:?}");
        }
    }

    #[test]
    fn a_line_feed_behind_a_chunk_that_ends_with_both_is_an_empty_line() {
        let (mut decoder, mut seen) = (Decoder::new(EVENT_CAP), Vec::new());
        for chunk in ["data: 1\r\n", "\ndata: 2\r\n", "\n"] {
            decoder.push(chunk.as_bytes(), |_, data| seen.push(data.to_owned())).unwrap();
        }
        assert_eq!(seen, ["1", "2"]);
    }

    #[test]
    fn lines_of_data_are_joined_and_other_fields_skipped() {
        let stream = ": hello\nid: 7\nretry: 10\ndata: one\ndata\ndata:  two\nfoo: bar\n:\n\n";
        assert_eq!(read(stream.as_bytes()), pairs(&[("", "one\n\n two")]));
    }

    #[test]
    fn an_event_without_data_is_none_and_its_name_is_forgotten() {
        assert_eq!(read(b"event: a\n\ndata: 1\n\ndata:\n\n"), pairs(&[("", "1")]));
    }

    #[test]
    fn the_last_event_needs_no_empty_line() {
        assert_eq!(read(b"data: 1\n\ndata: 2"), pairs(&[("", "1"), ("", "2")]));
        assert_eq!(read(b"data: 1\n\ndata: 2\n"), pairs(&[("", "1"), ("", "2")]));
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced_and_split_characters_are_not() {
        assert_eq!(read("data: é😀\n\n".as_bytes()), pairs(&[("", "é😀")]));
        assert_eq!(read(b"data: a\xffb\n\n"), pairs(&[("", "a\u{fffd}b")]));
    }

    #[test]
    fn an_event_may_be_as_long_as_the_cap_and_no_longer() {
        let refused = Err(TooLong { cap: 16 });
        let try_with = |stream: &[u8], size: usize| {
            let mut decoder = Decoder::new(16);
            stream.chunks(size).try_for_each(|chunk| decoder.push(chunk, |_, _| {}))
        };
        for size in [1, 3, 100] {
            assert_eq!(try_with(b"data: 123456789\n\ndata: 123456789\n\n", size), Ok(()));
            assert_eq!(try_with(b"data: 0123456789abcdef0\n\n", size), refused);
            assert_eq!(try_with(b"data: 1234567\ndata: 1234567\ndata: 1234567\n", size), refused);
            assert_eq!(try_with(&[b'x'; 17], size), refused);
        }
    }

    #[test]
    fn memory_is_given_back_after_a_large_event() {
        let mut decoder = Decoder::new(EVENT_CAP);
        let large = [b"\ndata: ".as_slice(), &vec![b'x'; 8 * KEEP], b"\n\n"].concat();
        let mut seen = 0;
        for chunk in large.chunks(1 << 14) {
            decoder.push(chunk, |_, data| seen += data.len()).unwrap();
        }
        assert_eq!(seen, 8 * KEEP);
        assert!(decoder.line.capacity() + decoder.data.capacity() <= 2 * KEEP);
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(stream in "(data: a|data:|data|event: b|id|:|\r\n|\n|\r|\u{feff}|é|😀){0,60}", cut: u8) {
            fuzz(&[&[cut], stream.as_bytes()].concat());
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            fuzz(&bytes);
        }
    }
}
