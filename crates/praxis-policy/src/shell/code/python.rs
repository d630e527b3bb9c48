//! Python: its words, its imports and its attributes, each looked up.
//!
//! A name leads to a module only if it was imported, and to what is in a module only through a dot. So it is enough to
//! know every import and every name behind a dot, and to keep out the few functions that find things by a text.

use std::collections::HashMap;

use super::Reading;
use super::table::{Language, Table};

/// Names that begin like hidden ones and are harmless.
const OPEN: &[&str] = &["_", "__name__", "__file__", "__version__", "__main__", "__doc__"];
/// What may be asked of a module of which nothing is known.
const ABOUT: &[&str] = &["__version__", "__file__", "__name__", "__doc__"];
/// Modules that look for a program where the environment says.
const SEARCHING: &[&str] = &["platform", "uuid"];

/// One word or sign of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    Number,
    Text,
    /// The begin or the end of code inside a string.
    Field,
    Sign(char),
    Line,
}

/// What an imported name stands for.
#[derive(Debug)]
enum Module {
    /// One of the table, or the beginning of its name.
    Listed(String),
    /// Another one, to be asked for its version.
    Other,
}

/// What the code does, if all of it is known.
pub(super) fn read(code: &str) -> Option<Reading> {
    let table = &Table::get().python;
    let is_hidden = |word: &str| word.starts_with('_') && !OPEN.contains(&word);
    if !super::is_plain(code)
        || code.contains("\\\n")
        || names_an_encoding(code)
        || super::words(code).any(|word| table.never.contains(word) || is_hidden(word))
    {
        return None;
    }
    let tokens = tokens(code)?;
    let mut imports = Imports { table, modules: HashMap::new(), count: 0, searches: false };
    let rest = imports.take(&tokens)?;
    let says = |name: &str| super::words(code).filter(|word| *word == name).count();
    // One in a string could be meant to be run.
    if imports.count != says("import") || (imports.searches && says("environ") > 0) {
        return None;
    }
    let reader =
        Reader { table, modules: &imports.modules, tokens: &rest, print_is_itself: print_is_itself(&tokens) };
    reader.names()?;
    let touches = rest.iter().any(|token| matches!(token, Token::Name(name) if table.files.contains(name)));
    // It may have written the very module.
    if touches && imports.modules.values().any(|module| matches!(module, Module::Other)) {
        return None;
    }
    Some(Reading { touches, loads: Vec::new() })
}

/// Is there a comment that may say how the rest is to be decoded?
fn names_an_encoding(code: &str) -> bool {
    code.lines().any(|line| line.trim_start().starts_with('#') && line.contains("coding"))
}

fn tokens(code: &str) -> Option<Vec<Token<'_>>> {
    let mut out = Vec::new();
    let mut rest = code;
    while let Some(sign) = rest.chars().next() {
        let len = match sign {
            ' ' | '\t' => 1,
            '\n' => {
                out.push(Token::Line);
                1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '\'' | '"' => {
                let (body, len) = string(rest)?;
                out.push(Token::Text);
                if matches!(out.iter().nth_back(1), Some(Token::Name(prefix)) if is_formatted(prefix))
                    && ends_with_name(code, rest)
                {
                    fields(body, &mut out)?;
                }
                len
            }
            _ if super::is_letter(sign) => {
                let len = rest.find(|sign: char| !super::is_letter(sign)).unwrap_or(rest.len());
                let is_number = sign.is_ascii_digit();
                out.push(if is_number { Token::Number } else { Token::Name(&rest[..len]) });
                len
            }
            // Outside of strings these mean nothing that is needed.
            '\\' => return None,
            _ if !sign.is_ascii() => return None,
            _ => {
                out.push(Token::Sign(sign));
                1
            }
        };
        rest = &rest[len..];
    }
    Some(out)
}

/// Does a name end right before `rest`? Then it says how the string there is meant.
fn ends_with_name(code: &str, rest: &str) -> bool {
    code[..code.len() - rest.len()].ends_with(super::is_letter)
}

/// Is it the prefix of a string that has code in it?
fn is_formatted(prefix: &str) -> bool {
    prefix.len() < 3
        && prefix.contains(['f', 'F', 't', 'T'])
        && prefix.chars().all(|sign| "rRbBuUfFtT".contains(sign))
}

/// What is in the string that begins here, and its length with the quotes.
fn string(text: &str) -> Option<(&str, usize)> {
    let quote = text.get(..1)?;
    let triple = quote.repeat(3);
    let end = if text.starts_with(&triple) { triple.as_str() } else { quote };
    let mut at = end.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(end) {
            return Some((&text[end.len()..at], at + end.len()));
        }
        match rest.chars().next()? {
            '\n' if end.len() == 1 => return None,
            '\\' => at += 1 + rest.chars().nth(1)?.len_utf8(),
            sign => at += sign.len_utf8(),
        }
    }
}

