//! Pieces of a user message.

use serde_json::{Value, json};

use crate::wire::media::{is_link, refusal};
use crate::{Media, Target, UserPart};

/// The content of a user message: plain text if that is all there is.
pub(super) fn user(parts: &[UserPart], target: &Target) -> Value {
    let texts: Option<Vec<&str>> = parts.iter().map(plain).collect();
    if let Some(texts) = texts {
        let filled: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        return json!(filled.join("\n"));
    }
    let pieces = parts.iter().filter_map(|part| match part {
        UserPart::Text(text) if text.is_empty() => None,
        UserPart::Text(text) => Some(json!({"type": "text", "text": &**text})),
        UserPart::Media(media) => Some(self::media(media, target)),
    });
    pieces.collect()
}

/// One medium, or a text in its place if the model cannot be given it.
pub(super) fn media(media: &Media, target: &Target) -> Value {
    if let Some(text) = refusal(media, target) {
        return json!({"type": "text", "text": text});
    }
    let name = media.name.as_deref();
    match media.mime.split_once('/') {
        Some(("image", _)) => json!({"type": "image_url", "image_url": {"url": url(media)}}),
        Some(("video", _)) => json!({"type": "video_url", "video_url": {"url": url(media)}}),
        Some(("audio", kind)) => {
            let format = if kind == "mpeg" { "mp3" } else { kind.trim_start_matches("x-") };
            json!({"type": "input_audio", "input_audio": {"data": &*media.data, "format": format}})
        }
        _ => {
            let name = name.unwrap_or("document.pdf");
            json!({"type": "file", "file": {"filename": name, "file_data": url(media)}})
        }
    }
}

/// The medium as an address.
pub(crate) fn url(media: &Media) -> String {
    if is_link(media) { media.data.to_string() } else { format!("data:{};base64,{}", media.mime, media.data) }
}

/// Whether content says nothing.
pub(super) fn is_empty(content: &Value) -> bool {
    match content {
        Value::String(text) => text.is_empty(),
        Value::Array(pieces) => pieces.is_empty(),
        _ => true,
    }
}

/// Adds text to content.
pub(super) fn append(content: &mut Value, text: &str) {
    match content {
        Value::String(before) => {
            before.push('\n');
            before.push_str(text);
        }
        Value::Array(pieces) => pieces.push(json!({"type": "text", "text": text})),
        other => *other = json!(text),
    }
}

fn plain(part: &UserPart) -> Option<&str> {
    match part {
        UserPart::Text(text) => Some(text),
        UserPart::Media(_) => None,
    }
}
