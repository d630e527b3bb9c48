//! The conversation as turns of content blocks.

use serde_json::{Value, json};

use super::FAMILY;
use crate::wire::growing::Growing;
use crate::wire::media::{self, MOVED_CAPTION, MediaInResults, media_in_results};
use crate::wire::note::{FIRST_WORD, note};
use crate::{AssistantPart, Media, Message, Metadata, Output, Request, Target, ToolResult, UserPart};

/// The pictures that the API takes.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Everything that one side says until the other speaks.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    role: &'static str,
    blocks: Vec<Value>,
}

impl Turn {
    fn first() -> Self {
        Self { role: "user", blocks: text(FIRST_WORD).into_iter().collect() }
    }

    pub(super) fn into_value(mut self) -> Value {
        // The API wants the results of calls before anything else.
        self.blocks.sort_by_key(|block| self.role == "user" && block["type"] != "tool_result");
        json!({"role": self.role, "content": self.blocks})
    }
}

pub(super) fn system(request: &Request) -> Vec<Value> {
    request.system.iter().filter_map(|block| text(&block.0)).collect()
}

/// Writes all that is said, as turns that alternate, the user's first.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) target: Target,
    inside: MediaInResults,
    is_claude: bool,
    pub(super) send_thoughts: bool,
    pub(super) turns: Growing<Turn>,
    /// Thoughts that were left out.
    pub(super) unsigned: usize,
    pub(super) has_calls: bool,
}

impl Writer {
    pub(super) fn new(target: &Target, send_thoughts: bool) -> Self {
        Self {
            target: target.clone(),
            // What speaks this format and is not known to the table is taken for a copy of it.
            inside: match media_in_results(target) {
                MediaInResults::Nothing if target.npm.is_empty() => MediaInResults::ImagesAndPdf,
                inside => inside,
            },
            is_claude: target.model.contains("claude") || target.wire_model.contains("claude"),
            send_thoughts,
            turns: Growing::default(),
            unsigned: 0,
            has_calls: false,
        }
    }

    /// What may still change, as it can be sent.
    pub(super) fn open(&self) -> Value {
        let mut turns = self.turns.open.clone();
        if self.turns.is_empty() {
            turns.push(Turn::first());
        }
        trim_prefill(&mut turns);
        turns.into_iter().map(Turn::into_value).collect()
    }

    pub(super) fn push(&mut self, message: &Message) {
        match message {
            Message::User(parts) => {
                let blocks = parts.iter().filter_map(|part| match part {
                    UserPart::Text(content) => text(content),
                    UserPart::Media(content) => Some(self.media(content)),
                });
                let blocks = blocks.collect();
                self.say("user", blocks);
            }
            Message::Note(content) => self.say("user", text(&note(content)).into_iter().collect()),
            Message::Assistant(parts) => self.assistant(parts),
            Message::Tool(results) => self.results(results),
        }
    }

    fn say(&mut self, role: &'static str, blocks: Vec<Value>) {
        if blocks.is_empty() {
            return;
        }
        if self.turns.is_empty() && role != "user" {
            self.turns.open.push(Turn::first());
        }
        match self.turns.open.last_mut() {
            Some(turn) if turn.role == role => turn.blocks.extend(blocks),
            _ => self.turns.open.push(Turn { role, blocks }),
        }
    }

    fn assistant(&mut self, parts: &[AssistantPart]) {
        // Signed thoughts must keep their places, so an empty text between them stays.
        let signed = parts.iter().any(|part| match part {
            AssistantPart::Reasoning { metadata, .. } => is_signed(metadata),
            AssistantPart::Text { .. } | AssistantPart::Call { .. } => false,
        });
        let mut blocks = Vec::with_capacity(parts.len());
        for part in parts {
            self.has_calls |= matches!(part, AssistantPart::Call { .. });
            match part {
                AssistantPart::Text { text: content, .. } => {
                    blocks.extend(text(content).or_else(|| signed.then(|| json!({"type": "text", "text": " "}))));
                }
                AssistantPart::Reasoning { text, metadata } => blocks.extend(self.thought(text, metadata)),
                AssistantPart::Call { id, name, input, .. } => blocks.push(json!({
                    "type": "tool_use",
                    "id": plain(id),
                    "name": plain(name),
                    "input": if input.is_object() { (**input).clone() } else { json!({"arguments": **input}) },
                })),
            }
        }
        self.say("assistant", blocks);
    }

