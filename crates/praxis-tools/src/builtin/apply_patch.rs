//! Applies a patch to any number of files, all or nothing.

mod draft;

use praxis_os::{Existing, FileError, RealPath};
use praxis_policy::{Act, Grant};
use praxis_proto::FileEvent;
use praxis_text::diff;
use praxis_text::patch::{self, PatchError, Section};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::draft::{Draft, Drafts};
use super::edit::{diagnostics, refuse_denied};
use crate::files::{Findings, check_in_time, guarded, report_file, still_holds, tell};
use crate::{Ask, Cx, Files, Report, Tool, ToolError};

/// Change files with a patch: add, update, move and delete any number of them in one step.
///
/// The patch has this form; paths are relative to the project directory:
///
/// ```text
/// *** Begin Patch
/// *** Add File: path/new.txt
/// +every line of a new file begins with a plus
/// *** Update File: path/old.txt
/// *** Move to: path/renamed.txt
/// @@ fn the_enclosing_function
///  a line that stays
/// -a line that goes
/// +a line that comes
/// *** Delete File: path/obsolete.txt
/// *** End Patch
/// ```
///
/// - Show about three unchanged lines around a change, and `@@` with the enclosing line where those occur more than once.
/// - `*** Move to:` is optional. `*** End of File` after a chunk anchors it at the end.
/// - Nothing is written unless every part fits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The whole patch, markers included.
    patch_text: String,
}

/// The `apply_patch` tool.
pub struct ApplyPatch {
    files: Files,
}

impl ApplyPatch {
    /// Patches with these services.
    pub fn new(files: Files) -> Self {
        Self { files }
    }
}

impl Tool for ApplyPatch {
    type Input = Input;

    const NAME: &'static str = "apply_patch";

    async fn run(&self, Input { patch_text }: Input, cx: &Cx) -> Result<Report, ToolError> {
        let sections = sections(&patch_text)?;
        let targets = resolve(&sections, cx).await?;
        let paths: Vec<&RealPath> = targets.iter().flat_map(Target::paths).collect();
        let _held = self.files.locks.hold(&paths, cx).await?;
        for path in &paths {
            refuse_denied(path, cx).await?;
        }
        let drafts = tokio::task::spawn_blocking(move || draft::make(sections, targets))
            .await
            .map_err(|e| ToolError::Crashed { tool: Self::NAME.into(), message: e.to_string() })?
            .map_err(unverified)?;
        drafts.refuse_if_stale(&self.files, cx)?;

        let entries = drafts.entries(cx.instance());
        let grant = cx.ask(ask(&drafts, &entries, cx)).await?;
        commit(&drafts, &grant, &self.files, cx)?;
        let findings = after(&drafts, &grant, &self.files, cx).await?;
        Ok(report(&drafts, entries, &findings, cx))
    }
}

/// Where a section wants to go.
pub(super) struct Target {
    path: RealPath,
    move_to: Option<RealPath>,
}

impl Target {
    fn paths(&self) -> impl Iterator<Item = &RealPath> {
        [&self.path].into_iter().chain(&self.move_to)
    }
}

fn sections(text: &str) -> Result<Vec<Section>, ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::misuse("patchText is required"));
    }
    let sections = patch::parse(text).map_err(unverified_patch)?;
    if !sections.is_empty() {
        return Ok(sections);
    }
    let bare: String = text.split_whitespace().collect();
    let problem = match bare.as_str() {
        "***BeginPatch***EndPatch" => "patch rejected: empty patch",
        _ => "apply_patch verification failed: no hunks found",
    };
    Err(ToolError::misuse(problem))
}

fn unverified_patch(error: PatchError) -> ToolError {
    ToolError::misuse(format!("apply_patch verification failed: {error}"))
}

/// What stands against the patch, said as such; refusals keep their own words.
fn unverified(error: ToolError) -> ToolError {
    match error {
        ToolError::Misuse(text) => ToolError::misuse(format!("apply_patch verification failed: {text}")),
        ToolError::File(error) => ToolError::misuse(format!("apply_patch verification failed: {error}")),
        other => other,
    }
}

/// Resolves every path, and asks for each outside folder once, before any file is looked at.
async fn resolve(sections: &[Section], cx: &Cx) -> Result<Vec<Target>, ToolError> {
    let real = |given: &str| {
        let failed = |source| FileError::Io { path: given.into(), source };
        cx.instance().resolve(given).map_err(failed)
    };
    let mut targets = Vec::new();
    for section in sections {
        let (path, move_to) = match section {
            Section::Add { path, .. } | Section::Delete { path } => (path, None),
            Section::Update { path, move_to, .. } => (path, move_to.as_deref()),
        };
        targets.push(Target { path: real(path)?, move_to: move_to.map(real).transpose()? });
    }
    let mut asked: Vec<std::path::PathBuf> = Vec::new();
    for path in targets.iter().flat_map(Target::paths) {
        let folder = path.parent().to_owned();
        if !cx.instance().contains(path) && !asked.contains(&folder) {
            cx.ask_outside(path).await?;
            asked.push(folder);
        }
    }
    Ok(targets)
}

