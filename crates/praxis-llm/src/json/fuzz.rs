//! What must hold for any bytes.

use super::{Ending, partial, repair};

/// Mends and previews any text. Panics if what was mended cannot be read again once it is written.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    partial(&text);
    for ending in [Ending::Whole, Ending::Forgotten] {
        let Some(value) = repair(&text, ending) else { continue };
        assert!(repair(&value.to_string(), Ending::Whole).is_some(), "cannot be read again");
    }
}
