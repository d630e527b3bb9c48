//! Telling the encodings from before Unicode apart.
//!
//! The detector is good at running text and weak where a file has three words that are not ASCII, as source code
//! has. So its guess is one vote, and how much each reading looks like writing is the other.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GB18030, GBK, ISO_8859_2, ISO_8859_15, KOI8_R, KOI8_U, SHIFT_JIS, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252,
};

use super::score::{Score, score};
use super::{BROKEN_SHARE, Encoding};

/// The readings that are always compared.
const CANDIDATES: [&encoding_rs::Encoding; 10] =
    [GBK, SHIFT_JIS, EUC_JP, EUC_KR, BIG5, WINDOWS_1252, WINDOWS_1250, WINDOWS_1251, ISO_8859_2, KOI8_R];
/// How much of the window is read in every candidate.
const COMPARED: usize = 16 * 1_024;
/// What the detector's vote is worth, in points per character.
const VOTE: f64 = 0.25;

/// The most likely encoding, or none if the bytes make no sense in any. `complete` says that nothing follows.
pub(super) fn guess(window: &[u8], complete: bool) -> Option<Encoding> {
    let vote = vote(window, complete);
    let compared = &window[..window.len().min(COMPARED)];
    let complete = complete && compared.len() == window.len();
    let mut best: Option<(f64, &'static encoding_rs::Encoding, Score)> = None;
    // The vote comes first, so that it wins a tie.
    for encoding in std::iter::once(vote).chain(CANDIDATES.into_iter().filter(|&other| other != vote)) {
        let score = score(compared, encoding, complete);
        if score.broken > BROKEN_SHARE {
            continue;
        }
        let points = score.mean + if encoding == vote { VOTE } else { 0.0 };
        if best.as_ref().is_none_or(|&(most, ..)| points > most) {
            best = Some((points, encoding, score));
        }
    }
    let (_, encoding, score) = best?;
    (!score.is_noise()).then(|| Encoding(refined(encoding, window)))
}

fn vote(window: &[u8], complete: bool) -> &'static encoding_rs::Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, complete);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let ukrainian = || window.iter().any(|byte| b"\xA4\xA6\xA7\xAD\xB4\xB6\xB7\xBD".contains(byte));
    if guess == KOI8_U && !ukrainian() { KOI8_R } else { guess }
}

/// Encodings that differ from another one only in a few places, if those places are used.
fn refined(encoding: &'static encoding_rs::Encoding, window: &[u8]) -> &'static encoding_rs::Encoding {
    if encoding == GBK {
        return if has_four_bytes(window) { GB18030 } else { GBK };
    }
    if encoding == ISO_8859_2 && is_polish(window) {
        return WINDOWS_1250;
    }
    if encoding != WINDOWS_1252 && !(encoding == ISO_8859_2 && is_quoted(window)) {
        return encoding;
    }
    if is_hungarian(window) {
        WINDOWS_1250
    } else if is_latin_9(window) {
        ISO_8859_15
    } else {
        WINDOWS_1252
    }
}

/// Whether what could be Ť and ť comes in pairs around words, as « and » do.
fn is_quoted(bytes: &[u8]) -> bool {
    let mut marks = bytes.iter().filter(|byte| matches!(byte, 0xAB | 0xBB));
    let mut pairs = 0;
    while let Some(open) = marks.next() {
        if (open, marks.next()) != (&0xAB, Some(&0xBB)) {
            return false;
        }
        pairs += 1;
    }
    let inside = |word: &[u8]| word[0].is_ascii_alphabetic() && word[2].is_ascii_alphabetic();
    pairs > 0 && !bytes.windows(3).any(|word| matches!(word[1], 0xAB | 0xBB) && inside(word))
}

/// Whether the bytes where ISO-8859-15 differs from windows-1252 stand where its letters would.
fn is_latin_9(bytes: &[u8]) -> bool {
    if bytes.iter().any(|byte| (0x80..0xA0).contains(byte)) {
        return false;
    }
    let letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0xC0);
    let small = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || *byte >= 0xDF);
    bytes.iter().enumerate().any(|(at, byte)| {
        let (before, after) = (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at + 1));
        match byte {
            // The euro sign. The currency sign it replaced is on keyboards only.
            0xA4 => true,
            // š, ž, œ
            0xA8 | 0xB8 | 0xBD => letter(before) && letter(after),
            // Š, Ž, Œ, Ÿ begin a word or stand among capitals.
            0xA6 | 0xB4 | 0xBC | 0xBE => letter(after) && !small(before),
            _ => false,
        }
    })
}

/// Whether all letters are those of Hungarian, of which western languages have some, but none has ő or ű with the rest.
fn is_hungarian(bytes: &[u8]) -> bool {
    let has = |letters: &[u8]| bytes.iter().any(|byte| letters.contains(byte));
    let all = b"\xC1\xC9\xCD\xD3\xD5\xD6\xDA\xDB\xDC\xE1\xE9\xED\xF3\xF5\xF6\xFA\xFB\xFC";
    has(b"\xF5\xFB")
        && has(b"\xF6\xFC")
        && has(b"\xE1\xE9\xED\xF3\xFA")
        && bytes.iter().all(|byte| *byte < 0xC0 || all.contains(byte))
}

/// Whether ą stands where windows-1250 has it, among letters that only Polish has; ISO-8859-2 has š there.
fn is_polish(bytes: &[u8]) -> bool {
    let has = |letters: &[u8]| bytes.iter().any(|byte| letters.contains(byte));
    has(b"\xB9") && has(b"\xB3\xBF\xEA") && !has(b"\xB1\xB6\xBC")
}

/// Whether there is a sequence of four bytes, which GB18030 has and GBK does not.
fn has_four_bytes(mut bytes: &[u8]) -> bool {
    let lead = |byte: u8| (0x81..=0xFE).contains(&byte);
    loop {
        bytes = match *bytes {
            [] => return false,
            [one, two, three, four, ..]
                if lead(one) && two.is_ascii_digit() && lead(three) && four.is_ascii_digit() =>
            {
                return true;
            }
            [one, two, ref rest @ ..] if lead(one) && two >= 0x40 => rest,
            [_, ref rest @ ..] => rest,
        };
    }
}

/// Reads a body in the encoding its beginning seemed to be in, or in another one if the rest does not agree.
pub(super) fn decode(body: &[u8], encoding: Encoding) -> (String, Encoding) {
    let (text, broken) = encoding.0.decode_without_bom_handling(body);
    if broken && encoding.mark().is_empty() && broken_share(&text) > BROKEN_SHARE {
        let last = Encoding::LAST_RESORT;
        return (last.0.decode_without_bom_handling(body).0.into_owned(), last);
    }
    let encoding = if encoding.0 == GBK && has_four_bytes(body) { Encoding(GB18030) } else { encoding };
    (text.into_owned(), encoding)
}

fn broken_share(text: &str) -> f64 {
    let (mut broken, mut all) = (0usize, 0usize);
    for character in text.chars().filter(|character| !character.is_ascii()) {
        all += 1;
        broken += usize::from(character == char::REPLACEMENT_CHARACTER);
    }
    broken as f64 / all.max(1) as f64
}
