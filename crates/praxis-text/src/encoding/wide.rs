//! Recognising UTF-16.

use super::Encoding;

/// The share of NUL bytes that must stand in the upper half of the units.
const UPPER_HALF: f64 = 0.80;
/// The share of units that must otherwise be white space or punctuation: Chinese has NUL in both halves.
const SPACING: f64 = 0.02;
/// The largest share of units that may be two ASCII bytes: that is what ASCII with a NUL in it looks like.
const ASCII_PAIRS: f64 = 0.60;
/// The largest share of characters that no text has, without and with a mark.
const ODD_UNMARKED: f64 = 0.02;
const ODD_MARKED: f64 = 0.30;
/// The fewest units with a NUL that make a case.
const FEWEST: usize = 2;

/// Which UTF-16 a text without a mark is in, if it is.
pub(super) fn guess(bytes: &[u8]) -> Option<Encoding> {
    let little = Units::of(bytes, Encoding::UTF_16LE);
    let big = Units::of(bytes, Encoding::UTF_16BE);
    let sides = if (little.spaces, little.upper) >= (big.spaces, big.upper) {
        [(little, Encoding::UTF_16LE), (big, Encoding::UTF_16BE)]
    } else {
        [(big, Encoding::UTF_16BE), (little, Encoding::UTF_16LE)]
    };
    let fits = |(units, encoding): (Units, Encoding)| {
        (units.are_plausible() && makes_sense(bytes, encoding)).then_some(encoding)
    };
    sides.into_iter().find_map(fits)
}

/// What a text consists of, seen as UTF-16.
struct Units {
    all: usize,
    /// With NUL as the upper half, as ASCII has.
    upper: usize,
    /// With NUL as the lower half.
    lower: usize,
    /// Two bytes of ASCII.
    pairs: usize,
    /// White space and the most frequent punctuation.
    spaces: usize,
}

impl Units {
    fn of(bytes: &[u8], encoding: Encoding) -> Self {
        let mut counts = Self { all: 0, upper: 0, lower: 0, pairs: 0, spaces: 0 };
        for unit in units(bytes, encoding) {
            let [upper, lower] = unit.to_be_bytes();
            counts.all += 1;
            counts.upper += usize::from(upper == 0);
            counts.lower += usize::from(lower == 0);
            counts.pairs += usize::from(is_ascii_text(upper) && is_ascii_text(lower));
            counts.spaces +=
                usize::from(matches!(unit, 0x09 | 0x0A | 0x0D | 0x20 | 0x3000..=0x3002 | 0xFF0C));
        }
        counts
    }

    fn are_plausible(&self) -> bool {
        let upper = self.upper as f64 >= (self.upper + self.lower) as f64 * UPPER_HALF;
        let spaced = self.spaces >= FEWEST && self.spaces as f64 >= self.all as f64 * SPACING;
        let ascii = self.pairs as f64 > (self.all - self.upper) as f64 * ASCII_PAIRS;
        self.upper >= FEWEST && (upper || spaced) && !ascii
    }
}

/// Whether a text with a mark can be what the mark says.
pub(super) fn readable(bytes: &[u8], encoding: Encoding) -> bool {
    let (mut odd, mut all) = (0usize, 0usize);
    for unit in char::decode_utf16(units(bytes, encoding)) {
        all += 1;
        odd += usize::from(unit.map_or(true, never_written));
    }
    odd as f64 <= all as f64 * ODD_MARKED
}

fn makes_sense(bytes: &[u8], encoding: Encoding) -> bool {
    let (mut odd, mut all) = (0usize, 0usize);
    let mut decoded = char::decode_utf16(units(bytes, encoding)).peekable();
    while let Some(unit) = decoded.next() {
        all += 1;
        match unit {
            Ok('\0') => return false,
            Ok(character) => odd += usize::from(never_written(character)),
            // The sample may end between the halves of a pair.
            Err(_) if decoded.peek().is_none() => {}
            Err(_) => return false,
        }
    }
    odd as f64 <= all as f64 * ODD_UNMARKED
}

fn units(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = u16> {
    let big = encoding == Encoding::UTF_16BE;
    bytes.as_chunks::<2>().0.iter().map(
        move |&pair| {
            if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        },
    )
}

fn is_ascii_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Characters that do not occur in text: controls, private use, and those that are none.
pub(super) fn never_written(character: char) -> bool {
    let point = u32::from(character);
    let white = matches!(character, '\t' | '\n' | '\r' | '\x0B' | '\x0C' | '\x1B' | '\u{85}');
    (character.is_control() && !white)
        || (0xE000..=0xF8FF).contains(&point)
        || (0xFDD0..=0xFDEF).contains(&point)
        || point & 0xFFFE == 0xFFFE
        || point >= 0xE0200
}
