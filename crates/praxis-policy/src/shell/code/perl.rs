//! Perl, as it is used to print and to replace lines: a small part of the language, and nothing besides.

use super::{Known, Operands, Reading, known};
use crate::shell::word::{Resolved, Sweep};

/// Signs that may part a pattern from what takes its place.
const DELIMITERS: &str = "/|,!~%:;#^+";

/// The code of a `perl` command, if its options and all of its code are known.
pub(super) fn command(words: &[Resolved]) -> Option<Known> {
    let mut options = Options::default();
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        let text = known(word)?;
        at += 1;
        if text == "--" {
            break;
        }
        if options.take(&text[1..])? {
            options.code.push(known(words.get(at)?)?);
            at += 1;
        }
    }
    if options.code.is_empty() {
        return None;
    }
    let mut reader = Reader { rest: &options.code.join("\n") };
    reader.program()?;
    let operands = match (options.loops, options.in_place) {
        (true, true) => Operands::Write,
        (true, false) => Operands::Read,
        (false, _) => Operands::Plain,
    };
    let are_files = operands == Operands::Plain || words[at..].iter().all(is_file);
    are_files.then(|| Known { operands, ..Known::new(Reading::default(), at) })
}

#[derive(Default)]
struct Options<'w> {
    code: Vec<&'w str>,
    loops: bool,
    in_place: bool,
}

impl<'w> Options<'w> {
    /// Takes one word of letters; says whether its code is in the next one.
    fn take(&mut self, letters: &'w str) -> Option<bool> {
        let mut rest = letters;
        if rest.is_empty() {
            return None;
        }
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            match letter {
                // The third splits lines, and so reads them.
                'n' | 'p' | 'a' => self.loops = true,
                'l' | '0' => rest = rest.trim_start_matches(|sign: char| sign.is_ascii_digit()),
                'i' => {
                    self.in_place = true;
                    let is_ending = |sign: char| sign.is_ascii_alphanumeric() || "._~-".contains(sign);
                    return rest.chars().all(is_ending).then_some(false);
                }
                'F' => {
                    self.loops = true;
                    // In quotes and slashes it is code.
                    let is_separator =
                        |sign: char| sign.is_ascii_alphanumeric() || ",:;|\\+= -_\t".contains(sign);
                    return (!rest.is_empty() && rest.chars().all(is_separator)).then_some(false);
                }
                'e' if rest.is_empty() => return Some(true),
                'e' => {
                    self.code.push(rest);
                    return Some(false);
                }
                _ => return None,
            }
        }
        Some(false)
    }
}

/// Is the operand a file whatever it is? Perl runs `x |` and `| x`, and writes to `> x`.
fn is_file(word: &Resolved) -> bool {
    let text = word.text.as_str();
    let ends = |sign: char| sign.is_ascii_alphanumeric() || "./_-~@+".contains(sign);
    let begins = |sign: char| sign.is_ascii_alphanumeric() || "./_~@".contains(sign);
    word.is_static
        && word.sweep == Sweep::Named
        && (text == "-" || text.starts_with(begins) && text.ends_with(ends))
}

