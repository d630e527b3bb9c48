//! One pass that copies a nearly-JSON text as JSON. Linear in the text; no recursion.

/// What the end of the text may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Every bracket is closed.
    Whole,
    /// Brackets may be missing behind a whole value.
    Close,
    /// Anything: what cannot be kept is dropped.
    Preview,
}

/// Copies `text` as JSON, or gives up.
pub(super) fn rewrite(text: &str, end: End) -> Option<String> {
    let mut rewriter = Rewriter {
        text: text.as_bytes(),
        at: 0,
        out: Vec::with_capacity(text.len() + 16),
        open: Vec::new(),
        comma: false,
        tentative: None,
        end,
    };
    let mut expect = Expect::Value;
    let broken = loop {
        match rewriter.step(expect) {
            Ok(next) => expect = next,
            Err(broken) => break broken,
        }
    };
    let whole = rewriter.open.is_empty() && expect == Expect::Comma;
    match (end, broken) {
        (End::Whole | End::Close, Broken::Wrong) => return None,
        (End::Whole, Broken::Ended) if !whole => return None,
        (End::Close, Broken::Ended) if expect != Expect::Comma || rewriter.tentative.is_some() => {
            return None;
        }
        _ => {}
    }
    rewriter.closed()
}

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    Key,
    Colon,
    /// A comma or a closing bracket; outside all brackets, the end.
    Comma,
}

/// Why copying stopped.
enum Broken {
    Ended,
    Wrong,
}

struct Rewriter<'a> {
    text: &'a [u8],
    at: usize,
    out: Vec<u8>,
    /// The brackets that will close what is open.
    open: Vec<u8>,
    /// A comma was read; it is written only if something follows.
    comma: bool,
    /// Where the output ended before a member that is not whole yet.
    tentative: Option<usize>,
    end: End,
}