/// The code between the braces of a string. Where its end is not the same to every version, it is in doubt.
fn fields<'t>(body: &'t str, out: &mut Vec<Token<'t>>) -> Option<()> {
    let mut rest = body;
    while let Some(at) = rest.find(['{', '}']) {
        let (sign, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(sign) {
            rest = after;
            continue;
        }
        if sign == "}" {
            return None;
        }
        let len = field(after)?;
        out.push(Token::Field);
        out.extend(tokens(&after[..len])?);
        out.push(Token::Field);
        rest = &after[len + 1..];
    }
    Some(())
}

/// How long the code is that begins behind a brace.
fn field(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' | '#' | '\n' => return None,
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            '\'' | '"' => {
                let (end, _) = signs.find(|(_, other)| *other == sign)?;
                if end == at + 1 || text[at..end].contains(['{', '}', '\\', '\n']) {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}

/// Does `print` mean what it always means?
fn print_is_itself(tokens: &[Token<'_>]) -> bool {
    let print = Token::Name("print");
    tokens.iter().enumerate().filter(|(_, token)| **token == print).all(|(at, _)| {
        let before = at.checked_sub(1).map(|at| tokens[at]);
        tokens.get(at + 1) == Some(&Token::Sign('('))
            && !matches!(before, Some(Token::Name("def" | "class") | Token::Sign('.')))
    })
}

/// The import statements of the code.
struct Imports<'l> {
    table: &'l Language,
    modules: HashMap<String, Module>,
    count: usize,
    /// Is there a module that looks for a program where the environment says?
    searches: bool,
}

impl Imports<'_> {
    /// Gives the tokens without line ends and imports.
    fn take<'t>(&mut self, tokens: &[Token<'t>]) -> Option<Vec<Token<'t>>> {
        let mut out = Vec::new();
        let mut starts = true;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let len = match token {
                Token::Name("import") if starts => self.import(&tokens[at + 1..])? + 1,
                Token::Name("from") if starts => self.from(&tokens[at + 1..])? + 1,
                Token::Name("import") => return None,
                _ => 0,
            };
            if len > 0 {
                self.count += 1;
                out.push(Token::Sign(';'));
                at += len;
                starts = false;
                if !is_end(tokens.get(at)) {
                    return None;
                }
                continue;
            }
            if *token != Token::Line {
                out.push(*token);
            }
            starts = matches!(token, Token::Line | Token::Sign(';' | ':'));
            at += 1;
        }
        Some(out)
    }

    /// `a.b as c, d`.
    fn import(&mut self, tokens: &[Token<'_>]) -> Option<usize> {
        let mut at = 0;
        loop {
            let (module, len) = dotted(&tokens[at..])?;
            at += len;
            let (alias, len) = alias(tokens.get(at..)?)?;
            at += len;
            self.bind(&module, alias)?;
            if tokens.get(at) != Some(&Token::Sign(',')) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn bind(&mut self, module: &str, alias: Option<&str>) -> Option<()> {
        self.searches |= SEARCHING.contains(&module);
        let known = self.table.modules.contains_key(module);
        let (name, module) = match alias {
            Some(alias) if known => {
                self.alias(module, alias)?;
                (alias, Module::Listed(module.to_owned()))
            }
            None if known => {
                let top = module.split('.').next().unwrap_or(module);
                (top, Module::Listed(top.to_owned()))
            }
            None if !module.contains('.') && !self.table.refused.contains(module) => (module, Module::Other),
            _ => return None,
        };
        self.modules.insert(name.to_owned(), module);
        Some(())
    }

    /// May the module, or what is taken from one, be called so?
    fn alias(&self, module: &str, alias: &str) -> Option<()> {
        let is_taken = self.table.strict.contains(alias) || self.table.unsaid.contains(alias);
        (!self.table.strict.contains(module) && !is_taken && alias != "type").then_some(())
    }

    /// `a.b import c as d, e`.
    fn from(&mut self, tokens: &[Token<'_>]) -> Option<usize> {
        let (module, mut at) = dotted(tokens)?;
        if tokens.get(at) != Some(&Token::Name("import")) {
            return None;
        }
        at += 1;
        let in_brackets = tokens.get(at) == Some(&Token::Sign('('));
        at += usize::from(in_brackets);
        let skip = |at: &mut usize| {
            while in_brackets && tokens.get(*at) == Some(&Token::Line) {
                *at += 1;
            }
        };
        loop {
            skip(&mut at);
            if in_brackets && tokens.get(at) == Some(&Token::Sign(')')) {
                return Some(at + 1);
            }
            let Some(Token::Name(name)) = tokens.get(at) else { return None };
            let (alias, len) = alias(tokens.get(at + 1..)?)?;
            at += 1 + len;
            self.bind_from(&module, name, alias)?;
            skip(&mut at);
            match tokens.get(at) {
                Some(Token::Sign(',')) => at += 1,
                Some(Token::Sign(')')) if in_brackets => return Some(at + 1),
                _ if in_brackets => return None,
                _ => return Some(at),
            }
        }
    }

    fn bind_from(&mut self, module: &str, name: &str, alias: Option<&str>) -> Option<()> {
        self.searches |= SEARCHING.contains(&module);
        let inner = format!("{module}.{name}");
        if self.table.modules.contains_key(inner.as_str()) {
            if let Some(alias) = alias {
                self.alias(&inner, alias)?;
            }
            self.modules.insert(alias.unwrap_or(name).to_owned(), Module::Listed(inner));
            return Some(());
        }
        let is_listed = self.table.modules.get(module)?.contains(name) && !self.table.unsaid.contains(name);
        if let Some(alias) = alias {
            self.alias("", alias)?;
        }
        is_listed.then_some(())
    }
}

/// `a.b.c`, and how many tokens that is.
fn dotted(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let Some(Token::Name(first)) = tokens.first() else { return None };
    let mut name = (*first).to_owned();
    let mut at = 1;
    while let [Token::Sign('.'), Token::Name(part), ..] = tokens.get(at..)? {
        name = format!("{name}.{part}");
        at += 2;
    }
    Some((name, at))
}

/// `as b`, and how many tokens that is.
fn alias<'t>(tokens: &[Token<'t>]) -> Option<(Option<&'t str>, usize)> {
    match tokens {
        [Token::Name("as"), Token::Name(alias), ..] => Some((Some(*alias), 2)),
        [Token::Name("as"), ..] => None,
        _ => Some((None, 0)),
    }
}

fn is_end(token: Option<&Token<'_>>) -> bool {
    matches!(token, None | Some(Token::Line | Token::Sign(';')))
}

/// The names of the code, but for its imports.
struct Reader<'l, 't> {
    table: &'l Language,
    modules: &'l HashMap<String, Module>,
    tokens: &'l [Token<'t>],
    print_is_itself: bool,
}

