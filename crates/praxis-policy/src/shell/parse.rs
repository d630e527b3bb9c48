//! Reading a script into a tree without letting it take for ever.
//!
//! The grammar takes time, and for pipes memory, that grows with the square of some scripts. Such scripts are refused
//! by what can be counted beforehand, and the rest by a fuse.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser};

use super::tree::{self, Tree};
use super::walk::DEEPEST;

/// Pipe signs of one script, wherever they stand; their cost grows with the square.
const MOST_PIPES: usize = 1_500;
/// Times that one sign of `CROWDS` may stand in a script, if there is little else between.
const MOST_SIGNS: usize = 16_000;
/// Bytes to each of so many signs that nobody writes by hand.
const FEWEST_BYTES: usize = 6;
/// Signs that cost the grammar much each: ends of commands, values, groups, redirections.
const CROWDS: [u8; 6] = *b"\n;&${<";
/// Time for any script.
const LEAST_TIME: Duration = Duration::from_millis(150);
/// More time for longer ones. The parser is slow where it is not optimised.
const TIME_PER_BYTE: Duration = Duration::from_micros(if cfg!(debug_assertions) { 20 } else { 1 });

/// Ends the reading of scripts that take too long; the only clock in here, and it can only lead to a question.
pub(super) struct Fuse(Instant);

impl Fuse {
    /// A fuse for a whole analysis of a script of this length.
    pub(super) fn new(bytes: usize) -> Self {
        let more = TIME_PER_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX));
        Self(Instant::now() + LEAST_TIME + more)
    }
}

/// The tree of a script, or why there is none.
pub(super) fn tree(text: &str, fuse: &Fuse) -> Result<Tree, &'static str> {
    if is_knotted(text) {
        return Err("the script is nested too deep or has too many pipes");
    }
    if is_crowded(text) {
        return Err("the script has more commands or values than can be read");
    }
    let mut parser = Parser::new();
    if parser.set_language(tree::grammar()).is_err() {
        return Err("the script cannot be parsed");
    }
    let bytes = masked(text);
    let mut burnt = |_: &_| match Instant::now() > fuse.0 {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut burnt);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let parsed = parser.parse_with_options(&mut read, None, Some(options));
    parsed.map(|parsed| Tree::of(&parsed)).ok_or("the script takes too long to read")
}

/// Are there more openings or pipes than anybody writes? Quotes are not looked at.
fn is_knotted(text: &str) -> bool {
    let (mut round, mut square, mut pipes) = (0_usize, 0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' => round += 1,
            b')' => round = round.saturating_sub(1),
            b'[' => square += 1,
            b']' => square = square.saturating_sub(1),
            b'|' => pipes += 1,
            _ => continue,
        }
        if round > 2 * DEEPEST || square > 2 * DEEPEST || pipes > MOST_PIPES {
            return true;
        }
    }
    false
}

/// Is it a heap of tiny commands or values? Quotes are not looked at.
fn is_crowded(text: &str) -> bool {
    let most = MOST_SIGNS.max(text.len() / FEWEST_BYTES);
    text.len() > most && CROWDS.iter().any(|sign| text.bytes().filter(|byte| byte == sign).count() > most)
}

/// The script with a plain letter for every byte beyond ASCII.
///
/// To the shell they are letters. The scanner of the grammar, in C, asks tables about them that end at 255, and may
/// take some for spaces.
fn masked(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_pipes_as_allowed_are_read_and_one_more_is_not() {
        let fuse = Fuse::new(1_000_000);
        assert!(tree(&"ls | ls\n".repeat(MOST_PIPES), &fuse).is_ok());
        assert!(tree(&"ls | ls\n".repeat(MOST_PIPES + 1), &fuse).is_err());
    }

    #[test]
    fn as_many_tiny_commands_as_allowed_are_read_and_one_more_is_not() {
        let fuse = Fuse::new(10_000_000);
        for unit in ["f;", "f\n", "f&", "$a "] {
            assert!(tree(&unit.repeat(MOST_SIGNS), &fuse).is_ok(), "{unit}");
            assert!(tree(&unit.repeat(MOST_SIGNS + 1), &fuse).is_err(), "{unit}");
        }
    }

    #[test]
    fn a_burnt_fuse_ends_the_reading() {
        let fuse = Fuse(Instant::now());
        assert_eq!(tree(&"ls -la;".repeat(10_000), &fuse).err(), Some("the script takes too long to read"));
    }
}
