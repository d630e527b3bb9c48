//! `{env:NAME}` and `{file:path}` in configuration text, replaced before it is parsed.

use std::path::Path;

use crate::problem::Problem;
use crate::surroundings::Surroundings;
use crate::text::Text;

/// The most bytes of one file that is put in place of a `{file:…}`.
const MOST_FILE: u64 = 1024 * 1024;
/// The most bytes of a text after everything was put in place.
const MOST_TEXT: usize = 8 * 1024 * 1024;

/// Text with its variables and files put in, and the way back to the original positions.
#[derive(Debug)]
pub(crate) struct Substituted {
    pub(crate) text: String,
    /// Where each piece begins in the new text and in the original, in order.
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    start: usize,
    original: usize,
    /// Whether the piece is original text, so that offsets inside it can be carried over.
    copied: bool,
}

impl Substituted {
    /// Whether any of the new text between these offsets was put in.
    pub(crate) fn is_filled(&self, start: usize, end: usize) -> bool {
        let from = self.pieces.partition_point(|piece| piece.start <= start).saturating_sub(1);
        let near = self.pieces.iter().skip(from).take_while(|piece| piece.start < end);
        near.enumerate().any(|(index, piece)| {
            let behind = self.pieces.get(from + index + 1).map_or(self.text.len(), |next| next.start);
            !piece.copied && behind > start
        })
    }

    /// The offset in the original text.
    pub(crate) fn original(&self, offset: usize) -> usize {
        let index = self.pieces.partition_point(|piece| piece.start <= offset);
        let Some(piece) = index.checked_sub(1).and_then(|index| self.pieces.get(index)) else {
            return offset;
        };
        if piece.copied { piece.original + (offset - piece.start) } else { piece.original }
    }
}

/// What the scanner is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Code,
    String,
    LineComment,
    BlockComment,
}

/// Puts variables and files in place, outside comments.
///
/// Inside a string the value is escaped as JSON, so that a quote in a variable can neither break the file nor
/// add keys to it; outside strings it is put in as it is, so that `"port": {env:PORT}` gives a number.
pub(crate) fn substitute(
    source: &Text,
    surroundings: &Surroundings,
    base: &Path,
) -> Result<Substituted, Problem> {
    fill(source, |token, at| token.value(source, at, surroundings, base))
}

/// The text as it is written, fit to be parsed: nothing is looked up or read, and what stands outside of strings
/// becomes one.
pub(crate) fn unfilled(source: &Text) -> Result<Substituted, Problem> {
    fill(source, |token, _| Ok(token.written()))
}

/// The variables and files that a text names: whether it is a variable, and its name.
pub(crate) fn tokens(text: &str) -> Vec<(bool, &str)> {
    let starts = text.match_indices('{').map(|(at, _)| &text[at..]);
    let found = starts.filter_map(|rest| Token::read(rest, State::String));
    found.map(|token| (matches!(token.kind, Kind::Variable), token.name)).collect()
}

fn fill(
    source: &Text,
    value: impl Fn(&Token<'_>, usize) -> Result<String, Problem>,
) -> Result<Substituted, Problem> {
    let text = source.text.as_str();
    let mut out = Substituted { text: String::with_capacity(text.len()), pieces: Vec::new() };
    let mut state = State::Code;
    let mut copied_to = 0;
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let rest = &text[at..];
        if byte == b'{'
            && matches!(state, State::Code | State::String)
            && let Some(token) = Token::read(rest, state)
        {
            out.copy(text, copied_to, at);
            let value = value(&token, at)?;
            out.insert(&value, at, state);
            if out.text.len() > MOST_TEXT {
                return Err(source.syntax(at, "the text grows past 8 MiB here; include less"));
            }
            at += token.length;
            copied_to = at;
            continue;
        }
        let (next, step) = advance(state, rest);
        state = next;
        at += step;
    }
    out.copy(text, copied_to, text.len());
    Ok(out)
}

/// The state after the next character, or after the next two where they belong together.
fn advance(state: State, rest: &str) -> (State, usize) {
    let width = rest.chars().next().map_or(1, char::len_utf8);
    match state {
        State::Code if rest.starts_with('"') => (State::String, 1),
        State::Code if rest.starts_with("//") => (State::LineComment, 2),
        State::Code if rest.starts_with("/*") => (State::BlockComment, 2),
        State::String if rest.starts_with('\\') => {
            (State::String, 1 + rest[1..].chars().next().map_or(0, char::len_utf8))
        }
        State::String if rest.starts_with('"') => (State::Code, 1),
        // A string cannot hold a line break; ending it here keeps one missing quote from hiding the rest.
        State::String | State::LineComment if rest.starts_with('\n') => (State::Code, 1),
        State::BlockComment if rest.starts_with("*/") => (State::Code, 2),
        State::Code | State::String | State::LineComment | State::BlockComment => (state, width),
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Variable,
    File,
}

/// One `{env:…}` or `{file:…}`.
struct Token<'a> {
    kind: Kind,
    name: &'a str,
    length: usize,
    /// Whether it stands in a string.
    quoted: bool,
}

impl<'a> Token<'a> {
    fn read(rest: &'a str, state: State) -> Option<Self> {
        let (kind, prefix) = if rest.starts_with("{env:") { (Kind::Variable, 5) } else { (Kind::File, 6) };
        if prefix == 6 && !rest.starts_with("{file:") {
            return None;
        }
        let body = &rest[prefix..];
        let end = body.find(['}', '\n', '"'])?;
        let closed = body[end..].starts_with('}') && end > 0;
        closed.then(|| Self {
            kind,
            name: body[..end].trim(),
            length: prefix + end + 1,
            quoted: state == State::String,
        })
    }