impl<'t> Reader<'_, 't> {
    fn names(&self) -> Option<()> {
        let mut at = 0;
        while at < self.tokens.len() {
            let Token::Name(name) = self.tokens[at] else {
                at += 1;
                continue;
            };
            let is_attribute = at > 0 && self.sign(at - 1) == Some('.');
            at = if is_attribute {
                let is_known = self.table.attributes.contains(name) || ABOUT.contains(&name);
                is_known.then_some(at + 1)?
            } else if let Some(module) = self.modules.get(name) {
                self.in_module(module, at)?
            } else {
                let is_said = !self.table.unsaid.contains(name) && (name != "type" || self.asks_type(at));
                is_said.then_some(at + 1)?
            };
        }
        Some(())
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(sign)) => Some(*sign),
            _ => None,
        }
    }

    /// The name behind the dot at `at`.
    fn behind_dot(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at..at + 2)? {
            [Token::Sign('.'), Token::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// A module must be left through one of its listed names; gives the place behind it.
    fn in_module(&self, module: &Module, at: usize) -> Option<usize> {
        let mut end = at + 1;
        let Module::Listed(start) = module else {
            let name = self.behind_dot(end)?;
            return ABOUT.contains(&name).then_some(end + 2);
        };
        let mut path = start.clone();
        loop {
            let name = self.behind_dot(end)?;
            end += 2;
            let inner = format!("{path}.{name}");
            let leads_on = |module: &&str| {
                module.strip_prefix(inner.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('.'))
            };
            if self.table.modules.keys().any(leads_on) {
                path = inner;
                continue;
            }
            let is_listed = self.table.modules.get(path.as_str()).is_some_and(|names| names.contains(name));
            // Where modules are looked for may be shown, but not handed to what could change it.
            let is_shown = inner == "sys.path" && self.is_printed(at, end);
            let is_set = self.sign(end) == Some('=') && self.sign(end + 1) != Some('=');
            return ((is_listed || is_shown || ABOUT.contains(&name)) && !is_set).then_some(end);
        }
    }

    /// Is what stands between `start` and `end` an argument of `print`, as it is?
    fn is_printed(&self, start: usize, end: usize) -> bool {
        let is_argument = start >= 2
            && self.tokens[start - 2..start] == [Token::Name("print"), Token::Sign('(')]
            && matches!(self.sign(end), Some(')' | ','));
        let is_field = start >= 1
            && self.tokens[start - 1] == Token::Field
            && self.tokens.get(end) == Some(&Token::Field);
        (is_argument && self.print_is_itself) || is_field
    }

    /// Is it only asked what something is? With more arguments it makes a class, and `type` itself is a class.
    fn asks_type(&self, at: usize) -> bool {
        if self.sign(at + 1) != Some('(') {
            return false;
        }
        let mut depth = 0_usize;
        for end in at + 1..self.tokens.len() {
            match self.sign(end) {
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') if depth == 1 => {
                    let is_name = self.behind_dot(end + 1) == Some("__name__");
                    return is_name || self.is_printed(at, end + 1);
                }
                Some(')' | ']' | '}') => depth -= 1,
                Some(',' | '*') if depth == 1 => return false,
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
