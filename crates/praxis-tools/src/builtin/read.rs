//! Reads a file or a folder, a page at a time.

mod instructions;
mod listing;
mod page;
mod similar;
mod source;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read as _, Seek};
use std::path::Path;
use std::sync::Arc;

use praxis_os::{FileError, RealPath};
use praxis_text::encoding;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::instructions::Found;
pub use self::instructions::NearbyInstructions;
use self::listing::Listing;
use self::page::{BadPage, Page, Window, read_page};
pub(super) use self::similar::not_found;
use self::source::{LineFeeds, Transcoded, has_classic_endings};
use crate::media::{Media, attachment, fit};
use crate::{Ask, Attachment, Cx, Files, ImageLimits, Report, Tool, ToolError};

/// Lines, or entries, of the preview that clients draw.
const PREVIEW: usize = 20;
/// Bytes looked at to see what a file is.
const SAMPLE: usize = 64 << 10;
/// Files up to this size are read at once and remembered whole; larger ones are read as a stream.
const MOST_AT_ONCE: u64 = 1 << 20;
/// Pictures and documents beyond this are not loaded.
const MOST_MEDIA: u64 = 20 << 20;
/// Files that are never text, whatever their first bytes look like.
const BINARY_EXTENSIONS: &[&str] = &[
    "7z", "a", "bin", "class", "dat", "dll", "doc", "docx", "exe", "gz", "jar", "lib", "o", "obj", "odp",
    "ods", "odt", "ppt", "pptx", "pyc", "pyo", "so", "tar", "war", "wasm", "xls", "xlsx", "zip",
];

/// Read a file or a folder from the local file system.
///
/// - Gives up to 2000 lines from the start; use `offset` and `limit` to see other parts of a long file.
/// - Every line comes as `<number>: <content>`. Lines over 2000 characters are cut.
/// - A folder is listed, one entry a line, subfolders with a slash at the end.
/// - Pictures (PNG, JPEG, GIF, WebP) and PDF files come as attachments that you can look at.
/// - Read several files at once by calling this tool several times in one answer. Prefer one large window over many
///   small ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// The path of the file or folder, absolute or relative to the project directory.
    file_path: String,
    /// The line or entry to start from, counted from 1.
    offset: Option<u64>,
    /// The number of lines or entries to read, 2000 unless given.
    limit: Option<u64>,
}

/// The `read` tool.
pub struct Read {
    files: Files,
    images: ImageLimits,
    instructions: Arc<NearbyInstructions>,
}

impl Read {
    /// Reads with these services and limits.
    pub fn new(files: Files, images: ImageLimits, instructions: NearbyInstructions) -> Self {
        Self { files, images, instructions: Arc::new(instructions) }
    }
}

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
        let window = Window::new(input.offset, input.limit);
        let file = match cx.open(&grant) {
            Ok(file) => file,
            Err(ToolError::File(FileError::Directory(_))) => return self.list(path, window, cx).await,
            Err(ToolError::File(FileError::NotFound(_))) => {
                let problem = format!("File not found: {}", path.as_path().display());
                return Err(not_found(&problem, path.as_path(), cx));
            }
            Err(error) => return Err(error),
        };
        self.files.after.warm(path.as_path());

        let (cancel, name, images) = (cx.cancel().clone(), path.clone(), self.images);
        let read =
            tokio::task::spawn_blocking(move || read_file(file, &name, window, &images, &cancel)).await;
        let read =
            read.map_err(|e| ToolError::Crashed { tool: Self::NAME.into(), message: e.to_string() })??;
        self.remember(&path, &read, cx);
        let found = self.instructions.find(&path, &self.files, cx);
        Ok(report(&cx.instance().name_of(&path), &path, read, &found))
    }
}

impl Read {
    async fn list(&self, path: RealPath, window: Window, cx: &Cx) -> Result<Report, ToolError> {
        let (title, cancel) = (cx.instance().name_of(&path), cx.cancel().clone());
        let listing = tokio::task::spawn_blocking(move || Listing::read(&path, window, &cancel)).await;
        let listing =
            listing.map_err(|e| ToolError::Crashed { tool: Self::NAME.into(), message: e.to_string() })??;
        Ok(listing.report(&title))
    }

    fn remember(&self, path: &RealPath, read: &Reading, cx: &Cx) {
        match read {
            Reading::Text { whole: Some((bytes, text)), data, .. } => {
                self.files.seen.whole(cx.session(), path.as_path(), bytes, text, Some(data));
            }
            Reading::Text { whole: None, data, .. } => {
                self.files.seen.part(cx.session(), path.as_path(), data)
            }
            Reading::Media { .. } => {}
        }
    }
}

/// What a file turned out to be.
enum Reading {
    Text {
        page: Page,
        /// The whole file and its text, if it is small.
        whole: Option<(Vec<u8>, String)>,
        data: std::fs::Metadata,
    },
    Media {
        message: String,
        attachment: Option<Attachment>,
    },
}

