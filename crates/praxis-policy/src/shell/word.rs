//! One word of a script: quotes, escapes, tildes, braces and known variables resolved as the shell would.

use super::state::Value;

/// Words that one brace expansion may give; more is called dynamic.
const MOST_WORDS: usize = 256;
/// Braces inside braces.
const DEEPEST_BRACE: usize = 16;

/// What a word needs to know of the script around it.
pub(super) trait Scope {
    /// The value of a variable, where it is known.
    fn variable(&self, name: &str) -> Option<Value>;
    /// The home folder of a user, or the own one for an empty name.
    fn home(&self, user: &str) -> Option<String>;
}

/// How much a word stands for that was handed over by a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sweep {
    /// What it names: no search is in play.
    #[default]
    Named,
    /// Some of what is below it, picked by a test.
    Few,
    /// All that is below it.
    All,
}

/// A word after expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    /// The value, or the source if it is not known.
    pub(super) text: String,
    /// Is the value known, but for what a glob would match?
    pub(super) is_static: bool,
    /// Where the first active glob sign stands.
    pub(super) glob: Option<usize>,
    /// Is it unknown, but surely a number or a pipe, and so no file that matters?
    pub(super) tame: bool,
    /// Does it stand for what a search finds there?
    pub(super) sweep: Sweep,
}

impl Resolved {
    pub(super) fn fixed(text: &str) -> Self {
        Self { text: text.to_owned(), is_static: true, glob: None, tame: false, sweep: Sweep::Named }
    }

    pub(super) fn unknown(raw: &str) -> Self {
        let is_number =
            matches!(raw, "$?" | "$#" | "$$" | "$!") || (raw.starts_with("$((") && is_one_group(raw));
        let is_pipe = (raw.starts_with("<(") || raw.starts_with(">(")) && is_one_group(raw);
        let tame = is_number || is_pipe;
        Self { text: raw.to_owned(), is_static: false, glob: None, tame, sweep: Sweep::Named }
    }
}

