//! What must hold for any bytes.

use super::{Ending, partial, repair};

/// Mends and previews any text. Panics if a mended text does not stay what it is when it is written and read again.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    partial(&text);
    for ending in [Ending::Whole, Ending::Forgotten] {
        let Some(value) = repair(&text, ending) else { continue };
        let again = repair(&value.to_string(), ending);
        assert!(again.is_some_and(|again| again.to_string() == value.to_string()), "changed when read again");
    }
}
