//! Words as the strict reader knows them: quotes, values, substitutions, arithmetic, arrays.

use super::{Beyond, Lexer, Until, is_assignment};
use crate::shell::Dialect;

impl Lexer<'_> {
    /// Does no word go on here?
    pub(super) fn is_word_end(&self) -> bool {
        self.at >= self.end
            || matches!(
                self.bytes[self.at],
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            )
    }

    /// One word to its end.
    pub(super) fn word(&mut self) -> Result<(), Beyond> {
        let start = self.at;
        while self.at < self.end {
            match self.bytes[self.at] {
                b'<' | b'>' if self.peek(1) == b'(' => {
                    self.only_bash("it has a process substitution")?;
                    self.at += 2;
                    self.inner(Until::Paren)?;
                }
                b'(' if is_assignment(&self.text[start..self.at])
                    && self.text[start..self.at].ends_with('=') =>
                {
                    self.only_bash("it has an array")?;
                    self.at += 1;
                    self.array()?;
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\\' => match self.peek(1) {
                    b'\n' if matches!(self.peek(2), b' ' | b'\t') => break,
                    b'\n' => return Err("a word goes on behind an escaped line end"),
                    byte if byte < b' ' || byte == 0x7f => return Err("a control sign is escaped"),
                    _ => self.at += 2,
                },
                b'\'' | b'"' if self.is_idle_quote(start) => {
                    return Err("a word has quotes with nothing in them");
                }
                b'\'' => self.single()?,
                b'"' => {
                    self.at += 1;
                    self.double()?;
                }
                b'`' => self.tick()?,
                b'$' => self.dollar(false)?,
                byte if byte < b' ' || byte == 0x7f => {
                    return Err("there is a control sign outside of quotes");
                }
                b'{' if self.shell != Dialect::Bash && self.at > start => {
                    return Err("it may have braces that only bash knows");
                }
                byte if byte >= 0x80 => {
                    let sign = self.text.get(self.at..).and_then(|rest| rest.chars().next());
                    let sign = sign.ok_or("it is not read as text")?;
                    if sign.is_whitespace() || sign.is_control() || is_invisible(sign) {
                        return Err("there is an unusual space outside of quotes");
                    }
                    self.at += sign.len_utf8();
                }
                _ => self.at += 1,
            }
        }
        if self.shell != Dialect::Bash
            && self.text[start..self.at].contains(['{', '}'])
            && self.at - start > 1
            && !self.text[start..self.at].contains("${")
        {
            return Err("it may have braces that only bash knows");
        }
        let word = &self.text[start..self.at.min(self.text.len())];
        if self.shell != Dialect::Bash && ["~+", "~-", "=~", ":~"].iter().any(|tilde| word.contains(tilde)) {
            return Err("it may have a tilde that only bash knows");
        }
        if self.at > self.end {
            return Err("the script ends in an escape");
        }
        if self.at == start { Err("there is a sign that is not read here") } else { Ok(()) }
    }

    /// Are there empty quotes here that mean nothing but that the word reads otherwise?
    fn is_idle_quote(&self, start: usize) -> bool {
        let is_empty = self.peek(1) == self.bytes[self.at];
        let ends = matches!(self.peek(2), 0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>');
        let is_value = self.text[start..self.at].ends_with('=');
        // `'a'\\''': how a quote is put at the end of quotes.
        let is_behind_quote = ["\\'", "\"'\""].iter().any(|quote| self.text[start..self.at].ends_with(quote));
        is_empty && !(ends && (self.at == start || is_value || is_behind_quote))
    }

    /// A list inside of a word; heredocs that wait outside must not begin in it.
    fn inner(&mut self, until: Until) -> Result<(), Beyond> {
        let (outer, start) = (std::mem::take(&mut self.pending), self.at);
        self.list(until)?;
        if !outer.is_empty() && self.text[start..self.at].contains('\n') {
            return Err("a heredoc begins in a substitution");
        }
        self.pending = outer;
        Ok(())
    }

    /// Between backquotes: read as what it is only where nothing in it is escaped.
    pub(super) fn tick(&mut self) -> Result<(), Beyond> {
        let start = self.at + 1;
        let len = self.text[start..self.end].find('`').ok_or("backquotes have no end")?;
        if self.text[start..start + len].contains(['\\', '#', '"']) {
            return Err("there are escapes or quotes in backquotes");
        }
        let end = std::mem::replace(&mut self.end, start + len);
        self.at = start;
        self.inner(Until::End)?;
        self.end = end;
        self.at = start + len + 1;
        Ok(())
    }

    fn single(&mut self) -> Result<(), Beyond> {
        let start = self.at + 1;
        let len = self.text[start..self.end].find('\'').ok_or("quotes have no end")?;
        self.at = start + len + 1;
        Ok(())
    }

    /// Behind the opening of double quotes.
    fn double(&mut self) -> Result<(), Beyond> {
        while self.at < self.end {
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' if self.peek(1) == b'\n' && self.is_behind_value() => {
                    return Err("a value goes on behind an escaped line end");
                }
                b'\\' => self.at += 2,
                b'$' => self.dollar(true)?,
                b'`' => self.tick()?,
                b'\r' | b'\0' => return Err("there is a control sign in quotes"),
                _ => self.at += 1,
            }
        }
        Err("quotes have no end")
    }

    /// Does the name of a value end here, or a `$` that waits for one?
    fn is_behind_value(&self) -> bool {
        let is_name = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
        self.text[..self.at].trim_end_matches(is_name).ends_with('$')
    }

    /// What a `$` begins.
    pub(super) fn dollar(&mut self, quoted: bool) -> Result<(), Beyond> {
        self.at += 1;
        match self.peek(0) {
            b'(' if self.peek(1) == b'(' => {
                self.at += 2;
                self.arithmetic()
            }
            b'(' => {
                self.at += 1;
                self.inner(Until::Paren)
            }
            b'{' => {
                self.at += 1;
                self.braces(quoted)
            }
            b'[' => Err("there is arithmetic in square brackets"),
            b'\'' if !quoted => {
                self.only_bash("it has `$'…'`")?;
                self.at += 1;
                while self.at < self.end {
                    match self.bytes[self.at] {
                        b'\\' => self.at += 2,
                        b'\'' => {
                            self.at += 1;
                            return Ok(());
                        }
                        _ => self.at += 1,
                    }
                }
                Err("quotes have no end")
            }
            b'"' if !quoted => {
                self.only_bash("it has `$\"…\"`")?;
                self.at += 1;
                self.double()
            }
            _ => Ok(()),
        }
    }

    /// Behind `${`.
    fn braces(&mut self, quoted: bool) -> Result<(), Beyond> {
        while self.at < self.end {
            match self.bytes[self.at] {
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' if self.peek(1) == b'\n' => return Err("a value goes on behind an escaped line end"),
                b'\\' => self.at += 2,
                b'$' => self.dollar(quoted)?,
                b'`' => self.tick()?,
                b'"' => {
                    self.at += 1;
                    self.double()?;
                }
                b'\'' if !quoted => self.single()?,
                b'\'' | b'{' | b'(' | b')' | b'<' | b'>' | b'\n' | b'&' | b';' | b'|' => {
                    return Err("a value is taken in an unusual way");
                }
                b'/' | b'^' | b',' if self.shell != Dialect::Bash => {
                    return Err("it has a value that only bash knows");
                }
                byte if byte < b' ' && byte != b'\t' => {
                    return Err("there is a control sign outside of quotes");
                }
                _ => self.at += 1,
            }
        }
        Err("a value has no end")
    }

    /// Behind `((`, up to `))`.
    pub(super) fn arithmetic(&mut self) -> Result<(), Beyond> {
        let mut level = 0_usize;
        while self.at < self.end {
            match self.bytes[self.at] {
                b'(' => level += 1,
                b')' if level > 0 => level -= 1,
                b')' if self.peek(1) == b')' => {
                    self.at += 2;
                    return Ok(());
                }
                b')' => return Err("it may be arithmetic, or a group in a group"),
                b'$' => {
                    self.dollar(true)?;
                    continue;
                }
                b'`' => {
                    self.tick()?;
                    continue;
                }
                b'\'' | b'"' | b'\\' | b'\n' => {
                    return Err("arithmetic is written in an unusual way");
                }
                byte if byte < b' ' && byte != b'\t' => {
                    return Err("there is a control sign outside of quotes");
                }
                _ => {}
            }
            self.at += 1;
        }
        Err("arithmetic has no end")
    }

    /// Behind the opening of an array.
    fn array(&mut self) -> Result<(), Beyond> {
        loop {
            self.blanks()?;
            let start = self.at;
            match self.peek(0) {
                b'\n' => self.at += 1,
                b')' => {
                    self.at += 1;
                    return Ok(());
                }
                b'#' | b';' | b'&' | b'|' | b'(' | b'[' | b'<' | b'>' => {
                    return Err("an array is written in an unusual way");
                }
                _ if self.at >= self.end => return Err("an array has no end"),
                _ => {
                    self.word()?;
                    self.out.words.push((start, self.at));
                }
            }
        }
    }
}

/// Signs that people do not see, or that turn the text around.
fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{3164}' | '\u{2800}')
}
