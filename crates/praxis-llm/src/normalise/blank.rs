//! Parts that say nothing. Some servers refuse them, none needs them.

use crate::{AssistantPart, Message, Metadata, Target, UserPart};

/// Removes empty texts, thoughts that have neither words nor anything to give back, and the messages that are left
/// without parts.
pub(super) fn remove(messages: &mut Vec<Message>, target: &Target) {
    let is_nothing = if refuses_blank(target) { is_blank } else { str::is_empty };
    messages.retain_mut(|message| match message {
        Message::User(parts) => {
            parts.retain(|part| match part {
                UserPart::Text(text) => !is_nothing(text),
                UserPart::Media(_) => true,
            });
            !parts.is_empty()
        }
        Message::Assistant(parts) => {
            remove_parts(parts, is_nothing);
            !parts.is_empty()
        }
        Message::Tool(results) => !results.is_empty(),
        Message::Note(text) => !is_nothing(text),
    });
}

fn remove_parts(parts: &mut Vec<AssistantPart>, is_nothing: fn(&str) -> bool) {
    // Signed thoughts must keep their places, so the texts between them stay.
    let signed = parts.iter().any(|part| match part {
        AssistantPart::Reasoning { metadata, .. } => is_signed(metadata),
        AssistantPart::Text { .. } | AssistantPart::Call { .. } => false,
    });
    parts.retain(|part| match part {
        AssistantPart::Text { text, metadata } => signed || !metadata.is_empty() || !is_nothing(text),
        AssistantPart::Reasoning { text, metadata } => !metadata.is_empty() || !is_blank(text),
        AssistantPart::Call { .. } => true,
    });
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn is_signed(metadata: &Metadata) -> bool {
    ["signature", "redactedData"].iter().any(|field| metadata.get("anthropic", field).is_some())
}

/// Anthropic's API and Bedrock take white space for no text.
fn refuses_blank(target: &Target) -> bool {
    super::family(target) == Some("anthropic") || target.npm == "@ai-sdk/amazon-bedrock"
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn after(npm: &str, mut messages: Vec<Message>) -> Vec<Message> {
        let target = Target {
            provider: String::new(),
            npm: npm.into(),
            model: String::new(),
            wire_model: String::new(),
            input: Vec::new(),
            reasoning: true,
            interleaved: None,
            output_limit: 0,
        };
        remove(&mut messages, &target);
        messages
    }

    fn text(text: &str) -> AssistantPart {
        AssistantPart::Text { text: text.into(), metadata: Metadata::default() }
    }

    fn thought(text: &str, metadata: Metadata) -> AssistantPart {
        AssistantPart::Reasoning { text: text.into(), metadata }
    }

    #[test]
    fn messages_without_content_go() {
        let user = |text: &str| Message::User(vec![UserPart::Text(text.into())]);
        let messages =
            || vec![user(""), user(" "), Message::Note(String::new()), Message::Assistant(vec![text("")])];
        assert_eq!(after("@ai-sdk/openai-compatible", messages()), vec![user(" ")]);
        assert_eq!(after("@ai-sdk/anthropic", messages()), vec![]);
        assert_eq!(after("@ai-sdk/amazon-bedrock", messages()), vec![]);
    }

    #[test]
    fn a_thought_without_words_stays_if_it_is_signed() {
        let call = AssistantPart::Call {
            id: "1".into(),
            name: "read".into(),
            input: Arc::default(),
            metadata: Metadata::default(),
        };
        let encrypted = thought("", Metadata::default().with("openai", "encryptedContent", "x"));
        let given = vec![thought("", Metadata::default()), encrypted.clone(), text(""), call.clone()];
        assert_eq!(
            after("@ai-sdk/openai", vec![Message::Assistant(given)]),
            vec![Message::Assistant(vec![encrypted, call])]
        );
    }

    #[test]
    fn between_signed_thoughts_and_with_a_signature_an_empty_text_stays() {
        let signed = thought("hm", Metadata::default().with("anthropic", "signature", "s"));
        let claude = vec![Message::Assistant(vec![signed.clone(), text(""), signed])];
        assert_eq!(after("@ai-sdk/anthropic", claude.clone()), claude);

        let metadata = Metadata::default().with("google", "thoughtSignature", "s");
        let gemini = vec![Message::Assistant(vec![AssistantPart::Text { text: "".into(), metadata }])];
        assert_eq!(after("@ai-sdk/google", gemini.clone()), gemini);
    }
}