/// Does the first bracket of the word end with the word? `$((1))/../$((2))` is no number.
pub(super) fn is_one_group(raw: &str) -> bool {
    let mut level = 0_usize;
    let mut rest = raw.char_indices();
    while let Some((at, sign)) = rest.next() {
        match sign {
            '\\' => _ = rest.next(),
            '\'' | '"' => {
                let Some((end, _)) = rest.find(|(_, other)| *other == sign) else { return false };
                if sign == '"' && raw[at..end].contains(['`', '(', '\\']) {
                    return false;
                }
            }
            '(' => level += 1,
            ')' if level == 1 => return at + 1 == raw.len(),
            ')' => level = level.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Would the text run a command where the shell takes it for the name of a variable or a number?
pub(super) fn runs_in_brackets(text: &str) -> bool {
    text.split_once('[').is_some_and(|(_, rest)| rest.contains("$(") || rest.contains('`'))
}

/// Is a word that is not known surely one word, whatever is in it? Then everything unknown stands in double quotes.
pub(super) fn is_one(raw: &str) -> bool {
    let mut in_double = false;
    let mut rest = raw.chars().peekable();
    while let Some(sign) = rest.next() {
        match sign {
            '\\' => _ = rest.next(),
            '"' => in_double = !in_double,
            '\'' if !in_double => while rest.next().is_some_and(|c| c != '\'') {},
            '$' | '`' if !in_double => return false,
            // `"$@"` and `"${x[@]}"` are as many as they like.
            '@' => return false,
            '*' | '?' | '[' | '{' | '~' if !in_double => return false,
            // What stands in a substitution has quotes of its own, but gives one word in these.
            '$' if rest.peek() == Some(&'(') => {
                let are_outermost = raw.starts_with('"') || raw.matches('"').count() == 2;
                return raw.ends_with(")\"") && are_outermost;
            }
            _ => {}
        }
    }
    true
}

/// Is it a known option with a value of its own, or one that only takes a number?
pub(super) fn is_valued_option(raw: &str) -> bool {
    let bare = raw.replace('"', "");
    let is_number = ["$(nproc)", "$((", "$#", "$?"].iter().any(|value| {
        bare.split_once(value).is_some_and(|(flag, _)| flag.starts_with('-') && !flag.contains(['$', '`']))
    });
    let is_long = raw.starts_with("--")
        && raw.split_once('=').is_some_and(|(flag, _)| !flag.contains(['$', '`', '"', '\'']));
    (is_number && !bare.contains(' ')) || (is_long && is_one(raw))
}

/// Is it the working folder or the top of its repository?
pub(super) fn is_here(raw: &str) -> bool {
    matches!(raw.trim_matches('"'), "$(git rev-parse --show-toplevel)" | "$(pwd)" | "$PWD" | "${PWD}")
}

/// Is it the name of a commit, as git itself gives it?
fn is_commit(raw: &str) -> bool {
    let bare = raw.trim_matches('"');
    let Some(script) = bare.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    let words: Vec<&str> = script.split(' ').collect();
    let plain = |word: &&str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._~^".contains(&b));
    match words.as_slice() {
        ["git", "merge-base", rest @ ..] | ["git", "rev-parse", "--verify", rest @ ..] => {
            rest.iter().all(plain)
        }
        ["git", "rev-parse", "HEAD"] | ["git", "rev-parse", "--short", "HEAD"] => true,
        _ => false,
    }
}

/// Is it one word, and surely no option?
pub(super) fn is_operand(raw: &str) -> bool {
    if is_commit(raw) {
        return true;
    }
    const ABSOLUTE: &[&str] =
        &["\"$(git rev-parse --show-toplevel)", "\"$(pwd)", "\"$PWD", "\"$HOME", "\"${HOME}"];
    let first = raw.trim_start_matches('"').chars().next();
    let is_literal =
        first.is_some_and(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '/' | '_'));
    is_one(raw) && (is_literal || ABSOLUTE.iter().any(|start| raw.starts_with(start)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    sign: char,
    quoted: bool,
}

/// Expands one word as written. `None` from the lexer means that the value cannot be known.
pub(super) fn resolve(raw: &str, scope: &dyn Scope) -> Vec<Resolved> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,+@%=".contains(&byte) || byte >= 0x80;
    if !raw.is_empty() && raw.bytes().all(plain) {
        return vec![Resolved::fixed(raw)];
    }
    if has_quoted_tilde(raw) {
        return vec![Resolved::unknown(raw)];
    }
    let Some(cells) = lex(raw, scope) else { return vec![Resolved::unknown(raw)] };
    // `{1''..2}` is no sequence.
    let has_brace = cells.iter().any(|cell| cell.sign == '{' && !cell.quoted);
    if has_brace && raw.contains("..") && raw.contains(['"', '\'', '\\', '$']) {
        return vec![Resolved::unknown(raw)];
    }
    let mut words = Vec::new();
    if !braces(cells, &mut words, 0) {
        return vec![Resolved::unknown(raw)];
    }
    words.into_iter().map(|cells| finish(cells, raw, scope)).collect()
}

/// Is there a tilde with quotes right behind it, before the name of a user ends? It means another thing then.
fn has_quoted_tilde(raw: &str) -> bool {
    raw.match_indices('~').any(|(at, _)| {
        let starts = at == 0 || raw[..at].ends_with(['=', ':', '{', ',']);
        let name = raw[at..].split(['/', ':']).next().unwrap_or_default();
        let touches = raw[at + name.len()..].starts_with('/') || !name.is_empty();
        let is_behind_nothing = at > 0 && raw[..at].chars().all(|sign| matches!(sign, '"' | '\'' | '$'));
        is_behind_nothing || (starts && touches && name.contains(['"', '\'', '\\', '$', '`']))
    })
}

fn finish(cells: Vec<Cell>, raw: &str, scope: &dyn Scope) -> Resolved {
    let Some(cells) = tilde(cells, raw, scope) else { return Resolved::unknown(raw) };
    let mut text = String::with_capacity(cells.len());
    let mut glob = None;
    for cell in cells {
        if !cell.quoted && matches!(cell.sign, '*' | '?' | '[') && glob.is_none() {
            glob = Some(text.len());
        }
        text.push(cell.sign);
    }
    Resolved { text, is_static: true, glob, tame: false, sweep: Sweep::Named }
}

/// `~` at the start, or after the `=` or a `:` of something that reads like an assignment.
fn tilde(cells: Vec<Cell>, raw: &str, scope: &dyn Scope) -> Option<Vec<Cell>> {
    if !cells.iter().any(|cell| cell.sign == '~' && !cell.quoted) {
        return Some(cells);
    }
    let equals = cells.iter().position(|cell| cell.sign == '=' && !cell.quoted);
    let name = equals.map(|at| &cells[..at]);
    let assigns = name.is_some_and(|name| {
        let is_letter = |c: &Cell| c.sign == '_' || c.sign.is_ascii_alphabetic();
        name.first().is_some_and(is_letter) && name.iter().all(|c| is_letter(c) || c.sign.is_ascii_digit())
    });
    // With quotes or values in its name it is none.
    let name = raw.split('=').next().unwrap_or_default();
    if assigns && !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
        return None;
    }
    let mut out = Vec::with_capacity(cells.len() + 16);
    let mut rest = &cells[..];
    let mut at_start = true;
    while let Some((cell, tail)) = rest.split_first() {
        let starts =
            at_start || (assigns && matches!(out.last(), Some(Cell { sign: '=' | ':', quoted: false })));
        at_start = false;
        if cell.sign != '~' || cell.quoted || !starts {
            out.push(*cell);
            rest = tail;
            continue;
        }
        let ends = |cell: &Cell| cell.sign == '/' || (assigns && cell.sign == ':');
        let len = tail.iter().position(ends).unwrap_or(tail.len());
        if tail[..len].iter().any(|c| c.quoted) {
            out.push(*cell);
            rest = tail;
            continue;
        }
        let user: String = tail[..len].iter().map(|c| c.sign).collect();
        let home = match user.as_str() {
            "+" => match scope.variable("PWD")? {
                Value::Text(folder) => folder,
                Value::Pattern(_) | Value::Number | Value::Fresh => return None,
            },
            user => scope.home(user)?,
        };
        out.extend(home.chars().map(|sign| Cell { sign, quoted: true }));
        rest = &tail[len..];
    }
    Some(out)
}

fn lex(raw: &str, scope: &dyn Scope) -> Option<Vec<Cell>> {
    let mut cells = Vec::with_capacity(raw.len());
    let mut rest = raw;
    let mut in_double = false;
    while let Some(sign) = rest.chars().next() {
        let tail = &rest[sign.len_utf8()..];
        match sign {
            '\\' => {
                let Some(next) = tail.chars().next() else {
                    cells.push(Cell { sign, quoted: true });
                    break;
                };
                rest = &tail[next.len_utf8()..];
                if next == '\n' {
                    continue;
                }
                if in_double && !matches!(next, '$' | '`' | '"' | '\\') {
                    cells.push(Cell { sign, quoted: true });
                }
                cells.push(Cell { sign: next, quoted: true });
            }
            '\'' if !in_double => {
                let end = tail.find('\'')?;
                cells.extend(tail[..end].chars().map(|sign| Cell { sign, quoted: true }));
                rest = &tail[end + 1..];
            }
            '"' => {
                in_double = !in_double;
                rest = tail;
            }
            '`' => return None,
            '$' => rest = dollar(tail, in_double, scope, &mut cells)?,
            // No word holds these bare: the tree and the shell would disagree.
            '<' | '>' | '(' | ')' | ';' | '|' | '&' | ' ' | '\t' | '\n' if !in_double => return None,
            _ => {
                cells.push(Cell { sign, quoted: in_double });
                rest = tail;
            }
        }
    }
    if in_double { None } else { Some(cells) }
}

/// What follows a `$`; gives what is left after it.
fn dollar<'r>(tail: &'r str, in_double: bool, scope: &dyn Scope, cells: &mut Vec<Cell>) -> Option<&'r str> {
    let quoted = |sign| Cell { sign, quoted: true };
    if let Some(body) = tail.strip_prefix('\'').filter(|_| !in_double) {
        let (text, rest) = ansi(body)?;
        cells.extend(text.chars().map(quoted));
        return Some(rest);
    }
    if tail.starts_with('"') && !in_double {
        return Some(tail);
    }
    let (name, rest) = if let Some(body) = tail.strip_prefix('{') {
        let end = body.find('}')?;
        (&body[..end], &body[end + 1..])
    } else {
        let end = tail.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(tail.len());
        if tail.starts_with(|c: char| c.is_ascii_digit() || "@*#?-$!({[".contains(c)) {
            return None;
        }
        if end == 0 {
            cells.push(quoted('$'));
            return Some(tail);
        }
        let (name, rest) = (&tail[..end], &tail[end..]);
        // Braces come first, and may put letters behind the name: `$x{,y}`, `{a,$x}y`.
        let in_braces = cells.iter().any(|cell| cell.sign == '{' && !cell.quoted);
        if !in_double && (rest.starts_with('{') || (in_braces && rest.starts_with(['}', ',']))) {
            return None;
        }
        (name, rest)
    };
    if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
        return None;
    }
    let value = match scope.variable(name)? {
        Value::Text(value) => value,
        // Unquoted, a name could be split into options.
        Value::Pattern(pattern) if in_double => {
            cells.extend(pattern.chars().map(|sign| Cell { sign, quoted: !matches!(sign, '*' | '?' | '[') }));
            return Some(rest);
        }
        Value::Pattern(_) | Value::Number | Value::Fresh => return None,
    };
    // An unquoted value is split and globbed again; that is left to people.
    if !in_double && (value.is_empty() || value.contains([' ', '\t', '\n', '*', '?', '[', '\\'])) {
        return None;
    }
    cells.extend(value.chars().map(quoted));
    Some(rest)
}

