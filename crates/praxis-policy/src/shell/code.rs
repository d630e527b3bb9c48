//! Code in arguments and in heredocs, in the languages of interpreters: known whole, or in doubt.
//!
//! Most of what a coding agent runs that way only computes and prints. To tell it from the rest, every word of the code
//! is looked up in `code.txt`. What is not let in there, or not understood, leaves the code in doubt, as if nobody had
//! looked.

mod node;
mod perl;
mod python;
mod table;

use super::feed::Feed;
use super::word::{Resolved, Sweep};
use super::{About, Doubt};

/// Letters of Python's options that change nothing of what the code means.
const PYTHON_FLAGS: &str = "BEIOPSbqsuv";
/// Options of Python with a value, and the values that change nothing of it either.
const PYTHON_VALUED: &[(&str, &[&str])] = &[
    ("W", &["error", "ignore", "default", "always", "once", "module"]),
    ("X", &["utf8", "dev", "importtime", "faulthandler"]),
];
/// Options of Node before its code that change nothing of what that means.
const NODE_FLAGS: &[&str] = &[
    "--no-warnings",
    "--no-deprecation",
    "--trace-warnings",
    "--input-type=module",
    "--input-type=commonjs",
];
/// Longer code is not read.
const LONGEST: usize = 64 * 1_024;

/// Code of which every word is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// Does it read or write files that it names itself?
    touches: bool,
    /// Files that it loads, as written.
    pub(super) loads: Vec<String>,
    /// Where the words behind the options and the code begin.
    pub(super) rest: usize,
    /// What it does with these.
    pub(super) operands: Operands,
}

/// What code does with the words behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// It may look at them.
    Plain,
    /// They are files that it reads.
    Read,
    /// They are files that it reads and writes anew.
    Write,
}

/// What one text of code does.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reading {
    touches: bool,
    loads: Vec<String>,
}

impl Known {
    fn new(reading: Reading, rest: usize) -> Self {
        Self { touches: reading.touches, loads: reading.loads, rest, operands: Operands::Plain }
    }

    /// What of the command is not known in spite of it.
    pub(super) fn doubt(&self, name: &str) -> Option<Doubt> {
        let touches = self.touches || self.operands == Operands::Write;
        let text = || format!("`{name}` with code that reads or writes files");
        touches.then(|| Doubt { about: About::Files, text: text() })
    }
}

/// The code that the command runs, if it is given some and all of it is known.
pub(super) fn of(name: &str, words: &[Resolved], feed: Option<&Feed>) -> Option<Known> {
    match name {
        "python" | "python2" | "python3" | "pypy" | "pypy3" => python_command(words, feed),
        "node" | "nodejs" => node_command(words, feed),
        "bun" => node_command(words, None),
        "perl" => perl::command(words),
        _ => None,
    }
}

fn python_command(words: &[Resolved], feed: Option<&Feed>) -> Option<Known> {
    let fed = |rest: usize| match feed {
        Some(Feed::Text(text)) => Some(Known::new(python::read(text)?, rest)),
        _ => None,
    };
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((at, word)) = rest.next() {
        let flags = known(word)?.strip_prefix('-')?;
        if let Some((flag, values)) = PYTHON_VALUED.iter().find(|(flag, _)| flags.starts_with(*flag)) {
            let inside = &flags[flag.len()..];
            let value = if inside.is_empty() { known(rest.next()?.1)? } else { inside };
            if !values.contains(&value) {
                return None;
            }
            continue;
        }
        let are_plain = |flags: &str| flags.chars().all(|flag| PYTHON_FLAGS.contains(flag));
        match flags.split_once('c') {
            _ if flags.is_empty() => return fed(at + 1),
            Some((before, "")) if are_plain(before) => {
                let code = known(words.get(at + 1)?)?;
                return Some(Known::new(python::read(code)?, at + 2));
            }
            Some((before, code)) if are_plain(before) => {
                return Some(Known::new(python::read(code)?, at + 1));
            }
            None if are_plain(flags) => {}
            _ => return None,
        }
    }
    fed(words.len())
}

fn node_command(words: &[Resolved], feed: Option<&Feed>) -> Option<Known> {
    let is_flag = |word: &&Resolved| known(word).is_some_and(|text| NODE_FLAGS.contains(&text));
    let flags = words.iter().skip(1).take_while(is_flag).count();
    let fed = |rest: usize| match feed {
        Some(Feed::Text(text)) => Some(Known::new(node::read(text)?, rest)),
        _ => None,
    };
    let (flag, code, rest) = match &words[1 + flags..] {
        [] => return fed(words.len()),
        [dash, ..] if known(dash)? == "-" => return fed(flags + 2),
        [flag, code, rest @ ..] => (flag, code, rest),
        _ => return None,
    };
    if !matches!(known(flag)?, "-e" | "-p" | "-pe" | "--eval" | "--print") {
        return None;
    }
    let code = known(code).filter(|code| !code.starts_with('-'))?;
    // An option behind the code is one of the interpreter, up to the first word that is none.
    if rest.first().is_some_and(|word| known(word).is_none_or(|text| text.starts_with('-') && text != "--")) {
        return None;
    }
    Some(Known::new(node::read(code)?, flags + 3))
}

