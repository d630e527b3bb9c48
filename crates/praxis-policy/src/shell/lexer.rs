//! A second reading of a script: where its words, operators, comments and heredocs are, and which words name commands.
//!
//! The grammar and the shell disagree now and then. This reader knows a smaller language, in which it follows the shell
//! to the byte; what is beyond it is refused. Where it reads a script and the grammar reads the same (`agree`), both
//! have read what the shell will run.

use super::Dialect;

/// Substitutions and groups inside each other.
const DEEPEST: usize = 64;

/// A span of the text, in bytes.
pub(super) type Span = (usize, usize);

/// What was found, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub(super) words: Vec<Span>,
    pub(super) operators: Vec<Span>,
    /// The signs of redirections.
    pub(super) redirects: Vec<Span>,
    pub(super) comments: Vec<Span>,
    pub(super) bodies: Vec<Span>,
    /// Assignments before a command, or without one.
    pub(super) assignments: Vec<Span>,
    /// Where the names of commands begin.
    pub(super) names: Vec<usize>,
}

/// Why a script is beyond this reader, for people.
type Beyond = &'static str;

/// Reads a script, or tells why it cannot be read for sure.
pub(super) fn lex(text: &str, shell: Dialect) -> Result<Lexed, Beyond> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        end: text.len(),
        depth: 0,
        shell,
        pending: Vec::new(),
        out: Lexed::default(),
    };
    lexer.list(Until::End)?;
    Ok(lexer.out)
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Paren,
}

/// What may come next in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A command, or a word that the shell reserves.
    Command,
    /// Arguments; how many words the command has already.
    Arguments(usize),
    /// Nothing but an operator or a redirection.
    Operator,
    ForName,
    ForIn,
    ForWords,
    CaseWord,
    CaseIn,
    Pattern,
    Function,
}