/// One question for everything: each path that is touched must be allowed, where a move goes to included.
fn ask(drafts: &Drafts, entries: &[Value], cx: &Cx) -> Ask {
    let names: Vec<String> = drafts.list().iter().map(|draft| cx.instance().name_of(&draft.path)).collect();
    let diffs: Vec<&str> = entries.iter().filter_map(|entry| entry["patch"].as_str()).collect();
    let ask = Ask::on("edit", names.clone())
        .to(Act::Write(drafts.list().iter().map(|draft| draft.path.as_path().to_owned()).collect()))
        .with("filepath", names.join(", "))
        .with("diff", diffs.join("\n"))
        .with("files", entries);
    guarded(ask, drafts.list().iter().map(|draft| &draft.path), cx.instance())
}

/// Writes everything; if one file cannot be written, those before it get their old content back.
fn commit(drafts: &Drafts, grant: &Grant, files: &Files, cx: &Cx) -> Result<(), ToolError> {
    for draft in drafts.list() {
        still_holds(&draft.path, &draft.old)?;
    }
    for (index, draft) in drafts.list().iter().enumerate() {
        if let Err(error) = put(draft, grant, cx) {
            return Err(undo(&drafts.list()[..index], error, grant, cx));
        }
    }
    for draft in drafts.list() {
        match &draft.new_bytes {
            Some(bytes) => {
                let data = std::fs::metadata(&draft.path).ok();
                files.seen.whole(cx.session(), draft.path.as_path(), bytes, &draft.new_text, data.as_ref());
            }
            None => files.seen.gone(cx.session(), draft.path.as_path()),
        }
    }
    Ok(())
}

fn put(draft: &Draft, grant: &Grant, cx: &Cx) -> Result<(), ToolError> {
    match &draft.new_bytes {
        Some(bytes) if draft.old.exists() => cx.write(grant, &draft.path, bytes, Existing::Replace),
        Some(bytes) => cx.write(grant, &draft.path, bytes, Existing::Refuse),
        None if draft.old.exists() => cx.remove(grant, &draft.path),
        None => Ok(()),
    }
}

fn undo(done: &[Draft], error: ToolError, grant: &Grant, cx: &Cx) -> ToolError {
    let mut left = Vec::new();
    for draft in done.iter().rev() {
        let undone = match draft.old.exists() {
            true => cx.write(grant, &draft.path, &draft.old.bytes, Existing::Replace),
            false => cx.remove(grant, &draft.path),
        };
        if undone.is_err() {
            left.push(cx.instance().name_of(&draft.path));
        }
    }
    if left.is_empty() {
        return ToolError::misuse(format!("apply_patch failed and no file was changed: {error}"));
    }
    let left = left.join(", ");
    ToolError::misuse(format!(
        "apply_patch failed half-way: {error}. These files are changed already: {left}"
    ))
}

/// Formats, tells and checks what was written.
async fn after(drafts: &Drafts, grant: &Grant, files: &Files, cx: &Cx) -> Result<Findings, ToolError> {
    for draft in drafts.list() {
        let path = &draft.path;
        let event = match (draft.old.exists(), draft.new_bytes.is_some()) {
            (_, false) => FileEvent::Unlink,
            (true, true) => FileEvent::Change,
            (false, true) => FileEvent::Add,
        };
        if draft.new_bytes.is_some() && files.after.format_in_time(path.as_path(), cx).await {
            draft.settle_format(grant, files, cx)?;
        }
        tell(cx, path, event);
    }
    let written = drafts.list().iter().filter(|draft| draft.new_bytes.is_some());
    let paths = written.map(|draft| draft.path.as_path().to_owned()).collect();
    Ok(check_in_time(&files.after, paths, cx).await)
}

fn report(drafts: &Drafts, entries: Vec<Value>, findings: &Findings, cx: &Cx) -> Report {
    let mut output = "Success. Updated the following files:".to_owned();
    for draft in drafts.list().iter().filter(|draft| !draft.is_moved_away()) {
        output.push_str(&format!("\n{} {}", draft.letter(), cx.instance().name_of(&draft.path)));
    }
    for draft in drafts.list() {
        if let Some(errors) = report_file(draft.path.as_path(), findings) {
            let name = cx.instance().name_of(&draft.path);
            output.push_str(&format!("\n\nLSP errors detected in {name}, please fix:\n{errors}"));
        }
    }
    let diffs: Vec<&str> = entries.iter().filter_map(|entry| entry["patch"].as_str()).collect();
    let diffs = diffs.join("\n");
    Report::new(&output, &output)
        .with("diff", diffs)
        .with("files", entries)
        .with("diagnostics", diagnostics(findings))
}

/// The difference of one file, for people and for clients.
fn difference(path: &RealPath, old: &str, new: &str) -> (String, Value) {
    let counts = diff::counts(old, new);
    let text = diff::trimmed(&diff::unified(&path.as_path().to_string_lossy(), old, new));
    (text, json!({ "additions": counts.additions, "deletions": counts.deletions }))
}
