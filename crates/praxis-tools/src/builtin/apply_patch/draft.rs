//! What every file of a patch is to become, worked out before anything is written.

use std::collections::HashMap;
use std::path::PathBuf;

use praxis_os::RealPath;
use praxis_policy::Grant;
use praxis_text::patch::{self, Chunk, Section};
use praxis_text::{apply, encoding};
use serde_json::{Value, json};

use super::{Target, difference};
use crate::files::{Content, load, refuse_if_stale, settle_format, unencodable};
use crate::{Cx, Files, Instance, ToolError};

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Update,
    Delete,
    /// Its content goes elsewhere.
    MovedAway,
    /// It gets the content of the draft with this number.
    MovedHere(usize),
}

/// One file as it stands and as it should.
pub(super) struct Draft {
    pub(super) path: RealPath,
    pub(super) old: Content,
    /// Nothing means that the file goes.
    pub(super) new_bytes: Option<Vec<u8>>,
    pub(super) new_text: String,
    kind: Kind,
}

impl Draft {
    pub(super) fn is_moved_away(&self) -> bool {
        self.kind == Kind::MovedAway
    }

    pub(super) fn letter(&self) -> char {
        match self.kind {
            Kind::Add => 'A',
            Kind::Delete => 'D',
            Kind::Update | Kind::MovedAway | Kind::MovedHere(_) => 'M',
        }
    }

    /// Takes what a formatter made of it as known to the session.
    pub(super) fn settle_format(&self, grant: &Grant, files: &Files, cx: &Cx) -> Result<(), ToolError> {
        let Some(wanted) = &self.new_bytes else { return Ok(()) };
        let (bytes, text) = settle_format(&self.path, wanted, grant, cx)?;
        let data = std::fs::metadata(&self.path).ok();
        files.seen.whole(cx.session(), self.path.as_path(), &bytes, &text, data.as_ref());
        Ok(())
    }

    fn set(&mut self, bytes: Vec<u8>, text: String) {
        self.new_bytes = Some(bytes);
        self.new_text = text;
    }

    fn clear(&mut self, kind: Kind) {
        self.new_bytes = None;
        self.new_text.clear();
        self.kind = kind;
    }
}

/// All files of a patch, each once, in the order of their first mention.
#[derive(Default)]
pub(super) struct Drafts {
    list: Vec<Draft>,
    known: HashMap<PathBuf, usize>,
}

impl Drafts {
    pub(super) fn list(&self) -> &[Draft] {
        &self.list
    }

    pub(super) fn refuse_if_stale(&self, files: &Files, cx: &Cx) -> Result<(), ToolError> {
        self.list.iter().try_for_each(|draft| refuse_if_stale(&draft.path, &draft.old, files, cx))
    }

    /// What clients are told about each file; a move is one entry.
    pub(super) fn entries(&self, instance: &Instance) -> Vec<Value> {
        self.list
            .iter()
            .filter(|draft| !draft.is_moved_away())
            .map(|draft| self.entry(draft, instance))
            .collect()
    }

    fn entry(&self, draft: &Draft, instance: &Instance) -> Value {
        let source = match draft.kind {
            Kind::MovedHere(from) => &self.list[from],
            Kind::Add | Kind::Update | Kind::Delete | Kind::MovedAway => draft,
        };
        let (patch, counts) = difference(&draft.path, source.old.text(), &draft.new_text);
        let mut entry = json!({
            "filePath": source.path.as_path().to_string_lossy(),
            "relativePath": instance.name_of(&draft.path),
            "type": match draft.kind {
                Kind::Add => "add",
                Kind::Update | Kind::MovedAway => "update",
                Kind::Delete => "delete",
                Kind::MovedHere(_) => "move",
            },
            "patch": patch,
            "additions": counts["additions"],
            "deletions": counts["deletions"],
        });
        match draft.kind {
            Kind::MovedHere(_) => entry["movePath"] = json!(draft.path.as_path().to_string_lossy()),
            Kind::Delete => entry["deletions"] = json!(source.old.text().split('\n').count()),
            Kind::Add | Kind::Update | Kind::MovedAway => {}
        }
        entry
    }

    /// The number of a file's draft; the file is read at its first mention.
    fn at(&mut self, path: &RealPath) -> Result<usize, ToolError> {
        if let Some(&number) = self.known.get(path.as_path()) {
            return Ok(number);
        }
        let old = load(path)?;
        let new_bytes = old.exists().then(|| old.bytes.clone());
        let new_text = old.text().to_owned();
        self.list.push(Draft { path: path.clone(), old, new_bytes, new_text, kind: Kind::Update });
        let number = self.list.len() - 1;
        self.known.insert(path.as_path().to_owned(), number);
        Ok(number)
    }
}

/// Works a patch out. Sections on one file build on each other. Nothing is written.
pub(super) fn make(sections: Vec<Section>, targets: Vec<Target>) -> Result<Drafts, ToolError> {
    let mut drafts = Drafts::default();
    for (section, Target { path, move_to }) in sections.into_iter().zip(targets) {
        match section {
            Section::Add { content, .. } => {
                let number = drafts.at(&path)?;
                let ended = content.is_empty() || content.ends_with('\n');
                let text = if ended { content } else { content + "\n" };
                drafts.list[number].set(text.clone().into_bytes(), text);
                drafts.list[number].kind = Kind::Add;
            }
            Section::Delete { .. } => {
                let number = drafts.at(&path)?;
                if drafts.list[number].new_bytes.is_none() {
                    return Err(missing("delete", &path));
                }
                drafts.list[number].clear(Kind::Delete);
            }
            Section::Update { chunks, .. } => {
                let number = drafts.at(&path)?;
                update(&mut drafts.list[number], &chunks)?;
                if let Some(target) = move_to.filter(|target| *target != path) {
                    relocate(&mut drafts, number, &target)?;
                }
            }
        }
    }
    Ok(drafts)
}

fn update(draft: &mut Draft, chunks: &[Chunk]) -> Result<(), ToolError> {
    let Some(bytes) = &draft.new_bytes else { return Err(missing("update", &draft.path)) };
    let name = draft.path.as_path().to_string_lossy();
    let Ok(decoded) = encoding::decode(bytes) else {
        return Err(ToolError::misuse(format!("Cannot edit binary file: {name}")));
    };
    let hunks = patch::derive(&decoded.text, &name, chunks).map_err(|e| ToolError::Misuse(e.to_string()))?;
    let bytes = encoding::splice(bytes, &decoded, &hunks).map_err(unencodable)?;
    let text = apply(&decoded.text, &hunks);
    draft.set(bytes, text);
    Ok(())
}

fn relocate(drafts: &mut Drafts, from: usize, target: &RealPath) -> Result<(), ToolError> {
    let to = drafts.at(target)?;
    let (bytes, text) = (drafts.list[from].new_bytes.take(), std::mem::take(&mut drafts.list[from].new_text));
    drafts.list[to].set(bytes.unwrap_or_default(), text);
    drafts.list[to].kind = Kind::MovedHere(from);
    drafts.list[from].clear(Kind::MovedAway);
    Ok(())
}

fn missing(act: &str, path: &RealPath) -> ToolError {
    ToolError::misuse(format!("Failed to read file to {act}: {}", path.as_path().display()))
}