/// The text of a word that stands for nothing but itself.
fn known(word: &Resolved) -> Option<&str> {
    let is_itself = word.is_static && word.glob.is_none() && word.sweep == Sweep::Named;
    is_itself.then_some(word.text.as_str())
}

/// Is it short enough to be read, with only signs that mean the same to every reader?
///
/// Letters beyond ASCII are not: Python takes many of them for the ASCII letters that they look like.
fn is_plain(code: &str) -> bool {
    let is_symbol = |sign: char| {
        matches!(sign, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{203e}' | '\u{2190}'..='\u{27bf}')
            && !sign.is_alphanumeric()
    };
    code.len() <= LONGEST
        && code.chars().all(|sign| matches!(sign, ' '..='~' | '\n' | '\t') || is_symbol(sign))
}

/// Everything in a text that could be a name, strings and comments included.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !is_letter(sign))
        .map(|word| match word.starts_with(|sign: char| sign.is_ascii_digit()) {
            true => word.trim_start_matches(|sign: char| sign == '_' || sign.is_ascii_digit()),
            false => word,
        })
        .filter(|word| !word.is_empty())
}

fn is_letter(sign: char) -> bool {
    sign == '_' || sign.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Vec<Resolved> {
        words.iter().map(|word| Resolved::fixed(word)).collect()
    }

    fn is_known(words: &[&str]) -> bool {
        of(words[0], &line(words), None).is_some()
    }

    #[test]
    fn code_is_found_behind_known_options_only() {
        for words in [
            &["python3", "-c", "1"][..],
            &["python3", "-Ic", "1"],
            &["python3", "-I", "-B", "-c", "1", "--x", "y"],
            &["python3", "-c1"],
            &["python3", "-W", "error", "-Xutf8", "-c", "1"],
            &["node", "-e", "1"],
            &["node", "--no-warnings", "--input-type=module", "-e", "1"],
            &["node", "--print", "1", "a", "-r"],
            &["bun", "-pe", "1", "--", "-r"],
        ] {
            assert!(is_known(words), "{words:?}");
        }
        for words in [
            &["python3", "-ic", "1"][..],
            &["python3", "-W", "x", "-c", "1"],
            &["python3", "-X", "x", "-c", "1"],
            &["python3", "-W", "error"],
            &["python3", "-W"],
            &["node", "--no-warnings", "x.js"],
            &["node", "--import=./x", "-e", "1"],
            &["node"],
            &["python3", "-mtimeit", "-c", "1"],
            &["python3", "x.py", "-c", "1"],
            &["python3", "-c"],
            &["python3", "--c", "1"],
            &["python3"],
            &["node", "-r", "./x", "-e", "1"],
            &["node", "-e", "1", "-r", "./x"],
            &["node", "-e", "1", "--require=./x"],
            &["node", "-e", "-p"],
            &["node", "-e"],
            &["node", "x.js"],
            &["deno", "-e", "1"],
            &["ruby", "-e", "1"],
        ] {
            assert!(!is_known(words), "{words:?}");
        }
    }

    #[test]
    fn code_made_of_what_is_not_known_is_in_doubt() {
        let with = |word: Resolved| vec![Resolved::fixed("python3"), Resolved::fixed("-c"), word];
        let found = Resolved { sweep: Sweep::Few, ..Resolved::fixed("1") };
        let glob = Resolved { glob: Some(0), ..Resolved::fixed("1") };
        for word in [Resolved::unknown("$x"), found, glob] {
            assert_eq!(of("python3", &with(word), None), None);
        }
    }

    #[test]
    fn code_from_the_input_is_read_too() {
        let text = |text: &str| Some(Feed::Text(text.to_owned()));
        assert!(of("python3", &line(&["python3"]), text("print(1)\n").as_ref()).is_some());
        assert!(of("python3", &line(&["python3", "-", "x"]), text("print(1)\n").as_ref()).is_some());
        assert!(of("node", &line(&["node", "-", "x"]), text("console.log(1)\n").as_ref()).is_some());
        assert_eq!(of("node", &line(&["node"]), text("eval(1)\n").as_ref()), None);
        assert_eq!(of("node", &line(&["node", "x.js"]), text("console.log(1)\n").as_ref()), None);
        assert_eq!(of("python3", &line(&["python3", "-"]), text("exec(1)\n").as_ref()), None);
        assert_eq!(of("python3", &line(&["python3", "x.py"]), text("print(1)\n").as_ref()), None);
    }
}
