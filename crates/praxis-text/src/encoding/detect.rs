//! Which encoding a file is in, or that it is not text.

use super::{BROKEN_SHARE, Encoding, NotText, Sign, legacy, wide};

/// The most bytes that are looked at to tell one legacy encoding from another.
pub const DETECTION_WINDOW: usize = 256 * 1_024;

/// The largest share of control characters in a text, and in one that is not UTF-8 and so has less to say for itself.
const CONTROL_SHARE: f64 = 0.30;
const LEGACY_CONTROL_SHARE: f64 = 0.05;
/// So few control characters are no sign of anything.
const FEW_CONTROLS: usize = 8;

/// What a look at a file gave.
pub(super) struct Found<'a> {
    pub(super) encoding: Encoding,
    pub(super) bom: bool,
    /// Everything after the mark, if it is UTF-8 without a mistake.
    pub(super) valid: Option<&'a str>,
}

/// Decides from the beginning of a file how it is written and whether it has a byte order mark.
///
/// The sample may end in the middle of a character, unless it is the `whole` file.
pub fn sniff(sample: &[u8], whole: bool) -> Result<(Encoding, bool), NotText> {
    examine(sample, whole).map(|found| (found.encoding, found.bom))
}

pub(super) fn examine(sample: &[u8], whole: bool) -> Result<Found<'_>, NotText> {
    if sample.starts_with(b"\xFF\xFE\0\0") || sample.starts_with(b"\0\0\xFE\xFF") {
        return Err(NotText::Binary { why: Sign::Utf32 });
    }
    for encoding in [Encoding::UTF_16LE, Encoding::UTF_16BE] {
        if let Some(body) = sample.strip_prefix(encoding.mark()) {
            // Other formats begin with these two bytes as well.
            let readable = wide::readable(head(body), encoding);
            let found = Found { encoding, bom: true, valid: None };
            return if readable { Ok(found) } else { Err(NotText::Binary { why: Sign::Senseless }) };
        }
    }
    let (body, bom) = match sample.strip_prefix(Encoding::UTF_8.mark()) {
        Some(body) => (body, true),
        None => (sample, false),
    };
    if memchr::memchr(0, body).is_some() {
        let wide = if bom || (whole && body.len() % 2 != 0) { None } else { wide::guess(head(body)) };
        let encoding = wide.ok_or(NotText::Binary { why: Sign::Nul })?;
        return Ok(Found { encoding, bom, valid: None });
    }
    let (controls, looked_at) = (controls(head(body)), head(body).len());
    if controls as f64 > looked_at as f64 * CONTROL_SHARE {
        return Err(NotText::Binary { why: Sign::Controls });
    }
    let utf8 = |valid| Ok(Found { encoding: Encoding::UTF_8, bom, valid });
    match std::str::from_utf8(body) {
        Ok(text) => return utf8(Some(text)),
        Err(error) if error.error_len().is_none() && !whole => return utf8(None),
        Err(_) if bom => return utf8(None),
        Err(_) => {}
    }
    let window = telling(body);
    let complete = whole && window.as_ptr_range().end == body.as_ptr_range().end;
    if broken_utf8_share(window, complete) <= BROKEN_SHARE {
        return utf8(None);
    }
    let strange = controls > FEW_CONTROLS && controls as f64 > looked_at as f64 * LEGACY_CONTROL_SHARE;
    let guess = if strange { None } else { legacy::guess(window, complete) };
    let encoding = guess.ok_or(NotText::Binary { why: Sign::Senseless })?;
    Ok(Found { encoding, bom, valid: None })
}

fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(DETECTION_WINDOW)]
}

/// The part that tells legacy encodings apart: from the line of the first byte that is not ASCII.
fn telling(body: &[u8]) -> &[u8] {
    let first = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let near = first.saturating_sub(DETECTION_WINDOW / 2);
    let line = memchr::memrchr(b'\n', &body[near..first]).map_or(near, |at| near + at + 1);
    head(&body[line..])
}

/// How many bytes are control characters, except white space and what terminals are coloured with.
fn controls(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte < 9 || (byte > 13 && byte < 32 && byte != 27)).count()
}

fn broken_utf8_share(bytes: &[u8], complete: bool) -> f64 {
    let (mut good, mut broken, mut seen) = (0usize, 0usize, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        seen += chunk.valid().len() + chunk.invalid().len();
        // A sample may end in the middle of a character.
        let cut = seen == bytes.len() && !complete;
        broken += usize::from(!chunk.invalid().is_empty() && !cut);
    }
    broken as f64 / (good + broken).max(1) as f64
}
