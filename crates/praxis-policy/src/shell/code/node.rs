//! JavaScript: its words, and its ways to reach something by a computed name.
//!
//! The text is not taken apart into strings and code. What is kept out of it is kept out everywhere, so that no string
//! and no template is a hiding place.

use super::Reading;
use super::table::Table;

/// Names that begin like hidden ones and are harmless.
const OPEN: &[&str] = &["_", "__dirname", "__filename"];
/// Words of the language behind which a bracket begins a list.
const BEFORE_LIST: &[&str] = &["const", "var", "return", "in", "typeof", "case"];
/// Words of the language that are no name of a value.
const WORDS: &[&str] = &[
    "return",
    "in",
    "typeof",
    "case",
    "await",
    "yield",
    "void",
    "delete",
    "instanceof",
    "new",
    "throw",
    "else",
    "do",
    "const",
    "let",
    "var",
    "of",
    "extends",
    "default",
    "export",
    "static",
    "async",
    "get",
    "set",
];
/// Modules whose names are addresses too.
const ADDRESSES: &[&str] = &["http", "https"];

/// What the code does, if all of it is known.
pub(super) fn read(code: &str) -> Option<Reading> {
    let table = &Table::get().node;
    if !super::is_plain(code) || has_comment(code) || has_escape(code) {
        return None;
    }
    let is_kept_out =
        |word: &str| table.never.contains(word) || (word.starts_with('_') && !OPEN.contains(&word));
    // `'con\structor'` is a word to a string.
    if super::words(code).any(is_kept_out) || super::words(&code.replace('\\', "")).any(is_kept_out) {
        return None;
    }
    let mut loads = Vec::new();
    for (at, word) in placed(code) {
        let (before, rest) = (&code[..at], &code[at + word.len()..]);
        if word == "require" {
            let loaded = required(before, rest)?;
            if loaded.starts_with('.') {
                loads.push(loaded.to_owned());
            }
        } else if ADDRESSES.contains(&word) && !rest.starts_with("://") {
            return None;
        } else if let Some(names) = table.modules.get(word) {
            let is_loaded = is_quoted(before, rest) || is_named_like_it(word, rest);
            let name = member(rest);
            if !is_loaded && !name.is_some_and(|name| names.contains(name)) {
                return None;
            }
        }
    }
    let brackets = code.char_indices().filter(|(_, sign)| matches!(sign, '[' | ']'));
    for (at, sign) in brackets {
        let (before, rest) = (&code[..at], &code[at + 1..]);
        let is_plain = if sign == '[' {
            begins_list(before) || is_plain_index(rest)
        } else {
            // `{[key]: value} = object` takes a value by a computed name.
            !rest.trim_start().starts_with(':')
        };
        if !is_plain {
            return None;
        }
    }
    let touches = super::words(code).any(|word| table.files.contains(word));
    Some(Reading { touches, loads })
}

/// Every word with its place.
fn placed(code: &str) -> impl Iterator<Item = (usize, &str)> {
    super::words(code).map(|word| (word.as_ptr().addr() - code.as_ptr().addr(), word))
}

/// Comments part what belongs together. An address in a string is none, and behind a colon no value ends.
fn has_comment(code: &str) -> bool {
    ["/*", "<!--", "-->"].iter().any(|sign| code.contains(sign))
        || code.match_indices("//").any(|(at, _)| !code[..at].ends_with(':'))
}

/// Is there an escape that spells a letter?
fn has_escape(code: &str) -> bool {
    code.match_indices('\\').any(|(at, _)| {
        let next = code[at + 1..].chars().next();
        next.is_none_or(|next| matches!(next, 'u' | 'x' | '\n') || next.is_ascii_digit())
    })
}

