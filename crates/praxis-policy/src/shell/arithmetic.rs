//! Arithmetic: where the shell takes a text for a number, it evaluates it, and what it finds in brackets may run.
//!
//! Only numbers, and variables that surely hold one, are harmless.

use super::state::Value;
use super::tree::Node;
use super::walk::{Walker, short};

/// Tests of `[[` that take both sides for numbers.
const COMPARISONS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Walker<'_> {
    /// Text that the shell evaluates: in doubt unless every value in it is a number. Notes what it assigns.
    pub(super) fn arithmetic(&mut self, text: &str) {
        if !self.is_numeric(text) {
            self.doubt(format!("`{}` may run what it finds in a value", short(text)));
        }
        for name in assigned(text) {
            if self.table.is_special(&name) {
                self.state.shadowed.get_or_insert(format!("the variable `{name}`"));
            }
            self.state.set(&name, Some(Value::Number));
        }
    }

    /// A word may set what a later word of the same command takes; that is in doubt.
    pub(super) fn set_between_words(&mut self, source: &str) {
        let inside = source.split("$((").skip(1).map(|part| part.split("))").next().unwrap_or(part));
        // Each with how often it stands there for itself.
        let mut names: Vec<(String, usize)> = inside.flat_map(assigned).map(|name| (name, 0)).collect();
        for part in source.split("${").skip(1) {
            let len = part.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(part.len());
            if part[len..].starts_with('=') || part[len..].starts_with(":=") {
                names.push((part[..len].to_owned(), 1));
            }
        }
        let is_taken = |name: &str, own: usize| {
            let is_value = |(at, _): &(usize, &str)| source[..*at].ends_with(['$', '{', '#', '!']);
            let taken = source.match_indices(name).filter(is_value).count();
            taken > own || (name == "HOME" && source.contains('~')) || self.table.is_special(name)
        };
        if names.iter().any(|(name, own)| is_taken(name, *own)) {
            self.doubt("a word sets what another word of the same command takes");
        }
    }

    /// Does the text hold nothing but numbers, and variables with numbers in them?
    fn is_numeric(&self, text: &str) -> bool {
        let mut rest = text.trim();
        while let Some(sign) = rest.chars().next() {
            let tail = &rest[sign.len_utf8()..];
            let plain = |from: &str| {
                from.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(from.len())
            };
            match sign {
                '0'..='9' => rest = &rest[plain(rest)..],
                'a'..='z' | 'A'..='Z' | '_' => {
                    let len = plain(rest);
                    let after = rest[len..].trim_start();
                    let is_set = after.starts_with('=') && !after.starts_with("==");
                    if is_set {
                        rest = &rest[len..];
                        continue;
                    }
                    if rest[len..].starts_with('[') || !self.holds_number(&rest[..len]) {
                        return false;
                    }
                    rest = &rest[len..];
                }
                '$' => {
                    let Some(len) = self.value_len(tail) else { return false };
                    rest = &tail[len..];
                }
                ' ' | '\t' | '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '^' | '~'
                | '?' | ':' | ',' | '(' | ')' | ';' | '"' => rest = tail,
                _ => return false,
            }
        }
        true
    }

    /// The length of what follows a `$`, if it gives a number.
    fn value_len(&self, tail: &str) -> Option<usize> {
        if tail.starts_with(['#', '?', '$', '!']) {
            return Some(1);
        }
        if let Some(body) = tail.strip_prefix("((") {
            let end = body.find("))")?;
            return self.is_numeric(&body[..end]).then_some(end + 4);
        }
        if let Some(body) = tail.strip_prefix('(') {
            let end = body.rfind(')')?;
            return counts(&body[..end]).then_some(end + 2);
        }
        if let Some(body) = tail.strip_prefix('{') {
            let end = body.find('}')?;
            let name = &body[..end];
            let is_length = name.starts_with('#') && !name.contains(['$', '`', '(']);
            return (is_length || self.holds_number(name)).then_some(end + 2);
        }
        let len = tail.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(tail.len());
        self.holds_number(tail.get(..len)?).then_some(len)
    }

    /// A word as written, with a number in the place of each variable that surely holds one.
    pub(super) fn with_numbers(&self, raw: &str) -> String {
        let is_name = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        // In single quotes a value is none.
        while let Some((before, tail)) = rest.split_once('$').filter(|_| !raw.contains(['\\', '\''])) {
            let bare = tail.strip_prefix('{').and_then(|body| body.split_once('}'));
            let len = tail.find(|sign| !is_name(sign)).unwrap_or(tail.len());
            let (name, behind) = bare.unwrap_or((&tail[..len], &tail[len..]));
            out.push_str(before);
            if name.chars().all(is_name) && self.holds_number(name) {
                out.push('0');
                rest = behind;
            } else {
                out.push('$');
                rest = tail;
            }
        }
        out + rest
    }

    fn holds_number(&self, name: &str) -> bool {
        let value = self.state.variables.get(name).and_then(Option::as_ref);
        value.is_some_and(Value::is_number)
            || matches!(
                name,
                "RANDOM" | "SECONDS" | "LINENO" | "EPOCHSECONDS" | "UID" | "EUID" | "PPID" | "BASHPID"
            )
    }

    /// Is a value, as it is assigned, surely a number?
    pub(super) fn gives_number(&self, raw: &str) -> bool {
        let bare = raw.trim_matches('"');
        let is_one = bare.starts_with('$') && !bare.contains(' ') || bare.starts_with("$(");
        is_one && self.value_len(&bare[1..]) == Some(bare.len() - 1)
    }

    /// `${a[i]}`, `${a:from:to}`, `${!a}`: what of a value is evaluated.
    pub(super) fn expanded(&mut self, source: &str) {
        let Some(body) = source.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else { return };
        let (is_indirect, body) = match body.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, body.strip_prefix('#').unwrap_or(body)),
        };
        let len = body.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(body.len());
        let mut rest = &body[len..];
        let is_list = |rest: &str| rest.starts_with("[@]") || rest.starts_with("[*]");
        if is_indirect && !is_list(rest) && !rest.starts_with(['*', '@']) {
            self.doubt(format!("`{}` takes the name of a variable from a value", short(source)));
        }
        if is_list(rest) {
            rest = &rest[3..];
        } else if rest.starts_with('[') {
            let end = rest.rfind(']').unwrap_or(rest.len());
            self.arithmetic(rest.get(1..end).unwrap_or_default());
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        if let Some(part) = rest.strip_prefix(':').filter(|part| !part.starts_with(['-', '=', '?', '+'])) {
            self.arithmetic(part);
        }
    }

    /// A test: sides that are taken for numbers, and names of variables.
    pub(super) fn compared(&mut self, node: Node<'_>, text: &str) {
        let source = node.text(text);
        let words: Vec<&str> = source.split_whitespace().collect();
        let is_double = source.starts_with("[[");
        for (at, word) in words.iter().enumerate() {
            if is_double && COMPARISONS.contains(word) {
                for side in [at.wrapping_sub(1), at + 1].iter().filter_map(|at| words.get(*at)) {
                    self.arithmetic(side);
                }
            }
            if matches!(*word, "-v" | "-R") {
                let name = words.get(at + 1).copied().unwrap_or_default();
                if !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                    self.doubt(format!("`{word}` may run what it finds in a name"));
                }
            }
        }
    }
}

