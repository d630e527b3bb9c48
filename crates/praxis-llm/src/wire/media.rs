//! Which media a model takes, and where.

use crate::{Media, Modality, Output, Target, ToolResult};

/// The most base64 that one picture or document may have.
pub(crate) const ENCODED_CAP: usize = 28 << 20;

/// The media that may stand inside the result of a call; the rest follows in a user message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaInResults {
    /// None.
    Nothing,
    /// Pictures.
    Images,
    /// Pictures and PDF documents.
    ImagesAndPdf,
}

impl MediaInResults {
    /// Whether a medium of this type may stand there.
    pub fn takes(self, mime: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Images => mime.starts_with("image/"),
            Self::ImagesAndPdf => mime.starts_with("image/") || mime == "application/pdf",
        }
    }
}

/// The media that a target takes inside the result of a call.
pub fn media_in_results(target: &Target) -> MediaInResults {
    match target.npm.as_str() {
        "@ai-sdk/anthropic"
        | "@ai-sdk/google-vertex/anthropic"
        | "@ai-sdk/openai"
        | "@ai-sdk/amazon-bedrock/mantle" => MediaInResults::ImagesAndPdf,
        "@ai-sdk/amazon-bedrock" | "@ai-sdk/xai" => MediaInResults::Images,
        "@ai-sdk/google" | "@ai-sdk/google-vertex" if target.model.contains("gemini-3") => {
            MediaInResults::ImagesAndPdf
        }
        _ => MediaInResults::Nothing,
    }
}

/// The caption of media that had to leave the results of calls.
pub(crate) const MOVED_CAPTION: &str = "Media from the tool results above:";

/// Takes out of some results the media that cannot stay in them.
pub(crate) fn moved(results: &[ToolResult], inside: MediaInResults) -> Vec<&Media> {
    let media = results.iter().flat_map(|result| match &result.output {
        Output::Content { media, .. } => media.as_slice(),
        Output::Text(_) | Output::Error(_) => &[],
    });
    media.filter(|medium| !inside.takes(&medium.mime)).collect()
}

/// What to write instead of a medium that the model cannot be given, for the model to pass on.
pub(crate) fn refusal(media: &Media, target: &Target) -> Option<String> {
    let name = media.name.as_deref().unwrap_or("unnamed");
    if media.data.is_empty() {
        return Some(format!(
            "ERROR: the file `{name}` is empty or damaged. Tell the user to attach it again."
        ));
    }
    if !is_link(media) && media.data.len() > ENCODED_CAP {
        return Some(format!(
            "ERROR: the file `{name}` is larger than {} MiB. Tell the user to attach a smaller one.",
            ENCODED_CAP >> 20
        ));
    }
    let modality = modality(&media.mime)?;
    // A model of which nothing is known is given everything.
    if target.input.is_empty() || target.input.contains(&modality) {
        return None;
    }
    Some(format!(
        "ERROR: this model cannot read {} files, so `{name}` was left out. Tell the user.",
        match modality {
            Modality::Image => "image",
            Modality::Audio => "audio",
            Modality::Video => "video",
            Modality::Pdf => "PDF",
            Modality::Text => "text",
        }
    ))
}

/// Whether the data is an address rather than base64.
pub(crate) fn is_link(media: &Media) -> bool {
    media.data.starts_with("http://") || media.data.starts_with("https://")
}

fn modality(mime: &str) -> Option<Modality> {
    match mime.split_once('/')? {
        ("image", _) => Some(Modality::Image),
        ("audio", _) => Some(Modality::Audio),
        ("video", _) => Some(Modality::Video),
        ("application", "pdf") => Some(Modality::Pdf),
        _ => None,
    }
}