/// `('./x')` behind `require`: what is loaded, if it is the project's own or harmless.
fn required<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    let inner = rest.trim_start().strip_prefix('(')?.trim_start();
    let quote = inner.chars().next().filter(|sign| matches!(sign, '\'' | '"'))?;
    let (name, after) = inner[1..].split_once(quote)?;
    let after = after.trim_start().strip_prefix(')')?;
    if name.contains(['\\', '\n']) || before.trim_end().ends_with('.') {
        return None;
    }
    if name.starts_with("./") || name.starts_with("../") {
        return Some(name);
    }
    let table = &Table::get().node;
    let module = name.strip_prefix("node:").unwrap_or(name);
    let names = table.modules.get(module);
    // A module that has more than what is harmless is called by its name, or left at once.
    let is_left = names.is_none_or(|names| {
        member(after).is_some_and(|name| names.contains(name))
            || before.trim_end().strip_suffix('=').is_some_and(|to| {
                let to = to.trim_end();
                to.strip_suffix(module).is_some_and(|to| to.ends_with(' '))
            })
    });
    (table.plain.contains(module) && is_left).then_some(name)
}

/// Is the word all that stands in its quotes, as in `require('crypto')`?
fn is_quoted(before: &str, rest: &str) -> bool {
    let before = before.strip_suffix("node:").unwrap_or(before);
    let is_quote = |sign: &char| matches!(sign, '\'' | '"');
    let (opening, closing) = (before.chars().next_back(), rest.chars().next());
    opening.filter(is_quote).is_some() && opening == closing
}

/// Does the word begin `crypto = require('crypto')`?
fn is_named_like_it(word: &str, rest: &str) -> bool {
    let rest = rest.trim_start().strip_prefix('=').map(str::trim_start);
    rest.and_then(|rest| rest.strip_prefix("require(")).is_some_and(|rest| {
        let name = rest.get(1..).unwrap_or_default();
        name.strip_prefix("node:").unwrap_or(name).starts_with(word)
    })
}

/// The name behind a dot.
fn member(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.'))?.trim_start();
    let end = rest.find(|sign: char| !super::is_letter(sign) && sign != '$').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Does a bracket behind this text begin a list, and not take a member of a value?
fn begins_list(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    let before = before.trim_end();
    let Some(last) = before.chars().next_back() else { return true };
    if super::is_letter(last) {
        let word = last_word(before);
        let outer = &before[..before.len() - word.len()];
        let is_word = !outer.trim_end().ends_with(['.', '#', '$']) && BEFORE_LIST.contains(&word);
        // `for (x of [1, 2])`; by itself it is a name like any other.
        let named = outer.trim_end_matches([' ', '\t']);
        let is_of = word == "of"
            && line.len() == before.len()
            && named.len() < outer.len()
            && named.ends_with(|sign: char| super::is_letter(sign) || sign == ']')
            && !WORDS.contains(&last_word(named));
        // Elsewhere it is a name, too.
        let starts = outer.trim_end();
        let is_let = word == "let"
            && (starts.is_empty() || ["for(", "for (", ";"].iter().any(|sign| starts.ends_with(sign)));
        return is_word || is_of || is_let;
    }
    matches!(last, '(' | ',' | '=' | '[' | '{' | ';' | ':' | '&' | '|')
        || before.ends_with("=>")
        || before.ends_with("...")
}

fn last_word(text: &str) -> &str {
    let start = text.rfind(|sign: char| !super::is_letter(sign));
    start.map_or(text, |at| &text[at + text[at..].chars().next().map_or(1, char::len_utf8)..])
}

/// Is what follows a bracket a number or a text as it stands?
fn is_plain_index(rest: &str) -> bool {
    let Some((index, _)) = rest.split_once(']') else { return false };
    let index = index.trim();
    let is_text = |quote: char| {
        index
            .strip_prefix(quote)
            .and_then(|index| index.strip_suffix(quote))
            .is_some_and(|text| !text.contains(['\'', '"', '`', '\\', '\n', '[']) && !text.is_empty())
    };
    let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    is_number || is_text('\'') || is_text('"')
}

#[cfg(test)]
mod tests;