    fn thought(&mut self, text: &str, metadata: &Metadata) -> Option<Value> {
        if !self.send_thoughts {
            return None;
        }
        if let Some(data) = metadata.text(FAMILY, "redactedData") {
            return Some(json!({"type": "redacted_thinking", "data": data}));
        }
        if let Some(signature) = metadata.text(FAMILY, "signature") {
            return Some(json!({"type": "thinking", "thinking": text, "signature": signature}));
        }
        if text.trim().is_empty() {
            return None;
        }
        // Anthropic refuses what it did not sign; other servers of this format do not sign.
        if self.is_claude {
            self.unsigned += 1;
            return None;
        }
        Some(json!({"type": "thinking", "thinking": text, "signature": ""}))
    }

    fn results(&mut self, results: &[ToolResult]) {
        self.has_calls = true;
        let mut blocks: Vec<Value> = results.iter().map(|result| self.result(result)).collect();
        let moved = media::moved(results, self.inside);
        if !moved.is_empty() {
            blocks.extend(text(MOVED_CAPTION));
            blocks.extend(moved.into_iter().map(|medium| self.media(medium)));
        }
        self.say("user", blocks);
    }

    fn result(&self, result: &ToolResult) -> Value {
        let mut block = json!({"type": "tool_result", "tool_use_id": plain(&result.id)});
        match &result.output {
            // An empty content is the same as none.
            Output::Text(content) if content.is_empty() => {}
            Output::Text(content) => block["content"] = json!(&**content),
            Output::Error(content) => {
                block["content"] =
                    json!(if content.is_empty() { "failed without a message" } else { content });
                block["is_error"] = Value::Bool(true);
            }
            Output::Content { text: content, media } => {
                let inside = media.iter().filter(|medium| self.inside.takes(&medium.mime));
                let mut contents: Vec<Value> = text(content).into_iter().collect();
                contents.extend(inside.map(|medium| self.media(medium)));
                if !contents.is_empty() {
                    block["content"] = Value::Array(contents);
                }
            }
        }
        block
    }

    fn media(&self, content: &Media) -> Value {
        if let Some(refusal) = media::refusal(content, &self.target) {
            return json!({"type": "text", "text": refusal});
        }
        let source = if media::is_link(content) {
            json!({"type": "url", "url": &*content.data})
        } else {
            json!({"type": "base64", "media_type": content.mime, "data": &*content.data})
        };
        if IMAGES.contains(&content.mime.as_str()) {
            return json!({"type": "image", "source": source});
        }
        if content.mime != "application/pdf" {
            let name = content.name.as_deref().unwrap_or("unnamed");
            let problem =
                format!("ERROR: `{name}` ({}) cannot be sent to this model. Tell the user.", content.mime);
            return json!({"type": "text", "text": problem});
        }
        let mut document = json!({"type": "document", "source": source});
        if let Some(name) = &content.name {
            document["title"] = json!(name);
        }
        document
    }
}

/// A text block, unless it is blank: the API refuses those.
fn text(content: &str) -> Option<Value> {
    (!content.trim().is_empty()).then(|| json!({"type": "text", "text": content}))
}

fn is_signed(metadata: &Metadata) -> bool {
    ["signature", "redactedData"].iter().any(|field| metadata.text(FAMILY, field).is_some())
}

/// An id or a name with nothing but what the API takes.
fn plain(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    if id.is_empty() { "_".to_owned() } else { id.chars().map(plain).collect() }
}

/// The API refuses an unfinished answer that ends with white space.
fn trim_prefill(turns: &mut Vec<Turn>) {
    let Some(last) = turns.last_mut().filter(|turn| turn.role == "assistant") else { return };
    let Some(Value::String(text)) = last.blocks.last_mut().and_then(|block| block.get_mut("text")) else {
        return;
    };
    text.truncate(text.trim_end().len());
    if text.is_empty() {
        last.blocks.pop();
    }
    if last.blocks.is_empty() {
        turns.pop();
    }
}
