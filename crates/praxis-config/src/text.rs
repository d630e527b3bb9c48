//! Configuration text and positions in it.

use std::cell::Cell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use praxis_proto::{Origin, Place};

use crate::problem::{Problem, harmless};

/// What a piece of configuration text is called in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SourceName {
    /// A file.
    File(Arc<PathBuf>),
    /// An environment variable.
    Variable(Arc<str>),
}

impl SourceName {
    pub(crate) fn file(path: impl Into<PathBuf>) -> Self {
        Self::File(Arc::new(path.into()))
    }

    /// The source as a whole.
    pub(crate) fn origin(&self, line: u32, column: u32) -> Origin {
        match self {
            Self::File(file) => Origin::File(Place { file: Arc::clone(file), line, column }),
            Self::Variable(name) => Origin::Named(Arc::clone(name)),
        }
    }

    /// The directory that relative paths in the source start from.
    pub(crate) fn directory(&self) -> Option<&Path> {
        match self {
            Self::File(file) => file.parent(),
            Self::Variable(_) => None,
        }
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// The text of one source, as its writer sees it.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) name: SourceName,
    pub(crate) text: String,
    /// The last position asked for: positions are asked for in order, and counting the characters of a long
    /// line from its beginning each time would take quadratic time.
    seen: Cell<Position>,
}

#[derive(Debug, Clone, Copy)]
struct Position {
    offset: usize,
    line: u32,
    column: u32,
}

const START: Position = Position { offset: 0, line: 1, column: 1 };

impl Text {
    pub(crate) fn new(name: SourceName, text: impl Into<String>) -> Self {
        Self { name, text: text.into(), seen: Cell::new(START) }
    }

    /// Decodes a file's bytes; a byte order mark is dropped.
    pub(crate) fn decode(name: SourceName, bytes: Vec<u8>) -> Result<Self, Problem> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let readable = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
            Self::new(name.clone(), readable).syntax(good, "this byte is not UTF-8; save the file as UTF-8")
        })?;
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => Self::new(name, rest),
            None => Self::new(name, text),
        })
    }

    /// Line and column of a byte offset, both from one.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let offset = self.text.floor_char_boundary(offset);
        let mut at = self.seen.get();
        if offset < at.offset {
            at = START;
        }
        for c in self.text[at.offset..offset].chars() {
            if c == '\n' {
                at.line += 1;
                at.column = 1;
            } else {
                at.column += 1;
            }
        }
        at.offset = offset;
        self.seen.set(at);
        (at.line, at.column)
    }

    pub(crate) fn origin(&self, offset: usize) -> Origin {
        let (line, column) = self.position(offset);
        self.name.origin(line, column)
    }

    /// A complaint about the text at an offset, with the line and a caret.
    pub(crate) fn syntax(&self, offset: usize, problem: impl Into<String>) -> Problem {
        let (line, column) = self.position(offset);
        Problem::Syntax {
            at: format!("{}:{line}:{column}", self.name),
            problem: harmless(&problem.into()),
            excerpt: self.excerpt(line, column),
        }
    }

    /// The line and a caret under the column; of a long line only the neighbourhood.
    fn excerpt(&self, line: u32, column: u32) -> String {
        const AROUND: usize = 50;
        let content = self.text.split('\n').nth(line as usize - 1).unwrap_or_default();
        let column = column as usize - 1;
        let skipped = column.saturating_sub(AROUND);
        // Control characters could move the cursor of the terminal that shows the message.
        let shown: String = content
            .chars()
            .skip(skipped)
            .take(2 * AROUND)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let caret = " ".repeat(column - skipped);
        format!(" {number} | {}\n {margin} | {caret}^", shown.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> Text {
        Text::new(SourceName::file("praxis.json"), content)
    }

    #[test]
    fn columns_count_characters() {
        let text = text("{\n  \"ä\": x\n}");
        let offset = text.text.find('x').unwrap();
        assert_eq!(text.position(offset), (2, 8));
        assert_eq!(text.position(0), (1, 1));
        assert_eq!(text.position(9_999), (3, 2));
    }

    #[test]
    fn the_caret_stands_under_the_column() {
        let text = text("{\n  \"a\": x,\n}");
        insta::assert_snapshot!(text.syntax(9, "expected a value"), @r#"
        praxis.json:2:8: expected a value
         2 |   "a": x,
           |        ^
        "#);
    }

    #[test]
    fn a_long_line_is_cut_round_the_column() {
        let text = text(&format!("{}!{}", "a".repeat(500), "b".repeat(500)));
        let Problem::Syntax { excerpt, .. } = text.syntax(500, "no") else { panic!("a syntax problem") };
        assert_eq!(excerpt.lines().next().unwrap().chars().count(), 105);
        assert!(excerpt.lines().nth(1).unwrap().ends_with(" ^"));
    }

    #[test]
    fn bytes_that_are_no_text_are_placed() {
        let bytes = b"{\n  \"a\": \"\xff\"\n}".to_vec();
        let problem = Text::decode(SourceName::file("praxis.json"), bytes).unwrap_err();
        insta::assert_snapshot!(problem, @r#"
        praxis.json:2:9: this byte is not UTF-8; save the file as UTF-8
         2 |   "a": "
           |         ^
        "#);
        let marked = Text::decode(SourceName::file("x"), "\u{feff}{}".into()).unwrap();
        assert_eq!(marked.text, "{}");
    }
}
