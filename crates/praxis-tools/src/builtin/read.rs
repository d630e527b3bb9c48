//! Reads a text file, a page at a time.

mod page;
mod similar;

use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::Path;

use praxis_os::{FileError, RealPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use self::page::{BadPage, Page, Window, looks_binary, read_page, sample};
use crate::{Ask, Cx, Report, Tool, ToolError};

/// Lines shown in the preview that clients draw.
const PREVIEW_LINES: usize = 20;
/// Files that are never text, whatever their first bytes look like.
const BINARY_EXTENSIONS: &[&str] = &[
    "7z", "a", "bin", "class", "dat", "dll", "doc", "docx", "exe", "gz", "jar", "lib", "o", "obj", "odp",
    "ods", "odt", "ppt", "pptx", "pyc", "pyo", "so", "tar", "war", "wasm", "xls", "xlsx", "zip",
];

/// Read a text file from the local file system.
///
/// - Gives up to 2000 lines from the start; use `offset` and `limit` to see other parts of a long file.
/// - Every line comes as `<number>: <content>`. Lines over 2000 characters are cut.
/// - Read several files at once by calling this tool several times in one answer.
/// - Prefer one large window over many small ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The path of the file, absolute or relative to the project directory.
    file_path: String,
    /// The line to start from, counted from 1.
    offset: Option<u64>,
    /// The number of lines to read, 2000 unless given.
    limit: Option<u64>,
}

/// The `read` tool.
#[derive(Debug, Clone, Copy)]
pub struct Read;

impl Tool for Read {
    type Input = Input;

    const NAME: &'static str = "read";

    async fn run(&self, input: Input, cx: &Cx) -> Result<Report, ToolError> {
        if input.file_path.is_empty() {
            return Err(ToolError::misuse("filePath is required"));
        }
        let path = cx
            .instance()
            .resolve(&input.file_path)
            .map_err(|source| FileError::Io { path: input.file_path.clone().into(), source })?;
        cx.ask_outside(&path).await?;
        let grant = cx.ask(Ask::read(cx.instance(), &path)).await?;
        let file = match cx.open(&grant) {
            Err(ToolError::File(FileError::NotFound(missing))) => return Err(not_found(&missing)),
            opened => opened?,
        };

        let window = Window::new(input.offset, input.limit);
        let (cancel, name) = (cx.cancel().clone(), path.clone());
        let page = tokio::task::spawn_blocking(move || read_text(file, &name, window, &cancel))
            .await
            .map_err(|e| ToolError::Crashed { tool: Self::NAME.into(), message: e.to_string() })??;
        Ok(report(&cx.instance().name_of(&path), &path, &page))
    }
}

fn read_text(
    file: File,
    path: &RealPath,
    window: Window,
    cancel: &tokio_util::sync::CancellationToken,
) -> Result<Page, ToolError> {
    let failed = |source| ToolError::from(FileError::Io { path: path.as_path().to_owned(), source });
    let mut file = file;
    let start = sample(&mut file).map_err(failed)?;
    if has_binary_name(path.as_path()) || looks_binary(&start) {
        return Err(ToolError::misuse(format!("Cannot read binary file: {}", path.as_path().display())));
    }
    file.rewind().map_err(failed)?;
    read_page(BufReader::with_capacity(64 << 10, file), window, cancel).map_err(|bad| match bad {
        BadPage::OutOfRange { offset, lines } => {
            ToolError::misuse(format!("Offset {offset} is out of range for this file ({lines} lines)"))
        }
        BadPage::Cancelled => ToolError::Cancelled,
        BadPage::Io(source) => failed(source),
    })
}

fn has_binary_name(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| BINARY_EXTENSIONS.contains(&extension.as_str()))
}

fn not_found(path: &Path) -> ToolError {
    let mut text = format!("File not found: {}", path.display());
    let similar = similar::beside(path);
    if !similar.is_empty() {
        text.push_str("\n\nDid you mean one of these?");
        for path in similar {
            text.push_str(&format!("\n{}", path.display()));
        }
    }
    ToolError::Misuse(text)
}

fn report(title: &str, path: &RealPath, page: &Page) -> Report {
    let path = path.as_path().to_string_lossy();
    let numbered: Vec<String> =
        page.lines.iter().zip(page.first..).map(|(line, number)| format!("{number}: {line}")).collect();
    let ending = page.ending();
    let body = numbered.join("\n");
    let gap = if body.is_empty() { "" } else { "\n\n" };
    let output =
        format!("<path>{path}</path>\n<type>file</type>\n<content>\n{body}{gap}{ending}\n</content>");
    let preview = page.lines[..page.lines.len().min(PREVIEW_LINES)].join("\n");
    let display = json!({
        "type": "file",
        "path": path,
        "text": page.lines.join("\n"),
        "lineStart": page.first,
        "lineEnd": page.last(),
        "totalLines": page.total,
        "truncated": page.is_cut(),
    });
    Report::new(title, output)
        .with("preview", preview)
        .with("truncated", page.is_cut())
        .with("loaded", json!([]))
        .with("display", display)
}
