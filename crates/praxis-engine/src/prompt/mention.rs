//! `@path` and `@agent` in a text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use praxis_proto::{AgentPart, FilePart, FileSource, SourceText};
use serde_json::Map;

use super::{PromptBody, PromptPart, file_url};
use crate::{Agents, Workbench};

/// Mentions of one text that are followed.
const MOST_MENTIONS: usize = 64;
/// What may close a sentence right behind a name.
pub(crate) const CLOSING: [char; 10] = [')', ']', '}', '>', ':', ';', '!', '?', '\'', '"'];

/// A name behind an `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The name, without the `@`.
    pub name: String,
    /// Where it stands, counted in characters, with the `@`.
    pub source: SourceText,
}

/// Where names are looked up.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'a> {
    /// Where relative paths start.
    pub root: &'a Path,
    /// Where they start when there is nothing below the root.
    pub directory: &'a Path,
    /// What `~` stands for.
    pub home: &'a Path,
    /// The agents.
    pub agents: &'a Agents,
}

impl<'a> Lookup<'a> {
    /// Looks up in an opened project.
    pub fn of(workbench: &'a Workbench) -> Self {
        Self {
            root: workbench.instance.root(),
            directory: workbench.instance.directory(),
            home: &workbench.shell.parts().home,
            agents: &workbench.agents,
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let candidates = match name.strip_prefix("~/") {
            Some(below) => [Some(self.home.join(below)), None],
            None => [Some(self.root.join(name)), Some(self.directory.join(name))],
        };
        candidates.into_iter().flatten().find(|path| path.exists())
    }
}

/// Finds all names: an `@` that follows no word and no backtick, then a path without spaces, commas and backticks.
pub fn find(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut before = None;
    let mut rest = text.char_indices().enumerate();
    while let Some((start, (at, c))) = rest.next() {
        let opens = c == '@' && !before.is_some_and(|b: char| b.is_alphanumeric() || matches!(b, '_' | '`'));
        before = Some(c);
        if !opens {
            continue;
        }
        let name = name(&text[at + 1..]);
        if name.is_empty() {
            continue;
        }
        let length = name.chars().count();
        before = name.chars().next_back();
        rest.nth(length - 1);
        let (start, end) = (start as u64, (start + 1 + length) as u64);
        found.push(Mention {
            name: name.to_owned(),
            source: SourceText { value: format!("@{name}"), start, end },
        });
    }
    found
}

/// The longest name at the beginning. A dot belongs to it only if something follows, or if it comes first.
fn name(text: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || matches!(c, '`' | ',' | '@');
    let whole = &text[..text.find(ends).unwrap_or(text.len())];
    let trimmed = whole.trim_end_matches('.');
    if trimmed.is_empty() && !whole.is_empty() { &whole[..whole.len().min(2)] } else { trimmed }
}

/// The parts that the names in a text stand for: files and folders that are there, else agents; each once.
pub fn parts(text: &str, lookup: &Lookup<'_>) -> Vec<PromptPart> {
    let mut known = HashSet::new();
    let parts = find(text).into_iter().filter_map(|mention| part(mention, lookup));
    let new = parts.filter(|part| known.insert(identity(part)));
    new.take(MOST_MENTIONS).collect()
}

/// What makes two attachments the same.
pub(crate) fn identity(part: &PromptPart) -> String {
    match &part.body {
        PromptBody::File(file) => file.url.clone(),
        PromptBody::Agent(agent) => format!("@{}", agent.name),
        PromptBody::Text(text) => text.text.clone(),
        PromptBody::Subtask(subtask) => subtask.prompt.clone(),
    }
}

fn part(mention: Mention, lookup: &Lookup<'_>) -> Option<PromptPart> {
    let plain = mention.name.trim_end_matches(CLOSING).trim_end_matches('.');
    let names = if plain == mention.name { vec![plain] } else { vec![mention.name.as_str(), plain] };
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let source = shortened(&mention, name);
        if let Some(path) = lookup.path(name) {
            return Some(PromptBody::File(file_part(name, &path, source)).into());
        }
        if lookup.agents.get(Some(name)).is_ok() {
            let agent = AgentPart { name: name.to_owned(), source: Some(source), extra: Map::new() };
            return Some(PromptBody::Agent(agent).into());
        }
    }
    None
}

fn shortened(mention: &Mention, name: &str) -> SourceText {
    let start = mention.source.start;
    SourceText { value: format!("@{name}"), start, end: start + 1 + name.chars().count() as u64 }
}

fn file_part(name: &str, path: &Path, text: SourceText) -> FilePart {
    let mime = if path.is_dir() { "application/x-directory" } else { "text/plain" };
    FilePart {
        mime: mime.to_owned(),
        filename: Some(name.to_owned()),
        url: file_url(path),
        source: Some(FileSource::File { text, path: path.to_string_lossy().into_owned() }),
        extra: Map::new(),
    }
}

/// How a part was written in the text, with the `@`.
pub(crate) fn written(part: &PromptPart) -> Option<&str> {
    match &part.body {
        PromptBody::File(FilePart { source: Some(FileSource::File { text, .. }), .. }) => Some(&text.value),
        PromptBody::Agent(agent) => agent.source.as_ref().map(|source| source.value.as_str()),
        PromptBody::File(_) | PromptBody::Text(_) | PromptBody::Subtask(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_found_where_people_write_them() {
        for (text, names) in [
            ("look at @src/main.rs please", &["src/main.rs"][..]),
            ("@a.rs and @b.rs, then @c.rs.", &["a.rs", "b.rs", "c.rs"]),
            ("(@docs/)", &["docs/)"]),
            ("@.github/workflows @../up @~/notes.md", &[".github/workflows", "../up", "~/notes.md"]),
            ("@./x.y.z...", &["./x.y.z"]),
            ("here: @. or @..", &[".", ".."]),
            ("mail me@example.com, `@not` or x_@y", &[]),
            ("two@@three @@four", &["three", "four"]),
            ("@", &[]),
            ("@ @,@`", &[]),
            ("ünï@code @ünï/ß.txt", &["ünï/ß.txt"]),
            ("line\n@next\tand", &["next"]),
        ] {
            let found = find(text);
            assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), names, "{text}");
            for Mention { name, source } in found {
                let at = |n: u64| usize::try_from(n).unwrap();
                let there: String = text.chars().take(at(source.end)).skip(at(source.start)).collect();
                assert_eq!((&there, &source.value), (&source.value, &format!("@{name}")), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_found_stands_in_the_text(text in "[@a./`, é_~\n]{0,40}") {
            for Mention { name, source } in find(&text) {
                let length = usize::try_from(source.end - source.start).unwrap();
                let there: String =
                    text.chars().skip(usize::try_from(source.start).unwrap()).take(length).collect();
                prop_assert_eq!(there, format!("@{}", name));
                prop_assert!(!name.contains([' ', '\n', ',', '`']));
            }
        }
    }
}
