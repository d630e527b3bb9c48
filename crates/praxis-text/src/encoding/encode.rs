//! Text as bytes, or the character that has none.

use encoding_rs::EncoderResult;

use super::{Encoding, Family};

/// A character that the encoding of a file does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{character}` (U+{:04X}, line {line}) cannot be written in {encoding}, the encoding of the file; use another \
     character, or convert the file to UTF-8 first",
    u32::from(*character)
)]
pub struct Unencodable {
    /// The character.
    pub character: char,
    /// Its line, from one: of the text that was to be encoded, or of the file if it was to be spliced into one.
    pub line: usize,
    /// The name of the encoding.
    pub encoding: &'static str,
}

/// Text as bytes in an encoding, with a byte order mark if the file has one. There are never two.
pub fn encode(text: &str, encoding: Encoding, bom: bool) -> Result<Vec<u8>, Unencodable> {
    let mut bytes = encoding.mark_if(bom).to_vec();
    let text = if bytes.is_empty() { text } else { text.trim_start_matches('\u{FEFF}') };
    append(text, encoding, &mut bytes).map_err(|at| unencodable(text, at, encoding))?;
    Ok(bytes)
}

/// The report for the character at a place of a text.
fn unencodable(text: &str, at: usize, encoding: Encoding) -> Unencodable {
    let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
    let character = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
    Unencodable { character, line, encoding: encoding.name() }
}

/// Encodes at the end of `bytes`; the error is the place of a character that cannot be encoded.
fn append(text: &str, encoding: Encoding, bytes: &mut Vec<u8>) -> Result<(), usize> {
    match encoding.family() {
        Family::Utf8 => bytes.extend_from_slice(text.as_bytes()),
        Family::Utf16 { big: false } => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
        Family::Utf16 { big: true } => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        Family::SingleByte | Family::MultiByte => return append_legacy(text, encoding, bytes),
    }
    Ok(())
}

fn append_legacy(text: &str, encoding: Encoding, bytes: &mut Vec<u8>) -> Result<(), usize> {
    let start = bytes.len();
    let (mut encoder, mut read) = (encoding.0.new_encoder(), 0);
    loop {
        let rest = &text[read..];
        let wanted = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(wanted.unwrap_or(rest.len()).max(16));
        let (result, taken) = encoder.encode_from_utf8_to_vec_without_replacement(rest, bytes, true);
        read += taken;
        match result {
            EncoderResult::InputEmpty => break,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => return Err(read - character.len_utf8()),
        }
    }
    // Some encoders write a look-alike: the yen sign becomes a backslash in Shift_JIS. That is another text.
    let (back, _) = encoding.0.decode_without_bom_handling(&bytes[start..]);
    let differs = |((at, old), new): ((usize, char), char)| (old != new).then_some(at);
    match text.char_indices().zip(back.chars()).find_map(differs) {
        Some(at) => Err(at),
        None => Ok(()),
    }
}
