//! Text in any of the usual encodings: which one it is, reading it, and changing it without touching another byte.
//!
//! ```
//! use praxis_text::{Hunk, encoding};
//!
//! let file = b"caf\xE9 au lait\r\n";
//! let decoded = encoding::decode(file).unwrap();
//! assert_eq!((decoded.text.as_str(), decoded.encoding.name()), ("café au lait\r\n", "windows-1252"));
//! let hunk = Hunk { range: 6..8, text: "crème".into() };
//! assert_eq!(encoding::splice(file, &decoded, &[hunk]).unwrap(), b"caf\xE9 cr\xE8me lait\r\n");
//! ```
//!
//! ISO-8859-1 has no name of its own here: wherever it has characters, windows-1252 has the same ones, so such a
//! file is called windows-1252. ISO-2022-JP and UTF-32 are not read.

mod common;
mod cursor;
mod detect;
mod encode;
mod fuzz;
mod legacy;
mod score;
mod splice;
mod stream;
#[cfg(test)]
mod tests;
mod wide;

use std::fmt;

pub use detect::{DETECTION_WINDOW, sniff};
pub use encode::{Unencodable, encode};
pub use fuzz::fuzz;
pub use splice::splice;
pub use stream::StreamDecoder;

use detect::examine;

/// The largest share of broken sequences with which a text still counts as text in an encoding.
const BROKEN_SHARE: f64 = 0.05;

/// How the characters of a file are written as bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// UTF-8, which everything is that says nothing else.
    pub const UTF_8: Self = Self(encoding_rs::UTF_8);
    const UTF_16LE: Self = Self(encoding_rs::UTF_16LE);
    const UTF_16BE: Self = Self(encoding_rs::UTF_16BE);
    /// Gives every byte a character, so it can always be the last resort.
    const LAST_RESORT: Self = Self(encoding_rs::WINDOWS_1252);

    /// The encoding with this name or one of its usual aliases, in any case.
    pub fn named(label: &str) -> Option<Self> {
        let found = encoding_rs::Encoding::for_label(label.as_bytes())?;
        // A place in an ISO-2022-JP text cannot be found without everything before it; the other two are not
        // encodings of text.
        let strange = [encoding_rs::ISO_2022_JP, encoding_rs::REPLACEMENT, encoding_rs::X_USER_DEFINED];
        (!strange.contains(&found)).then_some(Self(found))
    }

    /// The name, for example `UTF-16LE` or `Shift_JIS`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    fn family(self) -> Family {
        match self {
            _ if self == Self::UTF_8 => Family::Utf8,
            _ if self == Self::UTF_16LE => Family::Utf16 { big: false },
            _ if self == Self::UTF_16BE => Family::Utf16 { big: true },
            _ if self.0.is_single_byte() => Family::SingleByte,
            _ => Family::MultiByte,
        }
    }

    /// The bytes of the byte order mark, empty where the encoding has none.
    fn mark(self) -> &'static [u8] {
        match self.family() {
            Family::Utf8 => b"\xEF\xBB\xBF",
            Family::Utf16 { big: false } => b"\xFF\xFE",
            Family::Utf16 { big: true } => b"\xFE\xFF",
            Family::SingleByte | Family::MultiByte => b"",
        }
    }

    fn mark_if(self, bom: bool) -> &'static [u8] {
        if bom { self.mark() } else { b"" }
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How characters and bytes belong together.
enum Family {
    Utf8,
    Utf16 {
        big: bool,
    },
    SingleByte,
    /// One to four bytes for a character, sometimes for two. A line feed is always just that.
    MultiByte,
}

/// A file as text, with what is needed to write it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text without a byte order mark; U+FFFD stands where bytes make no sense.
    pub text: String,
    /// How it was written.
    pub encoding: Encoding,
    /// Whether it began with a byte order mark.
    pub bom: bool,
    /// The text is, byte for byte, what the file has after its mark.
    same: bool,
}

/// Why a file cannot be read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// It holds something else.
    #[error("binary data ({why})")]
    Binary {
        /// What gave it away.
        why: Sign,
    },
}

/// What gives binary data away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It begins with the mark of UTF-32, which is not supported.
    Utf32,
    /// It has NUL bytes and is not UTF-16.
    Nul,
    /// Too many of its bytes are control characters.
    Controls,
    /// It makes no sense in any encoding.
    Senseless,
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf32 => "it is marked as UTF-32; convert it to UTF-8 first",
            Self::Nul => "it has NUL bytes and is not UTF-16",
            Self::Controls => "too many control characters",
            Self::Senseless => "it makes no sense as text in any known encoding",
        })
    }
}

/// Reads a whole file.
pub fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    let found = examine(bytes, true)?;
    let (encoding, bom) = (found.encoding, found.bom);
    if let Some(valid) = found.valid {
        return Ok(Decoded { text: valid.to_owned(), encoding, bom, same: true });
    }
    let body = &bytes[encoding.mark_if(bom).len()..];
    if encoding == Encoding::UTF_8 {
        return Ok(Decoded { text: String::from_utf8_lossy(body).into_owned(), encoding, bom, same: false });
    }
    let (text, encoding) = legacy::decode(body, encoding);
    Ok(Decoded { text, encoding, bom, same: false })
}