    /// The token as it is written, quoted where it is no part of a string.
    fn written(&self) -> String {
        let kind = match self.kind {
            Kind::Variable => "env",
            Kind::File => "file",
        };
        let token = format!("{{{kind}:{}}}", self.name);
        if self.quoted { token } else { serde_json::Value::from(token).to_string() }
    }

    fn value(
        &self,
        source: &Text,
        at: usize,
        surroundings: &Surroundings,
        base: &Path,
    ) -> Result<String, Problem> {
        match self.kind {
            Kind::Variable => Ok(surroundings.variables.get(self.name).cloned().unwrap_or_default()),
            Kind::File => {
                let path = surroundings.resolve(self.name, base);
                included(&path).map_err(|reason| {
                    let shown = path.display();
                    source.syntax(
                        at,
                        format!("could not include `{shown}`: {reason}; create it or mend the path"),
                    )
                })
            }
        }
    }
}

fn included(path: &Path) -> Result<String, String> {
    let bytes = crate::read::regular(path, MOST_FILE).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    Ok(text.trim().to_owned())
}

impl Substituted {
    fn copy(&mut self, text: &str, from: usize, to: usize) {
        self.pieces.push(Piece { start: self.text.len(), original: from, copied: true });
        self.text.push_str(&text[from..to]);
    }

    fn insert(&mut self, value: &str, original: usize, state: State) {
        self.pieces.push(Piece { start: self.text.len(), original, copied: false });
        if state == State::String {
            let quoted = serde_json::Value::from(value).to_string();
            self.text.push_str(&quoted[1..quoted.len() - 1]);
        } else {
            self.text.push_str(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::SourceName;

    fn run(text: &str) -> Result<Substituted, Problem> {
        let surroundings = Surroundings::from_env(
            [("HOME", "/home/ada"), ("NAME", "Ada"), ("QUOTED", "a\"b\\c\nd"), ("PORT", "4096")]
                .map(|(k, v)| (k.to_owned(), v.to_owned())),
        );
        substitute(&Text::new(SourceName::file("praxis.json"), text), &surroundings, Path::new("/nowhere"))
    }

    #[test]
    fn variables_are_put_in_outside_comments() {
        let text =
            "{\"a\": \"{env:NAME} {env:MISSING}.\", // {env:NAME}\n\"p\": {env:PORT} /* {env:PORT} */}";
        assert_eq!(
            run(text).unwrap().text,
            "{\"a\": \"Ada .\", // {env:NAME}\n\"p\": 4096 /* {env:PORT} */}"
        );
    }

    #[test]
    fn a_quote_in_a_variable_cannot_end_the_string() {
        assert_eq!(run(r#"{"a": "{env:QUOTED}"}"#).unwrap().text, r#"{"a": "a\"b\\c\nd"}"#);
    }

    #[test]
    fn comment_marks_in_strings_are_text() {
        let text = r#"{"u": "https://{env:NAME}", "e": "\"{env:NAME}"}"#;
        assert_eq!(run(text).unwrap().text, r#"{"u": "https://Ada", "e": "\"Ada"}"#);
    }

    #[test]
    fn unfinished_tokens_stay() {
        for text in [r#"{"a": "{env:NAME"}"#, r#"{"a": "{env:}"}"#, r#"{"a": "{envy:NAME}"}"#, "{file:"] {
            assert_eq!(run(text).unwrap().text, text);
        }
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let text = r#"{"a": "{env:NAME}", "b": x}"#;
        let done = run(text).unwrap();
        let here = done.text.find('x').unwrap();
        assert_eq!(done.original(here), text.find('x').unwrap());
        assert_eq!(done.original(done.text.find("da").unwrap()), text.find("{env").unwrap());
    }

    #[test]
    fn a_missing_file_is_named_with_its_place() {
        insta::assert_snapshot!(run("{\n  \"a\": \"{file:key.txt}\"\n}").unwrap_err(), @r#"
        praxis.json:2:9: could not include `/nowhere/key.txt`: No such file or directory (os error 2); create it or mend the path
         2 |   "a": "{file:key.txt}"
           |         ^
        "#);
    }

    #[test]
    fn unfilled_text_can_be_parsed_and_reads_nothing() {
        let text = r#"{"p": {env:PORT}, "a": "x {file:/nowhere/at-all} \"{env:NAME}"}"#;
        let source = Text::new(SourceName::file("praxis.json"), text);
        assert_eq!(
            unfilled(&source).unwrap().text,
            r#"{"p": "{env:PORT}", "a": "x {file:/nowhere/at-all} \"{env:NAME}"}"#
        );
        assert_eq!(tokens("x {file: a b} {env:NAME}{env:}"), [(false, "a b"), (true, "NAME")]);
        assert_eq!(tokens("{}"), []);
    }

    #[test]
    fn what_was_put_in_is_known() {
        let done = run(r#"{"a": "{env:NAME}", "b": x, "c": "{env:MISSING}"}"#).unwrap();
        let at = |word: &str| done.text.find(word).unwrap();
        assert!(done.is_filled(at("\"Ada"), at("\"Ada") + 5));
        assert!(!done.is_filled(at("\"a"), at("\"a") + 3) && !done.is_filled(at("x"), at("x") + 1));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in r#"(\{env:|\{file:|[{}"\\/*\nNAMEé:, ])*"#) {
            let _ = tokens(&text);
            if let Ok(done) = run(&text) {
                for offset in 0..=done.text.len() {
                    prop_assert!(done.original(offset) <= text.len());
                }
            }
        }
    }
}
