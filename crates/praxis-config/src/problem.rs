//! What is wrong with the configuration, and what only looks wrong.

use std::fmt;
use std::path::PathBuf;

use praxis_proto::Origin;

/// The configuration cannot be used; every broken source is listed.
///
/// Loading fails as a whole, because leaving out a file could leave out a rule that denies something.
#[derive(Debug, thiserror::Error)]
#[error("{}", list(.problems))]
pub struct ConfigError {
    /// What is wrong, in the order in which the sources are read.
    pub problems: Vec<Problem>,
}

fn list(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// One thing that is wrong, sorted by who has to act on it.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The writer of the file has to mend its text.
    #[error("{at}: {problem}\n{excerpt}")]
    Syntax {
        /// File or variable, line and column.
        at: String,
        /// What is wrong there.
        problem: String,
        /// The line and a caret under the column.
        excerpt: String,
    },
    /// The writer of the file has to change one value.
    #[error("{}: `{key}`: {problem}", exact(.origin))]
    Value {
        /// Where the value stands.
        origin: Origin,
        /// The path of keys to it, with dots.
        key: String,
        /// What was expected.
        problem: String,
    },
    /// Whoever looks after the machine has to see to the file.
    #[error("could not read `{}`: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened and what to do.
        problem: String,
        /// The cause, where the system gave one.
        #[source]
        source: Option<std::io::Error>,
    },
}

impl Problem {
    pub(crate) fn value(origin: &Origin, key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Value { origin: origin.clone(), key: harmless(&key.into()), problem: harmless(&problem.into()) }
    }

    pub(crate) fn unreadable(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::File {
            path: path.into(),
            problem: format!("{source}; check that the file exists and may be read"),
            source: Some(source),
        }
    }
}

/// Something that looks wrong, but does not stop the configuration from being used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Where it stands.
    pub origin: Origin,
    /// What it is, and what was done about it.
    pub message: String,
}

impl Warning {
    pub(crate) fn new(origin: &Origin, message: impl Into<String>) -> Self {
        Self { origin: origin.clone(), message: harmless(&message.into()) }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

/// Problems and warnings as they are found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Warning>,
}

impl Findings {
    pub(crate) fn extend(&mut self, other: Self) {
        self.problems.extend(other.problems);
        self.warnings.extend(other.warnings);
    }
}

/// An origin with its column, where it has one.
fn exact(origin: &Origin) -> String {
    origin.place().map_or_else(|| origin.to_string(), ToString::to_string)
}

/// ` (did you mean `x`?)` when one of the words is close to what was written, else nothing.
pub(crate) fn did_you_mean<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, words).map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

/// The word at most two edits away, or one edit for short words.
pub(crate) fn nearest<'a>(written: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = written.chars().count();
    if length > 64 {
        return None;
    }
    let reach = if length <= 3 { 1 } else { 2 };
    words
        .into_iter()
        .map(|word| (strsim::osa_distance(&written.to_lowercase(), &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= reach)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// A message that may hold text from a file, fit for a terminal: control characters could move its cursor.
pub(crate) fn harmless(message: &str) -> String {
    shortened(message, 600)
}

/// A word from a file, to quote in a message.
pub(crate) fn printable(word: &str) -> String {
    shortened(word, 40)
}

fn shortened(text: &str, most: usize) -> String {
    let mut short: String =
        text.chars().take(most).map(|c| if is_treacherous(c) { ' ' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

/// Control characters, and marks that show a text in another order than it has, or hide a part of it.
fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_words_are_suggested() {
        assert_eq!(nearest("promt", ["prompt", "model"]), Some("prompt"));
        assert_eq!(nearest("apikey", ["apiKey"]), Some("apiKey"));
        assert_eq!(nearest("lps", ["lsp", "mcp"]), Some("lsp"));
        assert_eq!(nearest("reasoningEffort", ["prompt", "model"]), None);
    }

    #[test]
    fn text_for_the_terminal_is_short_and_harmless() {
        assert_eq!(printable("a\u{1b}[2Jb"), "a [2Jb");
        assert_eq!(printable("rm \u{202e}x\u{200b}y"), "rm  x y");
        assert_eq!(printable(&"x".repeat(41)).chars().count(), 41);
    }
}
