//! What belongs to the provider or the model that a message came from.

use crate::{AssistantPart, Message, Metadata, Target};

/// The family whose metadata a target's wire reads; none if it cannot be told from the package.
pub fn family(target: &Target) -> Option<&'static str> {
    match target.npm.as_str() {
        "@ai-sdk/anthropic" | "@ai-sdk/google-vertex/anthropic" => Some("anthropic"),
        "@ai-sdk/openai" | "@ai-sdk/azure" | "@ai-sdk/amazon-bedrock/mantle" => Some("openai"),
        "@ai-sdk/google" | "@ai-sdk/google-vertex" => Some("google"),
        "@openrouter/ai-sdk-provider" => Some("openrouter"),
        _ => None,
    }
}

/// Drops what other families want back.
pub fn strip_foreign(metadata: &mut Metadata, family: &str) {
    metadata.0.retain(|name, _| name == family);
}

/// Turns what another model said into what any model can be told: its thoughts become text, its signatures go.
///
/// Whoever keeps the history knows which model wrote a message, and calls this for those of another. Switching back
/// brings back nothing, as long as it decides by the message and not by the latest model.
pub fn of_another_model(parts: &mut Vec<AssistantPart>) {
    parts.retain(|part| match part {
        AssistantPart::Reasoning { text, .. } => !text.trim().is_empty(),
        AssistantPart::Text { .. } | AssistantPart::Call { .. } => true,
    });
    for part in parts {
        metadata(part).keep_ours();
        if let AssistantPart::Reasoning { text, .. } = part {
            *part = AssistantPart::Text { text: text.clone(), metadata: Metadata::default() };
        }
    }
}

pub(super) fn strip_message(message: &mut Message, target: &Target) {
    let (Message::Assistant(parts), Some(family)) = (message, family(target)) else { return };
    for part in parts {
        strip_foreign(metadata(part), family);
    }
}

fn metadata(part: &mut AssistantPart) -> &mut Metadata {
    match part {
        AssistantPart::Text { metadata, .. }
        | AssistantPart::Reasoning { metadata, .. }
        | AssistantPart::Call { metadata, .. } => metadata,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn signed(family: &str) -> Metadata {
        Metadata::default().with(family, "signature", "s")
    }

    #[test]
    fn only_the_own_family_is_kept() {
        let mut metadata = signed("anthropic").with("openai", "itemId", "rs_1");
        strip_foreign(&mut metadata, "anthropic");
        assert_eq!(metadata, signed("anthropic"));
        strip_foreign(&mut metadata, "google");
        assert_eq!(metadata, Metadata::default());
    }

    #[test]
    fn thoughts_of_another_model_become_text_and_signatures_go() {
        let call = |metadata| AssistantPart::Call {
            id: "1".into(),
            name: "read".into(),
            input: Arc::default(),
            metadata,
        };
        let text = |text: &str, metadata| AssistantPart::Text { text: text.into(), metadata };
        let thought =
            |text: &str| AssistantPart::Reasoning { text: text.into(), metadata: signed("anthropic") };
        let mut parts =
            vec![thought("hm"), thought(" \n"), text("so", signed("google")), call(signed("google"))];
        of_another_model(&mut parts);
        let none = Metadata::default;
        assert_eq!(parts, vec![text("hm", none()), text("so", none()), call(none())]);
    }
}