fn read_file(
    mut file: File,
    path: &RealPath,
    window: Window,
    images: &ImageLimits,
    cancel: &CancellationToken,
) -> Result<Reading, ToolError> {
    let failed = |source| ToolError::from(FileError::Io { path: path.as_path().to_owned(), source });
    let data = file.metadata().map_err(failed)?;
    let start = take(&mut file, SAMPLE as u64).map_err(failed)?;
    if let Some(media) = Media::sniff(&start) {
        file.rewind().map_err(failed)?;
        return read_media(file, path, media, images);
    }
    let binary = || ToolError::misuse(format!("Cannot read binary file: {}", path.as_path().display()));
    if has_binary_name(path.as_path()) {
        return Err(binary());
    }
    let (encoding, bom) = encoding::sniff(&start, start.len() < SAMPLE).map_err(|_| binary())?;

    file.rewind().map_err(failed)?;
    // The size a file claims is not to be trusted: those of the kernel claim none.
    let bytes = take(&mut file, MOST_AT_ONCE + 1).map_err(failed)?;
    let bad = |bad: BadPage| match bad {
        BadPage::OutOfRange { offset, lines } => {
            ToolError::misuse(format!("Offset {offset} is out of range for this file ({lines} lines)"))
        }
        BadPage::Cancelled => ToolError::Cancelled,
        BadPage::Io(source) => failed(source),
    };
    if bytes.len() as u64 <= MOST_AT_ONCE {
        let text = encoding::decode(&bytes).map_err(|_| binary())?.text;
        let classic = has_classic_endings(&text);
        let page = read_page(BufReader::new(LineFeeds::new(Cursor::new(&text), classic)), window, cancel);
        return Ok(Reading::Text { page: page.map_err(bad)?, whole: Some((bytes, text)), data });
    }
    file.rewind().map_err(failed)?;
    let classic = encoding::decode(&start).is_ok_and(|start| has_classic_endings(&start.text));
    let text = LineFeeds::new(Transcoded::new(file, encoding, bom), classic);
    let text = BufReader::with_capacity(64 << 10, text);
    let page = read_page(text, window, cancel).map_err(bad)?;
    Ok(Reading::Text { page, whole: None, data })
}

fn take(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn has_binary_name(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| BINARY_EXTENSIONS.contains(&extension.as_str()))
}

fn read_media(
    mut file: File,
    path: &RealPath,
    media: Media,
    images: &ImageLimits,
) -> Result<Reading, ToolError> {
    let failed = |source| ToolError::from(FileError::Io { path: path.as_path().to_owned(), source });
    let bytes = take(&mut file, MOST_MEDIA + 1).map_err(failed)?;
    if bytes.len() as u64 > MOST_MEDIA {
        return Err(ToolError::misuse(format!(
            "{} is larger than {} MiB and is not loaded; make a smaller copy first",
            path.as_path().display(),
            MOST_MEDIA >> 20
        )));
    }
    let filename = path.as_path().file_name().map(|name| name.to_string_lossy().into_owned());
    let Media::Image(format) = media else {
        let attachment = Some(attachment(&bytes, media.mime(), filename));
        return Ok(Reading::Media { message: "PDF read successfully".to_owned(), attachment });
    };
    Ok(match fit(bytes, format, images) {
        Ok((bytes, mime)) => Reading::Media {
            message: "Image read successfully".to_owned(),
            attachment: Some(attachment(&bytes, mime, filename)),
        },
        Err(why) => Reading::Media {
            message: format!("Image read successfully\n\n[1 image(s) omitted: {why}]"),
            attachment: None,
        },
    })
}

fn report(title: &str, path: &RealPath, read: Reading, found: &[Found]) -> Report {
    let loaded: Vec<Value> = found.iter().map(|found| json!(found.path.to_string_lossy())).collect();
    let mut report = match read {
        Reading::Text { page, .. } => text_report(title, path, &page),
        Reading::Media { message, attachment } => {
            let mut report = Report::new(title, &message).with("preview", message).with("truncated", false);
            report.attachments.extend(attachment);
            report
        }
    };
    report.output.push_str(&instructions::reminder(found));
    report.with("loaded", loaded)
}

fn text_report(title: &str, path: &RealPath, page: &Page) -> Report {
    let path = path.as_path().to_string_lossy();
    let numbered: Vec<String> =
        page.lines.iter().zip(page.first..).map(|(line, number)| format!("{number}: {line}")).collect();
    let (body, ending) = (numbered.join("\n"), page.ending());
    let gap = if body.is_empty() { "" } else { "\n\n" };
    let output =
        format!("<path>{path}</path>\n<type>file</type>\n<content>\n{body}{gap}{ending}\n</content>");
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
        .with("preview", page.lines[..page.lines.len().min(PREVIEW)].join("\n"))
        .with("truncated", page.is_cut())
        .with("display", display)
}
