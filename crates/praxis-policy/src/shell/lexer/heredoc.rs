//! Heredocs as the strict reader knows them.

use super::{Beyond, Lexer, Span};

/// One whose body begins on the next line.
pub(super) struct Heredoc {
    pub(super) end: String,
    pub(super) quoted: bool,
    pub(super) tabs: bool,
}

impl Lexer<'_> {
    /// The bodies of the heredocs that begin on this line.
    pub(super) fn heredocs(&mut self) -> Result<(), Beyond> {
        for Heredoc { end, quoted, tabs } in std::mem::take(&mut self.pending) {
            let start = self.at;
            loop {
                if self.at >= self.end {
                    return Err("a heredoc has no end");
                }
                let line = self.text[self.at..self.end].split_inclusive('\n').next().unwrap_or_default();
                let bare = line.strip_suffix('\n').unwrap_or(line);
                let bare = if tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == end {
                    break;
                }
                self.at += line.len();
            }
            let body = (start, self.at);
            self.out.bodies.push(body);
            let line = self.text[self.at..self.end].find('\n').map_or(self.end, |len| self.at + len + 1);
            if !quoted {
                self.body(body)?;
            }
            self.at = line;
        }
        Ok(())
    }

    /// What is expanded in a heredoc.
    fn body(&mut self, (start, end): Span) -> Result<(), Beyond> {
        let outer = std::mem::replace(&mut self.end, end);
        self.at = start;
        while self.at < self.end {
            match self.bytes[self.at] {
                b'\\' if self.peek(1) == b'\n' => return Err("a line of a heredoc ends in an escape"),
                b'\\' => self.at += 2,
                b'$' if self.peek(1) == b'{' => {
                    let len = self.text[self.at..self.end].find('}').ok_or("a value has no end")?;
                    if self.text[self.at..self.at + len].contains(['"', '\'', '`', '\\']) {
                        return Err("a value in a heredoc has quotes");
                    }
                    self.dollar(true)?;
                }
                b'$' => self.dollar(true)?,
                b'`' => self.tick()?,
                _ => self.at += 1,
            }
        }
        self.end = outer;
        Ok(())
    }
}

/// The end of a heredoc and whether it is quoted, if it is written in a plain way.
pub(super) fn delimiter(word: &str) -> Option<(&str, bool)> {
    let bare = ["'", "\""].iter().find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote));
    let (end, quoted) = bare.map_or((word, false), |bare| (bare, true));
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || (quoted && b"-. !".contains(&byte));
    (!end.is_empty() && end.bytes().all(plain)).then_some((end, quoted))
}
