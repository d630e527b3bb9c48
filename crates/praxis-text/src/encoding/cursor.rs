//! From a place in a text to the place in the bytes it was read from.

use encoding_rs::DecoderResult;

use super::{Decoded, Encoding, Family};

/// A border between characters, in the text and in the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Border {
    pub(super) text: usize,
    pub(super) byte: usize,
}

/// Walks through a text and its bytes, forward only, so that any number of places costs one pass.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Without the byte order mark.
    bytes: &'a [u8],
    encoding: Encoding,
    same: bool,
    /// The last border at or before the last place asked for.
    at: Border,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(decoded: &'a Decoded, bytes: &'a [u8]) -> Self {
        let at = Border { text: 0, byte: 0 };
        Self { text: &decoded.text, bytes, encoding: decoded.encoding, same: decoded.same, at }
    }

    /// The nearest borders at or before and at or after a place, which must not be before the last one.
    ///
    /// They differ only if the place is between two characters that share their bytes.
    pub(super) fn around(&mut self, place: usize) -> (Border, Border) {
        if place == self.text.len() {
            // Bytes without a character of their own belong to the end.
            self.at = Border { text: place, byte: self.bytes.len() };
            return (self.at, self.at);
        }
        let ahead = &self.text[self.at.text..place];
        let byte = match self.encoding.family() {
            Family::Utf8 if self.same => place,
            Family::Utf8 => self.at.byte + utf8_length(&self.bytes[self.at.byte..], ahead.len()),
            Family::Utf16 { .. } => self.at.byte + 2 * ahead.chars().map(char::len_utf16).sum::<usize>(),
            Family::SingleByte => self.at.byte + ahead.chars().count(),
            Family::MultiByte => return self.through_sequences(place),
        };
        self.at = Border { text: place, byte };
        (self.at, self.at)
    }

    fn through_sequences(&mut self, place: usize) -> (Border, Border) {
        self.skip_lines(place);
        loop {
            if self.at.text == place {
                return (self.at, self.at);
            }
            let next = self.after_sequence();
            if next.text > place {
                return (self.at, next);
            }
            self.at = next;
        }
    }

    /// A line feed is never part of another character, so lines are the same lines in the text and in the bytes.
    fn skip_lines(&mut self, place: usize) {
        let ahead = &self.text.as_bytes()[self.at.text..place];
        let Some(last) = memchr::memrchr(b'\n', ahead) else { return };
        let before = memchr::memchr_iter(b'\n', &ahead[..last]).count();
        let Some(feed) = memchr::memchr_iter(b'\n', &self.bytes[self.at.byte..]).nth(before) else { return };
        self.at = Border { text: self.at.text + last + 1, byte: self.at.byte + feed + 1 };
    }

    /// The border after the sequence that begins here.
    fn after_sequence(&self) -> Border {
        let (bytes, text) = sequence(self.encoding, &self.bytes[self.at.byte..]);
        Border { text: self.at.text + text, byte: self.at.byte + bytes }
    }
}

/// How many bytes of UTF-8 with mistakes became so much text; every broken sequence became U+FFFD.
fn utf8_length(bytes: &[u8], text: usize) -> usize {
    let (mut read, mut written) = (0, 0);
    // A broken sequence is never longer than what it became, so no more bytes than text are needed.
    for chunk in bytes[..bytes.len().min(text)].utf8_chunks() {
        let valid = chunk.valid().len().min(text - written);
        (read, written) = (read + valid, written + valid);
        if written == text {
            break;
        }
        written += char::REPLACEMENT_CHARACTER.len_utf8();
        read += chunk.invalid().len();
    }
    read
}

/// How long the first sequence is in bytes, and in the text it gives.
fn sequence(encoding: Encoding, bytes: &[u8]) -> (usize, usize) {
    if bytes.first().is_some_and(u8::is_ascii) {
        return (1, 1);
    }
    let mut decoder = encoding.0.new_decoder_without_bom_handling();
    let mut out = [0; 16];
    for at in 0..bytes.len() {
        let last = at + 1 == bytes.len();
        let (result, _, written) =
            decoder.decode_to_utf8_without_replacement(&bytes[at..=at], &mut out, last);
        if written > 0 {
            return (at + 1, written);
        }
        if let DecoderResult::Malformed(broken, _) = result {
            return (usize::from(broken), char::REPLACEMENT_CHARACTER.len_utf8());
        }
    }
    (bytes.len(), char::REPLACEMENT_CHARACTER.len_utf8())
}
