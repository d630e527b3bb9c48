//! Writes a whole file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::edit::{diagnostics, load_off_thread, target};
use crate::files::{Change, apply_change, guarded, refuse_if_stale, report_file, report_others};
use crate::{Ask, Cx, Files, Report, Tool, ToolError};

/// Write a whole file: a new one, or a new content for one that exists.
///
/// - Read an existing file first. Prefer `edit` for changes; write only what has to be new.
/// - Folders that are missing are made. The content is written as it is given, line endings included.
/// - Do not create documentation or notes unless the user asks for them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The whole new content.
    content: String,
    /// The path of the file, absolute or relative to the project directory.
    file_path: String,
}

/// The `write` tool.
pub struct Write {
    files: Files,
}

impl Write {
    /// Writes with these services.
    pub fn new(files: Files) -> Self {
        Self { files }
    }
}

impl Tool for Write {
    type Input = Input;

    const NAME: &'static str = "write";

    async fn run(&self, Input { content, file_path }: Input, cx: &Cx) -> Result<Report, ToolError> {
        let path = target(&file_path, cx).await?;
        let _held = self.files.locks.hold(&[&path], cx).await?;
        let old = load_off_thread(&path).await?;
        let existed = old.exists();
        let new_bytes = old.encode(&content)?;
        let new_text = content.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(content);
        let mut change = Change { name: cx.instance().name_of(&path), path, old, new_bytes, new_text };
        refuse_if_stale(&change.path, &change.old, &self.files, cx)?;

        let ask = Ask::edit(cx.instance(), &change.path)
            .with("filepath", change.path.as_path().to_string_lossy())
            .with("diff", change.diff());
        let grant = cx.ask(guarded(ask, [&change.path], cx.instance())).await?;
        let findings = apply_change(&mut change, &grant, &self.files, cx).await?;

        let file = change.path.as_path();
        let mut output = "Wrote file successfully.".to_owned();
        if let Some(errors) = report_file(file, &findings) {
            output.push_str(&format!("\n\nLSP errors detected in this file, please fix:\n{errors}"));
        }
        if let Some(errors) = report_others(file, &findings) {
            output.push_str(&format!("\n\nLSP errors detected in other files:\n{errors}"));
        }
        Ok(Report::new(&change.name, output)
            .with("diagnostics", diagnostics(&findings))
            .with("filepath", file.to_string_lossy())
            .with("exists", existed))
    }
}
