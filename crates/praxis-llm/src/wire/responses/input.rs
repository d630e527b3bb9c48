//! The conversation as items.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::blocks::FAMILY;
use crate::wire::call_ids::{CallIds, Form};
use crate::wire::chat::messages::arguments;
use crate::wire::chat::parts::url;
use crate::wire::growing::Growing;
use crate::wire::media::{MOVED_CAPTION, MediaInResults, media_in_results, moved, refusal};
use crate::{AssistantPart, Media, Message, Metadata, Output, Target, ToolResult, UserPart};

/// The longest call id that the server takes.
const ID_CAP: usize = 64;

/// A piece of the system text.
pub(super) fn system(text: &str, target: &Target) -> Value {
    let role = if is_developed(target) { "developer" } else { "system" };
    json!({"role": role, "content": text})
}

/// Whether the server wants the system text from the developer, as OpenAI does for models that think.
pub(super) fn is_developed(target: &Target) -> bool {
    let openai = matches!(target.npm.as_str(), "@ai-sdk/openai" | "@ai-sdk/azure" | "@ai-sdk/github-copilot")
        || matches!(target.provider.as_str(), "openai" | "azure");
    openai && target.reasoning
}

/// Writes all that is said, for one target.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) target: Target,
    /// Whether the server keeps the items, and is told their ids.
    pub(super) stored: bool,
    inside: MediaInResults,
    ids: CallIds,
    referred: HashSet<String>,
    pub(super) list: Growing<Value>,
}

impl Writer {
    pub(super) fn new(target: &Target, stored: bool) -> Self {
        Self {
            target: target.clone(),
            stored,
            inside: media_in_results(target),
            ids: CallIds::new(Form::UpTo(ID_CAP)),
            referred: HashSet::new(),
            list: Growing::default(),
        }
    }

    pub(super) fn push(&mut self, message: &Message) {
        match message {
            Message::User(parts) => self.user(parts),
            Message::Assistant(parts) => self.assistant(parts),
            Message::Tool(results) => self.results(results),
            Message::Note(text) => self.list.open.push(system(text, &self.target)),
        }
    }

    fn user(&mut self, parts: &[UserPart]) {
        let pieces = parts.iter().filter_map(|part| match part {
            UserPart::Text(text) if text.is_empty() => None,
            UserPart::Text(text) => Some(json!({"type": "input_text", "text": &**text})),
            UserPart::Media(media) => Some(piece(media, &self.target)),
        });
        let pieces: Vec<Value> = pieces.collect();
        if !pieces.is_empty() {
            self.list.open.push(json!({"role": "user", "content": pieces}));
        }
    }

    fn assistant(&mut self, parts: &[AssistantPart]) {
        // A thought must be followed by what it led to; one at the end led to nothing.
        let end = parts.iter().rposition(|part| !matches!(part, AssistantPart::Reasoning { .. }));
        let parts = &parts[..end.map_or(0, |last| last + 1)];
        let mut at = 0;
        while at < parts.len() {
            match &parts[at] {
                AssistantPart::Reasoning { metadata, .. } => {
                    let same = |part: &AssistantPart| is_thought_of(part, metadata);
                    let len = 1 + parts[at + 1..].iter().take_while(|part| same(part)).count();
                    self.thought(&parts[at..at + len], metadata);
                    at += len;
                    continue;
                }
                AssistantPart::Text { text, metadata } => {
                    if !text.is_empty() && !self.refer(metadata) {
                        let content = json!([{"type": "output_text", "text": &**text}]);
                        self.list.open.push(json!({"role": "assistant", "content": content}));
                    }
                }
                AssistantPart::Call { id, name, input, metadata } => {
                    let id = self.ids.map(id);
                    if !self.refer(metadata) {
                        let arguments = arguments(input);
                        self.list.open.push(json!({
                            "type": "function_call", "call_id": id, "name": name, "arguments": arguments,
                        }));
                    }
                }
            }
            at += 1;
        }
    }

    /// Refers to an item that the server keeps, once. False if it keeps none, so that it must be sent.
    fn refer(&mut self, metadata: &Metadata) -> bool {
        let Some(id) = metadata.text(FAMILY, "itemId").filter(|_| self.stored) else { return false };
        if self.referred.insert(id.to_owned()) {
            self.list.open.push(json!({"type": "item_reference", "id": id}));
        }
        true
    }

    /// The parts of one thought as one item, without its id; without its encrypted form it would be refused.
    fn thought(&mut self, parts: &[AssistantPart], metadata: &Metadata) {
        if self.refer(metadata) {
            return;
        }
        let Some(encrypted) = parts.iter().find_map(encrypted) else { return };
        let words = parts.iter().filter_map(|part| match part {
            AssistantPart::Reasoning { text, .. } if !text.is_empty() => Some(text),
            _ => None,
        });
        let summary: Value = words.map(|text| json!({"type": "summary_text", "text": &**text})).collect();
        self.list.open.push(json!({"type": "reasoning", "summary": summary, "encrypted_content": encrypted}));
    }

    fn results(&mut self, results: &[ToolResult]) {
        for result in results {
            let output = self.output(&result.output);
            let id = self.ids.map(&result.id);
            self.list.open.push(json!({"type": "function_call_output", "call_id": id, "output": output}));
        }
        let media = moved(results, self.inside);
        if media.is_empty() {
            return;
        }
        let mut pieces = vec![json!({"type": "input_text", "text": MOVED_CAPTION})];
        pieces.extend(media.into_iter().map(|media| piece(media, &self.target)));
        self.list.open.push(json!({"role": "user", "content": pieces}));
    }

    fn output(&self, output: &Output) -> Value {
        let (text, media) = match output {
            Output::Text(text) | Output::Error(text) => (text, &[][..]),
            Output::Content { text, media } => (text, media.as_slice()),
        };
        let inside: Vec<&Media> = media.iter().filter(|media| self.inside.takes(&media.mime)).collect();
        if inside.is_empty() {
            return json!(&**text);
        }
        let mut pieces = Vec::new();
        if !text.is_empty() {
            pieces.push(json!({"type": "input_text", "text": &**text}));
        }
        pieces.extend(inside.into_iter().map(|media| piece(media, &self.target)));
        Value::Array(pieces)
    }
}

/// One medium, or a text in its place if the model cannot be given it.
fn piece(media: &Media, target: &Target) -> Value {
    if let Some(text) = refusal(media, target) {
        return json!({"type": "input_text", "text": text});
    }
    if media.mime.starts_with("image/") {
        return json!({"type": "input_image", "image_url": url(media)});
    }
    if media.data.starts_with("http") {
        return json!({"type": "input_file", "file_url": &*media.data});
    }
    let name = media.name.as_deref().unwrap_or("document.pdf");
    json!({"type": "input_file", "filename": name, "file_data": url(media)})
}

/// Whether a part is a piece of the thought with this metadata.
fn is_thought_of(part: &AssistantPart, first: &Metadata) -> bool {
    let AssistantPart::Reasoning { metadata, .. } = part else { return false };
    let item = first.text(FAMILY, "itemId");
    item.is_some() && metadata.text(FAMILY, "itemId") == item
}

/// The encrypted form of a thought; sessions that OpenCode wrote have it under another name.
fn encrypted(part: &AssistantPart) -> Option<&str> {
    let AssistantPart::Reasoning { metadata, .. } = part else { return None };
    metadata.text(FAMILY, "encryptedContent").or_else(|| metadata.text(FAMILY, "reasoningEncryptedContent"))
}
