//! Media that the model cannot be given.

use std::sync::Arc;

use crate::wire::media::refusal;
use crate::{Media, Message, Output, Target, UserPart};

/// Puts a text in the place of media that are empty, too large or of a kind that the model does not take, so that it can
/// tell the user. In a result the text comes behind what the tool said.
pub(super) fn explain(message: &mut Message, target: &Target) {
    match message {
        Message::User(parts) => {
            for part in parts {
                let UserPart::Media(media) = part else { continue };
                if let Some(text) = refusal(media, target) {
                    *part = UserPart::Text(text.into());
                }
            }
        }
        Message::Tool(results) => {
            for result in results {
                explain_output(&mut result.output, target);
            }
        }
        Message::Assistant(_) | Message::Note(_) => {}
    }
}

fn explain_output(output: &mut Output, target: &Target) {
    let Output::Content { text, media } = output else { return };
    let mut said = String::new();
    media.retain(|medium: &Media| {
        let Some(refusal) = refusal(medium, target) else { return true };
        said.push('\n');
        said.push_str(&refusal);
        false
    });
    if !said.is_empty() {
        *text = format!("{text}{said}").trim_start_matches('\n').into();
    }
    if media.is_empty() {
        *output = Output::Text(Arc::clone(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Modality, ToolResult};

    fn target() -> Target {
        Target {
            provider: "local".into(),
            npm: "@ai-sdk/openai-compatible".into(),
            model: "m".into(),
            wire_model: "m".into(),
            input: vec![Modality::Text, Modality::Image],
            reasoning: false,
            interleaved: None,
            output_limit: 0,
        }
    }

    fn medium(mime: &str, data: &str) -> Media {
        Media { mime: mime.into(), data: data.into(), name: Some("a".into()) }
    }

    #[test]
    fn the_model_is_told_of_files_that_it_cannot_have() {
        let picture = UserPart::Media(medium("image/png", "iVBO"));
        let mut message = Message::User(vec![
            picture.clone(),
            UserPart::Media(medium("image/png", "")),
            UserPart::Media(medium("application/pdf", "JVBE")),
        ]);
        explain(&mut message, &target());
        let text = |text: &str| UserPart::Text(text.into());
        let meant = vec![
            picture,
            text("ERROR: the file `a` is empty or damaged. Tell the user to attach it again."),
            text("ERROR: this model cannot read PDF files, so `a` was left out. Tell the user."),
        ];
        assert_eq!(message, Message::User(meant));
    }

    #[test]
    fn a_result_says_what_was_left_out_of_it() {
        let after = |text: &str, media: Vec<Media>| {
            let output = Output::Content { text: text.into(), media };
            let result = ToolResult { id: "1".into(), name: "read".into(), output };
            let mut message = Message::Tool(vec![result]);
            explain(&mut message, &target());
            let Message::Tool(mut results) = message else { unreachable!() };
            results.remove(0).output
        };
        let picture = medium("image/png", "iVBO");
        assert_eq!(
            after("read", vec![picture.clone(), medium("audio/wav", "UklG")]),
            Output::Content {
                text: "read\nERROR: this model cannot read audio files, so `a` was left out. Tell the user."
                    .into(),
                media: vec![picture],
            }
        );
        assert_eq!(
            after("", vec![medium("audio/wav", "UklG")]),
            Output::Text(
                "ERROR: this model cannot read audio files, so `a` was left out. Tell the user.".into()
            )
        );
    }
}