struct Heredoc {
    end: String,
    quoted: bool,
    tabs: bool,
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Where the part ends that is being read.
    end: usize,
    depth: usize,
    shell: Dialect,
    pending: Vec<Heredoc>,
    out: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        if self.at + ahead < self.end { self.bytes[self.at + ahead] } else { 0 }
    }

    fn starts(&self, text: &str) -> bool {
        self.bytes[self.at.min(self.end)..self.end].starts_with(text.as_bytes())
    }

    /// Only bash is known so well.
    fn only_bash(&self, what: Beyond) -> Result<(), Beyond> {
        if self.shell == Dialect::Bash { Ok(()) } else { Err(what) }
    }

    /// Commands up to what ends them; the end is taken too.
    fn list(&mut self, until: Until) -> Result<(), Beyond> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deep");
        }
        let mut next = Next::Command;
        let mut cases = 0_usize;
        loop {
            self.blanks()?;
            if self.at >= self.end {
                if until == Until::Paren {
                    return Err("a substitution has no end");
                }
                break;
            }
            let start = self.at;
            match self.bytes[start] {
                b'\n' => {
                    self.at += 1;
                    self.heredocs()?;
                    next = match next {
                        Next::ForIn | Next::CaseIn | Next::Pattern => next,
                        Next::ForName | Next::CaseWord | Next::Function => {
                            return Err("a line ends too early");
                        }
                        _ => Next::Command,
                    };
                }
                b'#' => {
                    let end = self.text[start..self.end].find('\n').map_or(self.end, |len| start + len);
                    self.at = end;
                    self.out.comments.push((start, end));
                }
                b')' => {
                    self.at += 1;
                    if next == Next::Pattern {
                        next = Next::Command;
                        self.out.operators.push((start, self.at));
                    } else if until == Until::Paren && cases == 0 {
                        break;
                    } else {
                        return Err("a bracket is closed that was never opened");
                    }
                }
                b'(' => next = self.open(next)?,
                b';' | b'&' | b'|' if !self.starts("&>") => next = self.operator(next)?,
                b'<' | b'>' if self.peek(1) != b'(' => self.redirect()?,
                b'&' => self.redirect()?,
                _ => next = self.next_word(next, &mut cases)?,
            }
        }
        self.depth -= 1;
        if self.pending.is_empty() && cases == 0 { Ok(()) } else { Err("a heredoc or a case has no end") }
    }

    /// Blanks and escaped line ends.
    fn blanks(&mut self) -> Result<(), Beyond> {
        let mut is_broken = false;
        loop {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    is_broken = true;
                    self.at += 2;
                }
                b'#' if is_broken => return Err("a sign of comments follows an escaped line end"),
                _ => return Ok(()),
            }
        }
    }

    /// `(`: a group, the brackets of a function, a pattern's beginning, or arithmetic.
    fn open(&mut self, next: Next) -> Result<Next, Beyond> {
        let start = self.at;
        if matches!(next, Next::Command | Next::ForName) && self.peek(1) == b'(' {
            self.only_bash("it has arithmetic")?;
            self.at += 2;
            self.arithmetic()?;
            return Ok(if next == Next::ForName { Next::ForIn } else { Next::Operator });
        }
        self.at += 1;
        self.out.operators.push((start, self.at));
        match next {
            Next::Pattern => Ok(Next::Pattern),
            Next::Command => {
                self.list(Until::Paren)?;
                self.out.operators.push((self.at - 1, self.at));
                Ok(Next::Operator)
            }
            Next::Arguments(1) => {
                while matches!(self.peek(0), b' ' | b'\t') {
                    self.at += 1;
                }
                if self.peek(0) != b')' {
                    return Err("a bracket follows a word");
                }
                self.at += 1;
                self.out.operators.push((self.at - 1, self.at));
                // What stood before them is the name of a function, not of a command.
                self.out.names.pop();
                Ok(Next::Command)
            }
            _ => Err("a bracket follows a word"),
        }
    }

    fn operator(&mut self, next: Next) -> Result<Next, Beyond> {
        const ALL: [&str; 9] = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|"];
        let start = self.at;
        let sign = ALL.into_iter().find(|sign| self.starts(sign)).unwrap_or(";");
        self.at += sign.len();
        self.out.operators.push((start, self.at));
        if sign == "|&" {
            self.only_bash("it has `|&`")?;
        }
        match (next, sign) {
            (Next::Pattern, "|") => Ok(Next::Pattern),
            (Next::ForIn, ";") => Ok(Next::ForIn),
            (
                Next::Pattern | Next::ForName | Next::ForIn | Next::CaseWord | Next::CaseIn | Next::Function,
                _,
            ) => Err("an operator stands where a word must"),
            (_, ";;" | ";&" | ";;&") => Ok(Next::Pattern),
            _ => Ok(Next::Command),
        }
    }

    fn redirect(&mut self) -> Result<(), Beyond> {
        const ALL: [&str; 13] =
            ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&"];
        let sign = ALL.into_iter().find(|sign| self.starts(sign)).unwrap_or("&");
        let start = self.at;
        self.at += sign.len();
        if matches!(sign, "&>>" | "&>" | "<<<") {
            self.only_bash("it has a redirection that only bash knows")?;
        }
        let spaces =
            self.text[self.at..self.end].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if matches!(sign, "<&" | ">&") && spaces > 0 && self.peek(spaces) == b'-' {
            return Err("a closed descriptor is written in an unusual way");
        }
        if matches!(sign, "<&" | ">&") && self.peek(0) == b'-' {
            self.at += 1;
            self.out.redirects.push((start, self.at));
            return if self.is_word_end() { Ok(()) } else { Err("a word touches a closed descriptor") };
        }
        self.out.redirects.push((start, self.at));
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let from = self.at;
        if self.is_word_end() && !(matches!(self.peek(0), b'<' | b'>') && self.peek(1) == b'(')
            || self.peek(0) == b'#'
        {
            return Err("a redirection has no file");
        }
        self.word()?;
        let word = &self.text[from..self.at];
        self.out.words.push((from, self.at));
        if sign == ">&" && !word.bytes().all(|byte| byte.is_ascii_digit()) && self.shell != Dialect::Bash {
            return Err("it has a redirection that only bash knows");
        }
        if matches!(sign, "<&" | ">&") && word.ends_with('-') {
            return Err("it moves a descriptor");
        }
        // The shell expands such a word twice.
        if matches!(sign, "<&" | ">&") && !word.bytes().all(is_plain) {
            return Err("a file behind `>&` is written in an unusual way");
        }
        if matches!(sign, "<<" | "<<-") {
            let (end, quoted) = delimiter(word).ok_or("the end of a heredoc is written in an unusual way")?;
            self.pending.push(Heredoc { end: end.to_owned(), quoted, tabs: sign == "<<-" });
        }
        Ok(())
    }

    /// One word where `next` says what it is.
    fn next_word(&mut self, next: Next, cases: &mut usize) -> Result<Next, Beyond> {
        let start = self.at;
        if next == Next::Command && self.starts("[[") && matches!(self.peek(2), b' ' | b'\t') {
            self.only_bash("it has `[[`")?;
            self.test()?;
            return Ok(Next::Operator);
        }
        self.word()?;
        let word = &self.text[start..self.at];
        let touches = matches!(self.peek(0), b'<' | b'>');
        if touches && word.bytes().all(|byte| byte.is_ascii_digit()) {
            // The number of a descriptor.
            if word.len() > 1 {
                self.only_bash("it has a descriptor that only bash knows")?;
            }
            return Ok(next);
        }
        if touches && word.starts_with('{') && word.ends_with('}') {
            return Err("a descriptor has a name");
        }
        self.out.words.push((start, self.at));
        Ok(match next {
            Next::Command => match word {
                "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "{" => Next::Command,
                "!" => {
                    // A second one is unusual enough.
                    self.blanks()?;
                    if self.peek(0) == b'!' {
                        return Err("there are two `!`");
                    }
                    Next::Command
                }
                "fi" | "done" | "}" => Next::Operator,
                "for" => Next::ForName,
                "case" => {
                    *cases += 1;
                    Next::CaseWord
                }
                "select" | "coproc" | "[[" | "]]" => return Err("it has a command that is not read here"),
                "function" => {
                    self.only_bash("it has `function`")?;
                    Next::Function
                }
                "esac" | "in" => return Err("a word stands where it cannot"),
                _ if is_assignment(word) => {
                    if word.split('=').next().is_some_and(|name| name.ends_with(['+', ']'])) {
                        self.only_bash("it has an assignment that only bash knows")?;
                    }
                    self.out.assignments.push((start, self.at));
                    Next::Command
                }
                _ => {
                    self.out.names.push(start);
                    Next::Arguments(1)
                }
            },
            Next::Arguments(1) if self.is_timed(start) && is_reserved(word) => {
                return Err("`time` is written in an unusual way");
            }
            Next::Arguments(count) => Next::Arguments(count + 1),
            Next::Operator => return Err("a word follows where none can"),
            Next::ForName if is_name(word) => Next::ForIn,
            Next::ForName => return Err("a loop has an unusual variable"),
            Next::ForIn if word == "in" => Next::ForWords,
            Next::ForIn if word == "do" => Next::Command,
            Next::ForIn => return Err("a loop is written in an unusual way"),
            Next::ForWords => Next::ForWords,
            Next::CaseWord => Next::CaseIn,
            Next::CaseIn if word == "in" => Next::Pattern,
            Next::CaseIn => return Err("a case is written in an unusual way"),
            Next::Pattern if word == "esac" => {
                *cases = cases.checked_sub(1).ok_or("a case ends that never began")?;
                Next::Operator
            }
            Next::Pattern => Next::Pattern,
            Next::Function => {
                self.blanks()?;
                if self.peek(0) == b'(' {
                    return Err("a function is written in an unusual way");
                }
                Next::Command
            }
        })
    }

    /// Does `time` stand right before the word that starts here?
    fn is_timed(&self, start: usize) -> bool {
        self.text[..start].trim_end().ends_with("time")
    }

    /// Does no word go on here?
    fn is_word_end(&self) -> bool {
        self.at >= self.end
            || matches!(
                self.bytes[self.at],
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            )
    }

    /// One word to its end.
    fn word(&mut self) -> Result<(), Beyond> {
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
    fn tick(&mut self) -> Result<(), Beyond> {
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
    fn dollar(&mut self, quoted: bool) -> Result<(), Beyond> {
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
    fn arithmetic(&mut self) -> Result<(), Beyond> {
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

    /// `[[ … ]]`: simple words and the signs between them.
    fn test(&mut self) -> Result<(), Beyond> {
        self.at += 2;
        let mut matches_pattern = false;
        loop {
            self.blanks()?;
            if self.at >= self.end {
                return Err("a test has no end");
            }
            match self.bytes[self.at] {
                b'\n' | b';' | b'#' => return Err("a test is written in an unusual way"),
                b'&' | b'|' if self.starts("&&") || self.starts("||") => self.at += 2,
                b'<' | b'>' if matches!(self.peek(1), b' ' | b'\t') => self.at += 1,
                b'(' | b')' if !matches_pattern => self.at += 1,
                b'&' | b'|' | b'<' | b'>' | b'(' | b')' => return Err("a test is written in an unusual way"),
                _ => {
                    let start = self.at;
                    self.word()?;
                    // A pattern may have brackets and bars; they must not part words.
                    while matches_pattern && matches!(self.peek(0), b'(' | b')' | b'|') {
                        self.at += 1;
                        if !self.is_word_end() {
                            self.word()?;
                        }
                    }
                    let word = &self.text[start..self.at];
                    if word == "]]" {
                        return Ok(());
                    }
                    matches_pattern = word == "=~";
                }
            }
        }
    }

    /// The bodies of the heredocs that begin on this line.
    fn heredocs(&mut self) -> Result<(), Beyond> {
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
fn delimiter(word: &str) -> Option<(&str, bool)> {
    let bare = ["'", "\""].iter().find_map(|quote| word.strip_prefix(quote)?.strip_suffix(quote));
    let (end, quoted) = bare.map_or((word, false), |bare| (bare, true));
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || (quoted && b"-. !".contains(&byte));
    (!end.is_empty() && end.bytes().all(plain)).then_some((end, quoted))
}

/// Does the word mean more than itself at the beginning of a command?
fn is_reserved(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "select",
        "function", "{", "}", "!", "[[", "]]", "time", "coproc", "in", "-p", "--",
    ];
    WORDS.contains(&word) || is_assignment(word)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./".contains(&byte)
}

fn is_name(word: &str) -> bool {
    let start = word.bytes().next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic());
    start && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// `a=…`, `a+=…`, `a[…]=…`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    match name.split_once('[') {
        Some((name, index)) => is_name(name) && index.ends_with(']'),
        None => is_name(name),
    }
}

/// Signs that people do not see, or that turn the text around.
fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{3164}' | '\u{2800}')
}