impl Rewriter<'_> {
    fn step(&mut self, expect: Expect) -> Result<Expect, Broken> {
        self.skip_blank()?;
        let byte = self.peek().ok_or(Broken::Ended)?;
        match expect {
            Expect::Value => self.value(byte),
            Expect::Key => self.key(byte),
            Expect::Colon if byte == b':' => {
                self.copy(1);
                Ok(Expect::Value)
            }
            Expect::Comma if byte == b',' && !self.open.is_empty() => {
                self.at += 1;
                self.comma = true;
                Ok(if self.in_object() { Expect::Key } else { Expect::Value })
            }
            Expect::Comma => self.close(byte),
            Expect::Colon => Err(Broken::Wrong),
        }
    }

    fn value(&mut self, byte: u8) -> Result<Expect, Broken> {
        if byte == b']' {
            return self.close(byte);
        }
        if !self.in_object() {
            self.begin();
        }
        match byte {
            b'{' | b'[' => {
                self.copy(1);
                self.tentative = None;
                self.open.push(if byte == b'{' { b'}' } else { b']' });
                return Ok(if byte == b'{' { Expect::Key } else { Expect::Value });
            }
            b'"' | b'\'' => self.string(byte, true)?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => self.word()?,
        }
        self.tentative = None;
        Ok(Expect::Comma)
    }

    fn key(&mut self, byte: u8) -> Result<Expect, Broken> {
        match byte {
            b'}' => return self.close(byte),
            b'"' | b'\'' => {
                self.begin();
                self.string(byte, false)?;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                self.begin();
                let length = self.run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'-'));
                self.out.push(b'"');
                self.copy(length);
                self.out.push(b'"');
            }
            _ => return Err(Broken::Wrong),
        }
        Ok(Expect::Colon)
    }

    fn close(&mut self, byte: u8) -> Result<Expect, Broken> {
        if self.open.last() != Some(&byte) {
            return Err(Broken::Wrong);
        }
        self.open.pop();
        self.comma = false;
        self.copy(1);
        Ok(Expect::Comma)
    }

    fn number(&mut self) -> Result<(), Broken> {
        let length = self.run(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
        self.copy(length);
        if self.end == End::Preview && self.at == self.text.len() {
            let digits = self.out.iter().rposition(u8::is_ascii_digit).map_or(0, |at| at + 1);
            let start = self.out.len() - length;
            if digits <= start {
                return Err(Broken::Ended);
            }
            self.out.truncate(digits);
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), Broken> {
        let length = self.run(|b| b.is_ascii_alphanumeric());
        let word: &[u8] = match &self.text[self.at..self.at + length] {
            b"true" | b"True" => b"true",
            b"false" | b"False" => b"false",
            b"null" | b"None" => b"null",
            _ if self.at + length == self.text.len() => return Err(Broken::Ended),
            _ => return Err(Broken::Wrong),
        };
        self.out.extend_from_slice(word);
        self.at += length;
        Ok(())
    }

    /// Copies a string. One that is a value and does not end is closed for a preview.
    fn string(&mut self, quote: u8, is_value: bool) -> Result<(), Broken> {
        self.out.push(b'"');
        self.at += 1;
        let copied = self.characters(quote);
        if copied.is_err() && !(is_value && self.end == End::Preview) {
            return copied;
        }
        self.out.push(b'"');
        if copied.is_err() {
            self.tentative = None;
        }
        copied
    }

    fn characters(&mut self, quote: u8) -> Result<(), Broken> {
        loop {
            let plain = self.run(|b| b != quote && b != b'"' && b != b'\\' && b >= b' ');
            self.copy(plain);
            let byte = self.peek().ok_or(Broken::Ended)?;
            match byte {
                _ if byte == quote => {
                    self.at += 1;
                    return Ok(());
                }
                b'"' => self.replace(1, b"\\\""),
                b'\\' => self.escape()?,
                b'\n' => self.replace(1, b"\\n"),
                b'\r' => self.replace(1, b"\\r"),
                b'\t' => self.replace(1, b"\\t"),
                control => self.replace(1, format!("\\u{control:04x}").as_bytes()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Broken> {
        let escaped = *self.text.get(self.at + 1).ok_or(Broken::Ended)?;
        match escaped {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.copy(2),
            b'\'' => self.replace(2, b"'"),
            b'\n' => self.replace(2, b"\\n"),
            b'u' => return self.unicode(),
            // Not an escape at all, for example a Windows path.
            _ => self.replace(1, b"\\\\"),
        }
        Ok(())
    }

    /// `\u`: a pair of surrogates stays, half of one becomes the replacement character.
    fn unicode(&mut self) -> Result<(), Broken> {
        match self.unit(self.at)? {
            None => self.replace(1, b"\\\\"),
            Some(0xd800..=0xdbff) => match self.unit(self.at + 6) {
                Ok(Some(0xdc00..=0xdfff)) => self.copy(12),
                Err(Broken::Ended) if self.end == End::Preview => return Err(Broken::Ended),
                _ => self.replace(6, b"\\ufffd"),
            },
            Some(0xdc00..=0xdfff) => self.replace(6, b"\\ufffd"),
            Some(_) => self.copy(6),
        }
        Ok(())
    }

    /// The UTF-16 unit of the escape at `at`, if there is one.
    fn unit(&self, at: usize) -> Result<Option<u16>, Broken> {
        let Some(escape) = self.text.get(at..at + 6) else { return Err(Broken::Ended) };
        let Some(digits) = escape.strip_prefix(b"\\u") else { return Ok(None) };
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Ok(None);
        }
        Ok(std::str::from_utf8(digits).ok().and_then(|digits| u16::from_str_radix(digits, 16).ok()))
    }

    /// White space and comments.
    fn skip_blank(&mut self) -> Result<(), Broken> {
        loop {
            self.at += self.run(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
            let rest = &self.text[self.at..];
            if rest.starts_with(b"//") {
                self.at += self.run(|b| b != b'\n');
            } else if rest.starts_with(b"/*") {
                let length = memchr::memmem::find(&rest[2..], b"*/").ok_or(Broken::Ended)?;
                self.at += length + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn closed(mut self) -> Option<String> {
        if let Some(length) = self.tentative {
            self.out.truncate(length);
        }
        self.out.extend(self.open.iter().rev());
        String::from_utf8(self.out).ok()
    }

    fn begin(&mut self) {
        self.tentative = Some(self.out.len());
        if std::mem::take(&mut self.comma) {
            self.out.push(b',');
        }
    }

    fn in_object(&self) -> bool {
        self.open.last() == Some(&b'}')
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// How many bytes from here on are of a kind.
    fn run(&self, kind: impl Fn(u8) -> bool) -> usize {
        let rest = &self.text[self.at..];
        rest.iter().position(|&b| !kind(b)).unwrap_or(rest.len())
    }

    fn copy(&mut self, length: usize) {
        self.out.extend_from_slice(&self.text[self.at..self.at + length]);
        self.at += length;
    }

    fn replace(&mut self, length: usize, by: &[u8]) {
        self.out.extend_from_slice(by);
        self.at += length;
    }
}