/// Decodes `$'…'` after its opening; bytes that are no text are not known.
fn ansi(body: &str) -> Option<(String, &str)> {
    let mut bytes = Vec::new();
    let mut rest = body;
    loop {
        let sign = rest.chars().next()?;
        rest = &rest[sign.len_utf8()..];
        match sign {
            '\'' => return String::from_utf8(bytes).ok().map(|text| (text, rest)),
            '\\' => {
                let next = rest.chars().next()?;
                rest = &rest[next.len_utf8()..];
                let number = |from: &str, most: usize, radix: u32| {
                    let len = from.chars().take(most).take_while(|c| c.is_digit(radix)).count();
                    (u32::from_str_radix(&from[..len], radix).ok(), len)
                };
                let simple = match next {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\x07',
                    'b' => '\x08',
                    'e' | 'E' => '\x1b',
                    'f' => '\x0c',
                    'v' => '\x0b',
                    '\\' | '\'' | '"' | '?' => next,
                    'x' => {
                        let (value, len) = number(rest, 2, 16);
                        rest = &rest[len..];
                        bytes.push(u8::try_from(value?).ok().filter(|byte| *byte != 0)?);
                        continue;
                    }
                    '0'..='7' => {
                        let from = &body[body.len() - rest.len() - 1..];
                        let (value, len) = number(from, 3, 8);
                        rest = &from[len..];
                        bytes.push(u8::try_from(value? & 0xff).ok().filter(|byte| *byte != 0)?);
                        continue;
                    }
                    'u' | 'U' => {
                        let (value, len) = number(rest, if next == 'u' { 4 } else { 8 }, 16);
                        rest = &rest[len..];
                        char::from_u32(value?).filter(|sign| *sign != '\0')?
                    }
                    _ => return None,
                };
                bytes.extend(simple.encode_utf8(&mut [0; 4]).bytes());
            }
            other => bytes.extend(other.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
}

/// Expands braces into `out`; false if there are too many words or a form that is not read here.
fn braces(cells: Vec<Cell>, out: &mut Vec<Vec<Cell>>, depth: usize) -> bool {
    let is = |cell: &Cell, sign| cell.sign == sign && !cell.quoted;
    let Some(open) = cells.iter().position(|cell| is(cell, '{')) else {
        out.push(cells);
        return out.len() <= MOST_WORDS;
    };
    if depth > DEEPEST_BRACE {
        return false;
    }
    let mut level = 0_usize;
    let mut cuts = vec![open];
    let mut close = None;
    for (at, cell) in cells.iter().enumerate().skip(open) {
        match cell.sign {
            '{' if !cell.quoted => level += 1,
            '}' if !cell.quoted => level -= 1,
            ',' if !cell.quoted && level == 1 => cuts.push(at),
            _ => {}
        }
        if level == 0 {
            close = Some(at);
            break;
        }
    }
    let Some(close) = close else {
        // An open brace without its end is literal, but what follows may still expand.
        if cells[open + 1..].iter().any(|cell| is(cell, '{')) {
            return false;
        }
        out.push(cells);
        return out.len() <= MOST_WORDS;
    };
    cuts.push(close);
    let parts: Vec<Vec<Cell>> = if cuts.len() > 2 {
        cuts.windows(2).map(|pair| cells[pair[0] + 1..pair[1]].to_vec()).collect()
    } else {
        let inner: String = cells[open + 1..close].iter().map(|cell| cell.sign).collect();
        match sequence(&inner) {
            Some(Some(parts)) => parts,
            Some(None) => return false,
            None if cells.iter().filter(|cell| is(cell, '{')).count() > 1 => return false,
            // `{},}`: without a comma before it, the first end is none.
            None if cells[close + 1..].iter().any(|cell| is(cell, '}')) => return false,
            None => {
                out.push(cells);
                return out.len() <= MOST_WORDS;
            }
        }
    };
    parts.into_iter().all(|part| {
        let word = [&cells[..open], &part, &cells[close + 1..]].concat();
        out.len() <= MOST_WORDS && braces(word, out, depth + 1)
    })
}

/// `a..b`: `None` if it is no sequence, `Some(None)` if it is one that is not read here.
fn sequence(inner: &str) -> Option<Option<Vec<Vec<Cell>>>> {
    let (from, to) = inner.split_once("..")?;
    let cell = |sign| Cell { sign, quoted: true };
    if let (Ok(from), Ok(to)) = (from.parse::<i32>(), to.parse::<i32>()) {
        let padded =
            inner.split("..").any(|side| side.trim_start_matches('-').starts_with('0') && side.len() > 1);
        if padded || from.abs_diff(to) as usize > MOST_WORDS {
            return Some(None);
        }
        let all = from.min(to)..=from.max(to);
        let mut words: Vec<Vec<Cell>> = all.map(|n| n.to_string().chars().map(cell).collect()).collect();
        if from > to {
            words.reverse();
        }
        return Some(Some(words));
    }
    Some(None)
}
