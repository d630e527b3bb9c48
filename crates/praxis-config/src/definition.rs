//! Agents, modes and commands as markdown files in a configuration directory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use praxis_proto::Origin;

use crate::frontmatter;
use crate::node::{Node, Value};
use crate::problem::{Findings, Problem, Warning};
use crate::text::{SourceName, Text};

/// The most bytes of one definition.
const MOST_FILE: u64 = 1024 * 1024;
/// The most definitions below one directory.
const MOST_FILES: usize = 10_000;
/// How many directories deep definitions are looked for.
const MOST_DEPTH: usize = 32;

/// What a markdown file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Agent,
    Mode,
    Command,
}

impl Kind {
    /// In the order in which they are laid over each other.
    pub(crate) const ALL: [Self; 3] = [Self::Command, Self::Agent, Self::Mode];

    fn folders(self) -> [&'static str; 2] {
        match self {
            Self::Agent => ["agent", "agents"],
            Self::Mode => ["mode", "modes"],
            Self::Command => ["command", "commands"],
        }
    }

    /// The configuration key that holds such definitions, and their key for the body of the file.
    fn keys(self) -> (&'static str, &'static str) {
        match self {
            Self::Agent => ("agent", "prompt"),
            Self::Mode => ("mode", "prompt"),
            Self::Command => ("command", "template"),
        }
    }
}

/// One definition as a layer of configuration.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) layer: Node,
    pub(crate) source: SourceName,
}

/// The definitions of one kind in a configuration directory, sorted by path.
///
/// What is not `admitted` is neither entered nor read, and handed to `left_out`.
pub(crate) fn discover(
    directory: &Path,
    kind: Kind,
    admitted: &dyn Fn(&Path) -> bool,
    left_out: &mut Vec<PathBuf>,
    findings: &mut Findings,
) -> Vec<Definition> {
    let mut definitions = Vec::new();
    for folder in kind.folders() {
        let root = directory.join(folder);
        let mut walk = Walk { files: Vec::new(), entered: HashSet::new(), admitted, left_out, findings };
        walk.begin(&root, if kind == Kind::Mode { 1 } else { MOST_DEPTH });
        let mut files = walk.files;
        files.sort();
        for path in files {
            definitions.extend(read(&root, path, kind, findings));
        }
    }
    definitions
}

fn read(root: &Path, path: PathBuf, kind: Kind, findings: &mut Findings) -> Option<Definition> {
    let source = SourceName::file(&path);
    let text = match crate::read::optional(&path, MOST_FILE) {
        Ok(Some(bytes)) => Text::decode(source.clone(), bytes),
        Ok(None) => {
            let message = "this link leads nowhere; it is skipped";
            findings.warnings.push(Warning::new(&source.origin(1, 1), message));
            return None;
        }
        Err(error) => Err(Problem::unreadable(&path, error)),
    };
    let text = text.map_err(|problem| findings.problems.push(problem)).ok()?;
    let document = frontmatter::parse(&text).map_err(|warning| findings.warnings.push(warning)).ok()?;

    let mut fields = document.fields;
    let (section, body_key) = kind.keys();
    let members = fields.as_object_mut()?;
    let name = match members.shift_remove("name") {
        None => name_of(root, &path),
        Some(Node { value: Value::String(name), .. }) if !name.trim().is_empty() => name.trim().to_owned(),
        Some(other) => {
            let problem = format!("expected a string that is not empty, found {}", other.kind());
            match kind {
                Kind::Mode => findings
                    .warnings
                    .push(Warning::new(&other.origin, format!("`name`: {problem}; the mode is skipped"))),
                Kind::Agent | Kind::Command => {
                    findings.problems.push(Problem::value(&other.origin, "name", problem))
                }
            }
            return None;
        }
    };
    // An empty body says nothing; it must not hide a prompt that is given as a field.
    let is_empty = document.body.as_str().is_none_or(str::is_empty);
    if !is_empty || (kind == Kind::Command && !members.contains_key(body_key)) {
        members.insert(body_key.to_owned(), document.body);
    }
    Some(Definition { layer: fields.under(&name).under(section), source })
}

/// The path below the folder, with slashes and without the ending.
fn name_of(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

struct Walk<'a> {
    files: Vec<PathBuf>,
    /// Directories on the way, by their real path: a link may lead back up.
    entered: HashSet<PathBuf>,
    admitted: &'a dyn Fn(&Path) -> bool,
    left_out: &'a mut Vec<PathBuf>,
    findings: &'a mut Findings,
}

impl Walk<'_> {
    fn begin(&mut self, root: &Path, depth: usize) {
        if (self.admitted)(root) {
            self.enter(root, depth);
        } else if root.is_dir() {
            self.left_out.push(root.to_owned());
        }
    }

    fn enter(&mut self, directory: &Path, depth: usize) {
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if crate::read::is_absent(&error) => return,
            Err(error) => {
                self.findings.problems.push(Problem::unreadable(directory, error));
                return;
            }
        };
        let Ok(real) = directory.canonicalize() else { return };
        if !self.entered.insert(real) {
            return;
        }
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if self.files.len() >= MOST_FILES {
                let message = format!("more than {MOST_FILES} definitions; the rest is skipped");
                let origin: Origin = SourceName::file(directory).origin(1, 1);
                self.findings.warnings.push(Warning::new(&origin, message));
                return;
            }
            let is_folder = path.is_dir();
            let counts =
                if is_folder { depth > 1 } else { path.extension().is_some_and(|ending| ending == "md") };
            match counts {
                false => {}
                true if !(self.admitted)(&path) => self.left_out.push(path),
                true if is_folder => self.enter(&path, depth - 1),
                true => self.files.push(path),
            }
        }
    }
}
