//! How much a reading of some bytes looks like writing.

use std::collections::HashSet;

use encoding_rs::{BIG5, DecoderResult, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS};

use super::common::{CYRILLIC, HANGUL, KANJI, SIMPLIFIED, TRADITIONAL, WORDS};
use super::wide::never_written;

/// What a reading is worth.
pub(super) struct Score {
    /// Points per character that is not ASCII, from about -1 to 1.
    pub(super) mean: f64,
    /// The share of sequences that are none.
    pub(super) broken: f64,
    /// The share of characters that no text has.
    odd: f64,
    /// Characters that are not ASCII.
    count: usize,
    /// Their share of all characters.
    share: f64,
    /// How many different ones there are.
    kinds: usize,
    /// Every byte is a character, so that nothing can be broken.
    lenient: bool,
}

impl Score {
    /// Whether even this reading is no text. A few strange characters, or many of the same, are not enough to say so.
    pub(super) fn is_noise(&self) -> bool {
        const FEW: usize = 16;
        const ALPHABET: usize = 60;
        let senseless = self.lenient && self.mean < 0.25 && self.share > 0.25 && self.kinds > ALPHABET;
        self.count > FEW && (self.odd > 0.10 || senseless)
    }
}

/// Reads the bytes in an encoding and weighs what comes out. `complete` says that nothing follows.
pub(super) fn score(bytes: &[u8], encoding: &'static encoding_rs::Encoding, complete: bool) -> Score {
    let (text, broken) = read(bytes, encoding, complete);
    let weigh = weight(encoding);
    let (mut points, mut odd, mut count, mut all) = (0.0, 0usize, 0usize, 0usize);
    let (mut around, mut kinds) = (Around::default(), HashSet::new());
    let mut ahead = text.chars().peekable();
    while let Some(character) = ahead.next() {
        all += 1;
        let after = ahead.peek().copied().unwrap_or(' ');
        if !character.is_ascii() {
            count += 1;
            kinds.insert(character);
            if never_written(character) {
                odd += 1;
                points -= 2.0;
            } else {
                points += weigh(character, &around, after);
            }
        }
        around.pass(character);
    }
    let per = |part: f64, whole: usize| part / whole.max(1) as f64;
    Score {
        mean: per(points, count),
        broken: per(broken as f64, count + broken),
        odd: per(odd as f64, count),
        share: per(count as f64, all),
        kinds: kinds.len(),
        lenient: encoding.is_single_byte(),
        count,
    }
}

/// The text without what is broken, and how often it was.
fn read(bytes: &[u8], encoding: &'static encoding_rs::Encoding, complete: bool) -> (String, usize) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut text, mut rest, mut broken) = (String::new(), bytes, 0);
    loop {
        text.reserve(decoder.max_utf8_buffer_length(rest.len()).unwrap_or(rest.len()).max(16));
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, complete);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => return (text, broken),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => broken += 1,
        }
    }
}

/// What stands before a character.
struct Around {
    before: char,
    /// How many letters that are not ASCII stand directly before.
    run: usize,
}

impl Default for Around {
    fn default() -> Self {
        Self { before: ' ', run: 0 }
    }
}

impl Around {
    fn pass(&mut self, character: char) {
        self.run = if !character.is_ascii() && character.is_alphabetic() { self.run + 1 } else { 0 };
        self.before = character;
    }
}

type Weight = fn(char, &Around, char) -> f64;

fn weight(encoding: &'static encoding_rs::Encoding) -> Weight {
    if encoding == GBK || encoding == GB18030 {
        |character, _, _| han(character, SIMPLIFIED)
    } else if encoding == BIG5 {
        |character, _, _| han(character, TRADITIONAL)
    } else if encoding == SHIFT_JIS || encoding == EUC_JP {
        |character, _, _| japanese(character)
    } else if encoding == EUC_KR {
        |character, _, _| korean(character)
    } else {
        alphabet
    }
}

fn han(character: char, common: &str) -> f64 {
    match character {
        '\u{3400}'..='\u{9FFF}' if common.contains(character) => 1.0,
        '\u{3400}'..='\u{9FFF}' => 0.15,
        _ => east_asian_mark(character),
    }
}

fn japanese(character: char) -> f64 {
    match character {
        '\u{3041}'..='\u{3096}' => 1.0,
        '\u{30A1}'..='\u{30FA}' | 'ー' => 0.9,
        '\u{FF61}'..='\u{FF9F}' => 0.0,
        '\u{3400}'..='\u{9FFF}' if KANJI.contains(character) => 1.0,
        '\u{3400}'..='\u{9FFF}' => 0.15,
        _ => east_asian_mark(character),
    }
}

fn korean(character: char) -> f64 {
    match character {
        '\u{AC00}'..='\u{D7A3}' if HANGUL.contains(character) => 1.0,
        '\u{AC00}'..='\u{D7A3}' => 0.3,
        '\u{3400}'..='\u{9FFF}' => 0.0,
        _ => east_asian_mark(character),
    }
}

fn east_asian_mark(character: char) -> f64 {
    match character {
        '、' | '。' | '，' | '：' | '；' | '！' | '？' | '（' | '）' | '「' | '」' | '『' | '』' | '《'
        | '》' => 0.9,
        '\u{3000}'..='\u{303F}' | '\u{FF01}'..='\u{FF60}' => 0.5,
        '“' | '”' | '‘' | '’' | '…' | '—' | '·' | '・' | '→' => 0.5,
        _ => -0.1,
    }
}

/// Encodings with a byte per character: a letter belongs among letters, and capitals do not follow small ones.
fn alphabet(character: char, around: &Around, after: char) -> f64 {
    let before = around.before;
    if !character.is_alphabetic() {
        return symbol(character, before, after);
    }
    let case = if character.is_uppercase() && before.is_lowercase() { -1.0 } else { 0.0 };
    let near = |other: char| other.is_alphabetic().then(|| script(other) == script(character));
    let frequent = if CYRILLIC.contains(character) { 0.3 } else { 0.0 };
    let company = match (near(before), near(after)) {
        (None, None) if script(character) != Script::Latin => 0.0,
        (None, None) => {
            if WORDS.contains(character) {
                0.1
            } else {
                -0.4
            }
        }
        (Some(false), _) | (_, Some(false)) => -0.5,
        _ if script(character) == Script::Latin && around.run >= 2 => -0.4,
        _ => 0.6 + frequent,
    };
    case + company
}

fn symbol(character: char, before: char, after: char) -> f64 {
    let inside = before.is_alphabetic() && after.is_alphabetic();
    match character {
        '’' => 0.4,
        // French puts it before and after marks.
        '\u{A0}' if !before.is_alphabetic() || !after.is_alphabetic() => 0.4,
        _ if inside => -0.7,
        '«' | '»' | '“' | '”' | '„' | '–' | '—' | '…' | '°' | '§' | '€' | '№' | '©' | '®' | '¿' | '¡' => {
            0.4
        }
        '\u{2500}'..='\u{25A0}' => -0.3,
        _ => -0.1,
    }
}

#[derive(PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Other,
}

fn script(character: char) -> Script {
    match character {
        '\0'..='\u{24F}' => Script::Latin,
        '\u{400}'..='\u{4FF}' => Script::Cyrillic,
        _ => Script::Other,
    }
}
