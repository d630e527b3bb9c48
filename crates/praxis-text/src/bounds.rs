//! Cutting long text to a number of lines and bytes, keeping its beginning, its end or both.

use std::fmt;

/// How much text may stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Lines, counted as pieces between line feeds.
    pub lines: usize,
    /// Bytes of UTF-8.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lines: 2_000, bytes: 50 * 1_024 }
    }
}

/// Which part of a long text stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The beginning, whole lines only.
    Head,
    /// The end, whole lines only.
    Tail,
    /// Half from each end; a line longer than its half is kept in part, so that there is always something to read.
    Both,
}

/// What `removed` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Lines.
    Lines,
    /// Bytes.
    Bytes,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lines => "lines",
            Self::Bytes => "bytes",
        })
    }
}

/// A text that was too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    /// What stays of the beginning.
    pub head: &'a str,
    /// What stays of the end.
    pub tail: &'a str,
    /// How much went.
    pub removed: usize,
    /// Of what.
    pub unit: Unit,
}

/// A text measured against limits. Nothing is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound<'a> {
    /// It fits.
    Whole(&'a str),
    /// It does not.
    Cut(Cut<'a>),
}

/// Measures `text` and cuts it if it is too long.
pub fn bound(text: &str, limits: Limits, keep: Keep) -> Bound<'_> {
    let total_lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    if total_lines <= limits.lines && text.len() <= limits.bytes {
        return Bound::Whole(text);
    }
    let (head, tail) = match keep {
        Keep::Head => (take_head(text, limits), Taken::NOTHING),
        Keep::Tail => (Taken::NOTHING, take_tail(text, limits)),
        Keep::Both => take_both(text, limits),
    };
    let lines = total_lines - head.lines - tail.lines;
    // Two halves may hold every line and still lack the line feed between them.
    let (removed, unit) = if head.hit_bytes || tail.hit_bytes || lines == 0 {
        (text.len() - head.bytes - tail.bytes, Unit::Bytes)
    } else {
        (lines, Unit::Lines)
    };
    let (head, tail) = (&text[..head.bytes], &text[text.len() - tail.bytes..]);
    Bound::Cut(Cut { head, tail, removed, unit })
}

/// How much one end yields.
#[derive(Clone, Copy)]
struct Taken {
    bytes: usize,
    lines: usize,
    hit_bytes: bool,
}

impl Taken {
    const NOTHING: Self = Self { bytes: 0, lines: 0, hit_bytes: false };
}

fn take_head(text: &str, limits: Limits) -> Taken {
    let mut taken = Taken::NOTHING;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    for end in ends {
        if taken.lines == limits.lines {
            return taken;
        }
        if end > limits.bytes {
            return Taken { hit_bytes: true, ..taken };
        }
        taken = Taken { bytes: end, lines: taken.lines + 1, hit_bytes: false };
    }
    taken
}

fn take_tail(text: &str, limits: Limits) -> Taken {
    let mut taken = Taken::NOTHING;
    let starts = memchr::memrchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain([0]);
    for start in starts {
        if taken.lines == limits.lines {
            return taken;
        }
        let bytes = text.len() - start;
        if bytes > limits.bytes {
            return Taken { hit_bytes: true, ..taken };
        }
        taken = Taken { bytes, lines: taken.lines + 1, hit_bytes: false };
    }
    taken
}

fn take_both(text: &str, limits: Limits) -> (Taken, Taken) {
    let half = |whole: usize| (whole.div_ceil(2), whole / 2);
    let ((head_lines, tail_lines), (head_bytes, tail_bytes)) = (half(limits.lines), half(limits.bytes));

    let mut head = take_head(text, Limits { lines: head_lines, bytes: head_bytes });
    if head.lines == 0 && head.hit_bytes {
        head.bytes = floor_char(text, head_bytes);
    }
    let mut tail = take_tail(text, Limits { lines: tail_lines, bytes: tail_bytes });
    if tail.hit_bytes && tail.bytes == 0 {
        let wanted = text.len() - tail_bytes;
        tail.bytes = text.len() - ceil_char(text, wanted);
    }
    (head, tail)
}

/// The largest character border at or before `at`.
pub fn floor_char(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn ceil_char(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, lines: usize, bytes: usize, keep: Keep) -> Cut<'_> {
        match bound(text, Limits { lines, bytes }, keep) {
            Bound::Cut(cut) => cut,
            Bound::Whole(_) => panic!("should not fit"),
        }
    }

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("line{n}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn pinned_a_hundred_lines_at_ten() {
        let text = numbered(100);
        for keep in [Keep::Head, Keep::Tail, Keep::Both] {
            let cut = cut(&text, 10, 51_200, keep);
            assert_eq!((cut.removed, cut.unit), (90, Unit::Lines), "{keep:?}");
        }
        assert_eq!(cut(&text, 10, 51_200, Keep::Head).head, numbered(10));
        assert_eq!(cut(&text, 2, 51_200, Keep::Tail).tail, "line99\nline100");
        let both = cut(&text, 3, 51_200, Keep::Both);
        assert_eq!((both.head, both.tail), ("line1\nline2", "line100"));
    }

    #[test]
    fn pinned_one_long_line() {
        let text = "x".repeat(1_000);
        let head = cut(&text, 10, 100, Keep::Head);
        assert_eq!((head.head, head.removed, head.unit), ("", 1_000, Unit::Bytes));
        let both = cut(&text, 10, 100, Keep::Both);
        assert_eq!((both.head.len(), both.tail.len(), both.removed), (50, 50, 900));
    }

    #[test]
    fn at_the_cap_and_one_past_it() {
        let limits = Limits { lines: 3, bytes: 5 };
        assert_eq!(bound("a\nb\nc", limits, Keep::Head), Bound::Whole("a\nb\nc"));
        assert_eq!(cut("a\nb\n\nc", 3, 5, Keep::Head).head, "a\nb\n");
        assert_eq!(
            cut("a\nb\ncd", 3, 5, Keep::Head),
            Cut { head: "a\nb", tail: "", removed: 3, unit: Unit::Bytes }
        );
    }

    #[test]
    fn characters_are_never_split() {
        let text = "é".repeat(100);
        let both = cut(&text, 10, 51, Keep::Both);
        assert_eq!((both.head.len(), both.tail.len()), (26, 24));
    }

    proptest! {
        #[test]
        fn what_stays_fits_and_is_the_ends(text in "[ab\né]{0,60}", lines in 1usize..8, bytes in 1usize..40) {
            for keep in [Keep::Head, Keep::Tail, Keep::Both] {
                match bound(&text, Limits { lines, bytes }, keep) {
                    Bound::Whole(whole) => {
                        prop_assert_eq!(whole, &text);
                        prop_assert!(text.len() <= bytes && text.split('\n').count() <= lines);
                    }
                    Bound::Cut(cut) => {
                        prop_assert!(text.starts_with(cut.head) && text.ends_with(cut.tail));
                        prop_assert!(cut.head.len() + cut.tail.len() <= bytes);
                        prop_assert!(cut.removed > 0);
                        if cut.unit == Unit::Bytes {
                            prop_assert_eq!(cut.removed, text.len() - cut.head.len() - cut.tail.len());
                        }
                    }
                }
            }
        }
    }
}
