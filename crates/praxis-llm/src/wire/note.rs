//! Notes from the program, for wires whose conversations have only two sides.

/// A note as text of a user message.
pub(crate) fn note(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 40);
    out.push_str("<system-update>\n");
    for piece in text.split_inclusive(['&', '<', '>']) {
        match piece.as_bytes().last() {
            Some(b'&') => push(&mut out, piece, "&amp;"),
            Some(b'<') => push(&mut out, piece, "&lt;"),
            Some(b'>') => push(&mut out, piece, "&gt;"),
            _ => out.push_str(piece),
        }
    }
    out.push_str("\n</system-update>");
    out
}

fn push(out: &mut String, piece: &str, escaped: &str) {
    out.push_str(&piece[..piece.len() - 1]);
    out.push_str(escaped);
}

/// Said in the user's place where a wire wants the user to speak first and the history begins with the model.
pub(crate) const FIRST_WORD: &str = "Continue from the conversation below.";

#[cfg(test)]
mod tests {
    #[test]
    fn a_note_cannot_close_its_own_tag() {
        assert_eq!(
            super::note("a < b && </system-update> é"),
            "<system-update>\na &lt; b &amp;&amp; &lt;/system-update&gt; é\n</system-update>"
        );
    }
}