/// Does a command surely print a number and nothing else?
fn counts(script: &str) -> bool {
    let script = script.trim();
    if script.contains(['`', '$', '&', ';', '\n', '(']) {
        return false;
    }
    let last = script.rsplit('|').next().unwrap_or(script).trim();
    let is_piped = last.len() != script.len();
    match last.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["nproc"] | ["date", "+%s" | "+%N" | "+%Y"] | ["id", "-u" | "-g"] => true,
        ["wc", "-l" | "-c" | "-w" | "-m"] => is_piped,
        ["wc", "-l" | "-c" | "-w" | "-m", "<", _] => true,
        ["grep", "-c", ..] => is_piped,
        _ => false,
    }
}

/// The variables that arithmetic assigns.
pub(super) fn assigned(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at] == b'_' || bytes[at].is_ascii_alphabetic()) {
            at += if bytes[at].is_ascii_digit() {
                bytes[at..].iter().take_while(|b| is_part(**b)).count()
            } else {
                1
            };
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        let before = text[..start].trim_end();
        let after = text[at..].trim_start();
        let is_step = |side: bool| side && !before.ends_with('$');
        let sets = after.starts_with('=') && !after.starts_with("==");
        let changes = ["+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]
            .iter()
            .any(|sign| after.starts_with(sign));
        let steps = after.starts_with("++")
            || after.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--");
        if is_step(sets || changes || steps) {
            out.push(text[start..at].to_owned());
        }
    }
    out
}
