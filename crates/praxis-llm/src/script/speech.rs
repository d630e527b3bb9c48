//! Text and the pieces in which it is streamed.

/// Something said, thought or given as arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speech {
    /// A text, cut as the turn says.
    Whole(String),
    /// Deltas as they are.
    Pieces(Vec<String>),
    /// One delta, so many times.
    Times(String, usize),
}

/// Into how many deltas a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunks {
    /// This many of about the same length, or fewer where the text has fewer characters.
    Count(usize),
    /// One for each word, with the space behind it.
    Words,
}

impl Default for Chunks {
    fn default() -> Self {
        Self::Count(1)
    }
}

impl Speech {
    /// The deltas. An empty text has none.
    pub fn pieces(&self, chunks: Chunks) -> Vec<String> {
        match self {
            Self::Whole(text) => chunks.cut(text),
            Self::Pieces(pieces) => pieces.clone(),
            Self::Times(text, times) => vec![text.clone(); *times],
        }
    }
}

impl Chunks {
    fn cut(self, text: &str) -> Vec<String> {
        if text.is_empty() {
            return Vec::new();
        }
        match self {
            Self::Words => text.split_inclusive(char::is_whitespace).map(str::to_owned).collect(),
            Self::Count(count) => evenly(text, count),
        }
    }
}

/// Cuts between characters, not between bytes.
fn evenly(text: &str, count: usize) -> Vec<String> {
    let length = text.chars().count();
    let count = count.clamp(1, length);
    let mut characters = text.chars();
    let ends = (1..=count).map(|n| n * length / count);
    let mut at = 0;
    ends.map(|end| {
        let piece = characters.by_ref().take(end - at).collect();
        at = end;
        piece
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_evenly_between_characters() {
        assert_eq!(evenly("aébcd", 2), ["aé", "bcd"]);
        assert_eq!(evenly("ab", 9), ["a", "b"]);
        assert_eq!(Chunks::Count(0).cut("ab"), ["ab"]);
        assert_eq!(Chunks::Words.cut("one two\nthree"), ["one ", "two\n", "three"]);
        assert_eq!(Chunks::Words.cut(""), Vec::<String>::new());
        assert_eq!(Speech::Times("x".into(), 3).pieces(Chunks::Words), ["x", "x", "x"]);
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in ".{0,40}", count in 0usize..50) {
            for chunks in [Chunks::Words, Chunks::Count(count)] {
                let pieces = Speech::Whole(text.clone()).pieces(chunks);
                prop_assert_eq!(pieces.concat(), text.as_str());
                prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
            }
        }
    }
}
