//! Replaces one piece of a file by another.

use praxis_os::{FileError, RealPath};
use praxis_proto::Action;
use praxis_text::replace::{ReplaceError, replace};
use praxis_text::{apply, encoding};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};

use super::read::not_found;
use crate::files::{Change, Content, apply_change, guarded, load, refuse_if_stale, report_file, unencodable};
use crate::{Ask, Cx, Files, Report, Tool, ToolError};

/// Replace one piece of text in a file by another.
///
/// - Read the file first and copy `oldString` exactly as it stands there, without the line numbers that `read` adds.
/// - `oldString` must name one place. If it does not, add surrounding lines until it does, or set `replaceAll` to
///   change every occurrence, for example to rename a variable.
/// - Line endings, encoding and everything outside the replaced piece stay as they are.
/// - An empty `oldString` creates a new file; to replace a whole file use `write`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The path of the file, absolute or relative to the project directory.
    file_path: String,
    /// The text to replace.
    old_string: String,
    /// The text to put there; it must differ from `oldString`.
    new_string: String,
    /// Replace every occurrence instead of exactly one.
    #[serde(default)]
    replace_all: bool,
}

/// The `edit` tool.
pub struct Edit {
    files: Files,
}

impl Edit {
    /// Edits with these services.
    pub fn new(files: Files) -> Self {
        Self { files }
    }
}

impl Tool for Edit {
    type Input = Input;

    const NAME: &'static str = "edit";

    async fn run(&self, input: Input, cx: &Cx) -> Result<Report, ToolError> {
        if input.old_string == input.new_string {
            return Err(ToolError::Misuse(ReplaceError::Identical.to_string()));
        }
        let path = target(&input.file_path, cx).await?;
        let _held = self.files.locks.hold(&[&path], cx).await?;
        let mut change = change(input, path, cx).await?;
        refuse_if_stale(&change.path, &change.old, &self.files, cx)?;

        let diff = change.diff();
        let ask = Ask::edit(cx.instance(), &change.path)
            .with("filepath", change.path.as_path().to_string_lossy())
            .with("diff", diff.as_str());
        let grant = cx.ask(guarded(ask, [&change.path], cx.instance())).await?;
        let findings = apply_change(&mut change, &grant, &self.files, cx).await?;

        let diff = change.diff();
        let mut output = "Edit applied successfully.".to_owned();
        if let Some(errors) = report_file(change.path.as_path(), &findings) {
            output.push_str(&format!("\n\nLSP errors detected in this file, please fix:\n{errors}"));
        }
        let report = Report::new(&change.name, output)
            .with("diagnostics", diagnostics(&findings))
            .with("filediff", change.file_diff(&diff))
            .with("diff", diff);
        Ok(report)
    }
}

/// The file a model named, with leave to be where it is. What the rules deny is refused before anything is read.
pub(super) async fn target(given: &str, cx: &Cx) -> Result<RealPath, ToolError> {
    if given.is_empty() {
        return Err(ToolError::misuse("filePath is required"));
    }
    let path = cx.instance().resolve(given).map_err(|source| FileError::Io { path: given.into(), source })?;
    cx.ask_outside(&path).await?;
    refuse_denied(&path, cx).await?;
    Ok(path)
}

/// An error about the content of a file must not reach an agent that may not touch it.
pub(super) async fn refuse_denied(path: &RealPath, cx: &Cx) -> Result<(), ToolError> {
    let ask = Ask::edit(cx.instance(), path);
    let name = cx.instance().name_of(path);
    if cx.authority().decide("edit", &name, &[]).action == Action::Deny {
        let _never = cx.ask(ask).await?;
    }
    Ok(())
}

async fn change(input: Input, path: RealPath, cx: &Cx) -> Result<Change, ToolError> {
    let old = load_off_thread(&path).await?;
    let name = cx.instance().name_of(&path);
    let Input { old_string, new_string, replace_all, .. } = input;
    if old_string.is_empty() {
        if old.exists() {
            return Err(ToolError::misuse(
                "oldString cannot be empty for a file that exists; give the text to replace, or use write to \
                 replace the whole file",
            ));
        }
        return Ok(Change {
            path,
            name,
            old,
            new_bytes: new_string.clone().into_bytes(),
            new_text: new_string,
        });
    }
    if !old.exists() {
        return Err(not_found(&format!("File {} not found", path.as_path().display()), path.as_path(), cx));
    }
    let may_read = cx.authority().decide("read", &name, &[]).action == Action::Allow;
    let made = tokio::task::spawn_blocking(move || {
        let decoded = old.editable(&path)?;
        let replacement = replace(&decoded.text, &old_string, &new_string, replace_all)
            .map_err(|error| ToolError::Misuse(told(error, may_read)))?;
        let new_bytes = encoding::splice(&old.bytes, decoded, &replacement.hunks).map_err(unencodable)?;
        let new_text = apply(&decoded.text, &replacement.hunks);
        Ok(Change { path, name, old, new_bytes, new_text })
    });
    made.await.map_err(|e| ToolError::Crashed { tool: Edit::NAME.into(), message: e.to_string() })?
}

/// Whoever may not read a file is not shown its nearest lines either.
fn told(error: ReplaceError, may_read: bool) -> String {
    match error {
        ReplaceError::NotFound { .. } if !may_read => ReplaceError::NotFound { nearest: None }.to_string(),
        error => error.to_string(),
    }
}

/// Reads a file without holding up other calls.
pub(super) async fn load_off_thread(path: &RealPath) -> Result<Content, ToolError> {
    let path = path.clone();
    let loaded = tokio::task::spawn_blocking(move || load(&path)).await;
    loaded.map_err(|e| ToolError::Crashed { tool: Edit::NAME.into(), message: e.to_string() })?
}

/// Findings as metadata has them: by file, touched files only.
pub(super) fn diagnostics(findings: &crate::files::Findings) -> Map<String, serde_json::Value> {
    findings.iter().map(|(path, found)| (path.to_string_lossy().into_owned(), json!(found))).collect()
}
