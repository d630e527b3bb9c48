//! What an attachment gives: text as the read tool shows it, media as bytes.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use praxis_os::RealPath;
use praxis_proto::{FilePart, FileSource, PartBody};
use praxis_tools::{Ask, Attachment, ToolError, attach_media};
use serde_json::{Value, json};

use super::address::{Address, Lines};
use super::expand::{Expander, synthetic};
use super::{Attached, ResourceContent};

/// Bytes of one attachment.
const MOST_BYTES: usize = 20 << 20;
/// Bytes of one resource of a server.
const MOST_RESOURCE: usize = 10 << 20;
/// Bytes of one text that came as data or from a server.
const MOST_TEXT: usize = 256 << 10;
/// Media that a server's resource may hold.
const RESOURCE_MEDIA: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

/// One attachment on its way into a message.
pub(super) struct Attachments<'a> {
    pub(super) file: &'a FilePart,
    pub(super) by: Attached,
    pub(super) name: &'a str,
}

impl Attachments<'_> {
    /// The parts it becomes, or why it cannot be had.
    pub(super) async fn read(&self, expander: &mut Expander<'_>) -> Result<Vec<PartBody>, String> {
        if let Some(FileSource::Resource { client_name, uri, .. }) = &self.file.source {
            let contents = expander.resources.read(client_name, uri).await?;
            return Ok(self.resource(client_name, uri, contents, expander));
        }
        match Address::parse(&self.file.url, MOST_BYTES)? {
            Address::File { path, .. } if self.is_stream() => self.raw(&path, expander).await,
            Address::File { path, lines } => self.local(&path, lines, expander).await,
            Address::Data { mime, bytes } => self.data(&mime, bytes, expander),
            Address::Elsewhere => {
                Err("only files of this machine and data addresses are attached; fetch it first".to_owned())
            }
        }
    }

    /// Sound and films: nothing that the read tool knows.
    fn is_stream(&self) -> bool {
        self.file.mime.starts_with("audio/") || self.file.mime.starts_with("video/")
    }

    async fn local(
        &self,
        path: &Path,
        lines: Lines,
        expander: &mut Expander<'_>,
    ) -> Result<Vec<PartBody>, String> {
        let mut arguments = json!({ "filePath": path.to_string_lossy() });
        for (key, number) in [("offset", lines.start), ("limit", lines.count())] {
            if let Some(number) = number {
                arguments[key] = number.into();
            }
        }
        let report = expander.call_read(arguments.clone(), self.by).await?;
        let mut pieces = vec![synthetic(called(&arguments)), synthetic(report.output)];
        if report.attachments.is_empty() {
            let mime = if path.is_dir() { "application/x-directory" } else { "text/plain" };
            pieces.push(PartBody::File(FilePart { mime: mime.to_owned(), ..self.file.clone() }));
        }
        pieces.extend(report.attachments.into_iter().map(|media| self.media(media)));
        Ok(pieces)
    }

    /// The bytes as they are, asked for as the read tool would.
    async fn raw(&self, path: &Path, expander: &Expander<'_>) -> Result<Vec<PartBody>, String> {
        let told = |error: ToolError| error.to_string();
        let cx = expander.cx(self.by);
        let real = RealPath::resolve(Path::new("/"), path).map_err(|error| error.to_string())?;
        cx.ask_outside(&real).await.map_err(told)?;
        let grant = cx.ask(Ask::read(cx.instance(), &real)).await.map_err(told)?;
        let file = cx.open(&grant).map_err(told)?;
        let mut bytes = Vec::new();
        let read = file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| error.to_string())?;
        if bytes.len() > MOST_BYTES {
            return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
        }
        let url = format!("data:{};base64,{}", self.file.mime, STANDARD.encode(&bytes));
        Ok(vec![
            synthetic(format!("The user attached the file {}:", path.display())),
            PartBody::File(FilePart { url, ..self.file.clone() }),
        ])
    }

    fn data(&self, mime: &str, bytes: Vec<u8>, expander: &Expander<'_>) -> Result<Vec<PartBody>, String> {
        // Clients sometimes name the type only beside the address.
        let mime = if mime == "application/octet-stream" { self.file.mime.as_str() } else { mime };
        if is_text(mime) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(vec![
                synthetic(format!(
                    "The user attached `{}`, which is not a file of the project. Its text:",
                    self.name
                )),
                synthetic(cut(text)),
                PartBody::File(FilePart { mime: "text/plain".to_owned(), ..self.file.clone() }),
            ]);
        }
        if !mime.starts_with("image/") {
            return Ok(vec![PartBody::File(FilePart { mime: mime.to_owned(), ..self.file.clone() })]);
        }
        let filename = self.file.filename.clone();
        let media = attach_media(bytes, filename, &expander.workbench.images)?;
        Ok(vec![self.media(media)])
    }

    fn resource(
        &self,
        server: &str,
        uri: &str,
        contents: Vec<ResourceContent>,
        expander: &Expander<'_>,
    ) -> Vec<PartBody> {
        let mut pieces = vec![synthetic(format!("The user attached `{uri}` of the MCP server `{server}`:"))];
        pieces.extend(contents.into_iter().map(|content| match content {
            ResourceContent::Text(text) => synthetic(cut(text)),
            ResourceContent::Blob { mime, bytes } => self.blob(&mime, bytes, expander),
        }));
        // The part itself, for clients; what it stands for is above.
        pieces.push(PartBody::File(FilePart { mime: "text/plain".to_owned(), ..self.file.clone() }));
        pieces
    }

    fn blob(&self, mime: &str, bytes: Vec<u8>, expander: &Expander<'_>) -> PartBody {
        let left_out = |why: &str| synthetic(format!("({mime} of {} is left out: {why})", self.name));
        if !RESOURCE_MEDIA.contains(&mime) {
            return left_out("it is neither text nor a picture nor a PDF");
        }
        if bytes.len() > MOST_RESOURCE {
            return left_out(&format!("it is larger than {} MiB", MOST_RESOURCE >> 20));
        }
        match attach_media(bytes, self.file.filename.clone(), &expander.workbench.images) {
            Ok(media) => self.media(media),
            Err(why) => left_out(&why),
        }
    }

    /// The part for bytes that a model can look at.
    fn media(&self, media: Attachment) -> PartBody {
        let Attachment { mime, url, filename, .. } = media;
        PartBody::File(FilePart {
            mime,
            url,
            filename: self.file.filename.clone().or(filename),
            source: self.file.source.clone(),
            extra: self.file.extra.clone(),
        })
    }
}

/// Reads like a call that the model made itself.
fn called(arguments: &Value) -> String {
    format!("The user attached this; the `read` tool was called with {arguments} and gave:")
}

fn is_text(mime: &str) -> bool {
    let plain = ["application/json", "application/xml", "application/yaml", "application/toml"];
    let by_ending = [("application/", "+json"), ("application/", "+xml")];
    mime.starts_with("text/")
        || plain.contains(&mime)
        || by_ending.iter().any(|(start, end)| mime.starts_with(start) && mime.ends_with(end))
}

fn cut(mut text: String) -> String {
    if text.len() > MOST_TEXT {
        let whole = text.len();
        text.truncate(praxis_text::floor_char(&text, MOST_TEXT));
        text.push_str(&format!("\n(cut here: {} of {whole} bytes are shown)", text.len()));
    }
    text
}