/// Reads the code from its begin to its end.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn program(&mut self) -> Option<()> {
        loop {
            while self.sign(";") {}
            if self.at_end() {
                return Some(());
            }
            self.statement()?;
            if !self.sign(";") && !self.at_end() {
                return None;
            }
        }
    }

    fn at_end(&mut self) -> bool {
        self.space();
        self.rest.is_empty()
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
    }

    /// Takes a sign, if it comes next.
    fn sign(&mut self, sign: &str) -> bool {
        self.space();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Takes a whole word, if it comes next.
    fn word(&mut self, word: &str) -> bool {
        self.space();
        let after = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(super::is_letter));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// One of the words or signs that join two conditions, or a condition and an act.
    fn joint(&mut self) -> bool {
        self.word("and") || self.word("or") || self.sign("&&") || self.sign("||")
    }

    /// An act with its condition before or behind it.
    fn statement(&mut self) -> Option<()> {
        if self.act()? {
            if self.word("if") || self.word("unless") {
                self.condition()?;
                while self.joint() {
                    self.condition()?;
                }
            }
            return Some(());
        }
        self.condition()?;
        while self.joint() {
            if self.act()? {
                return Some(());
            }
            self.condition()?;
        }
        Some(())
    }

    fn act(&mut self) -> Option<bool> {
        self.space();
        if self.word("print") {
            self.printed()?;
        } else if self.word("next") || self.word("last") {
        } else if self.delimited("s") {
            self.substitution()?;
        } else if self.delimited("tr") || self.delimited("y") {
            let delimiter = self.delimiter()?;
            self.part(delimiter)?;
            self.part(delimiter)?;
            self.flags("cdsr")?;
        } else {
            return Some(false);
        }
        Some(true)
    }

    /// Takes the name of an act that a delimiter follows.
    fn delimited(&mut self, name: &str) -> bool {
        let is_next = |rest: &&str| rest.starts_with(|sign| DELIMITERS.contains(sign));
        let after = self.rest.strip_prefix(name).filter(is_next);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn delimiter(&mut self) -> Option<char> {
        let delimiter = self.rest.chars().next().filter(|sign| DELIMITERS.contains(*sign))?;
        self.rest = &self.rest[1..];
        Some(delimiter)
    }

    /// What stands before the next delimiter.
    fn part(&mut self, delimiter: char) -> Option<&'t str> {
        let mut signs = self.rest.char_indices();
        while let Some((at, sign)) = signs.next() {
            if sign == '\\' {
                signs.next()?;
            } else if sign == delimiter {
                let part = &self.rest[..at];
                self.rest = &self.rest[at + 1..];
                return Some(part);
            }
        }
        None
    }

    /// Letters right behind a delimiter, all of which must be known.
    fn flags(&mut self, known: &str) -> Option<()> {
        let end = self.rest.find(|sign: char| !super::is_letter(sign)).unwrap_or(self.rest.len());
        let (flags, rest) = self.rest.split_at(end);
        // `s/a/b/if 1`: a word may stand there without a space.
        self.rest = rest;
        flags.chars().all(|flag| known.contains(flag)).then_some(())
    }

    fn substitution(&mut self) -> Option<()> {
        let delimiter = self.delimiter()?;
        let pattern = self.part(delimiter)?;
        let replacement = self.part(delimiter)?;
        self.flags("gimsxo")?;
        (is_pattern(pattern) && is_text(replacement, false)).then_some(())
    }

    fn pattern(&mut self) -> Option<()> {
        if !self.sign("/") {
            return None;
        }
        let pattern = self.part('/')?;
        self.flags("gimsxo")?;
        // An empty one means the last one that matched.
        is_pattern(pattern).then_some(())
    }

    /// What `print` prints: nothing named, or values joined by signs.
    fn printed(&mut self) -> Option<()> {
        self.space();
        let ends = self.rest.is_empty() || self.rest.starts_with([';']) || self.is_modifier();
        if ends {
            return Some(());
        }
        loop {
            self.value()?;
            if !self.sign(",") && !self.sign(".") {
                return Some(());
            }
        }
    }

    fn is_modifier(&self) -> bool {
        ["if", "unless"]
            .iter()
            .any(|word| self.rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(super::is_letter)))
    }

    /// A variable that is always there, or a text.
    fn value(&mut self) -> Option<()> {
        self.space();
        if let Some(len) = variable(self.rest) {
            self.rest = &self.rest[len..];
            return Some(());
        }
        if self.sign("\"") {
            let text = self.part('"')?;
            return is_text(text, true).then_some(());
        }
        if self.sign("'") {
            let text = self.part('\'')?;
            return (!text.contains('\\')).then_some(());
        }
        None
    }

    fn number(&mut self) -> Option<()> {
        self.space();
        let rest = self.rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let is_number = rest.len() < self.rest.len() && !rest.starts_with(super::is_letter);
        self.rest = rest;
        is_number.then_some(())
    }

    fn condition(&mut self) -> Option<()> {
        self.space();
        if self.sign("!") || self.word("not") {
            return self.pattern();
        }
        if self.rest.starts_with('/') {
            return self.pattern();
        }
        if self.rest.starts_with(|sign: char| sign.is_ascii_digit()) {
            self.number()?;
            return if self.sign("..") { self.number() } else { None };
        }
        if !self.rest.starts_with('$') {
            return None;
        }
        self.value()?;
        if self.sign("=~") || self.sign("!~") {
            self.space();
            return self.pattern();
        }
        if ["eq", "ne", "lt", "gt", "le", "ge"].iter().any(|word| self.word(word)) {
            return self.value();
        }
        if ["==", "!=", "<=", ">=", "<", ">"].iter().any(|sign| self.sign(sign)) {
            return self.number();
        }
        None
    }
}

/// The length of a variable that is always there and means no more than its value.
fn variable(text: &str) -> Option<usize> {
    let name = text.strip_prefix('$')?;
    let len = match name.chars().next()? {
        '_' | '.' | '&' => 1,
        '1'..='9' => name.len() - name.trim_start_matches(|sign: char| sign.is_ascii_digit()).len(),
        'F' => {
            let index = name.strip_prefix("F[")?;
            let (index, _) = index.split_once(']')?;
            let digits = index.strip_prefix('-').unwrap_or(index);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then_some(index.len() + 3)?
        }
        _ => return None,
    };
    let rest = &name[len..];
    let goes_on = rest.starts_with(['[', '{', '\'']) || rest.starts_with("->") || rest.starts_with("::");
    // `$_x` and `$.x` are other variables, or none.
    let is_longer = name.starts_with('_') && rest.starts_with(super::is_letter);
    (!goes_on && !is_longer).then_some(len + 1)
}

/// Is it a pattern that runs nothing and takes no variable?
fn is_pattern(text: &str) -> bool {
    let runs = ["?{", "*{", "(*", "p{", "P{", "N{", "@"].iter().any(|sign| text.contains(sign));
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([')', '|']);
    !runs && super::is_plain(text) && unescaped(text, '$').all(|at| is_end(&text[at + 1..]))
}

/// Is it a text that takes in nothing but what was found, or with `all` the line and its parts?
fn is_text(text: &str, all: bool) -> bool {
    let is_taken = |at: usize| {
        let is_found = text[at + 1..].starts_with(|sign: char| matches!(sign, '&' | '1'..='9'));
        (all || is_found) && variable(&text[at..]).is_some()
    };
    let is_escape = |at: usize| {
        text[at + 1..].starts_with(|sign: char| "ntr\\/$@\"'.|,:;&*+()[]{}ULEul#!-".contains(sign))
    };
    unescaped(text, '@').next().is_none()
        && unescaped(text, '$').all(is_taken)
        && unescaped(text, '\\').all(is_escape)
}

/// Places of a sign that no backslash stands before; those of a backslash are the ones that begin an escape.
fn unescaped(text: &str, wanted: char) -> impl Iterator<Item = usize> {
    let mut escaped = false;
    text.char_indices().filter_map(move |(at, sign)| {
        let counts = !escaped && sign == wanted;
        escaped = !escaped && sign == '\\';
        counts.then_some(at)
    })
}

#[cfg(test)]
mod tests;
