//! The conversation as contents of parts.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::FAMILY;
use crate::wire::growing::Growing;
use crate::wire::media::{self, MOVED_CAPTION, MediaInResults, media_in_results};
use crate::wire::note::{FIRST_WORD, note};
use crate::{AssistantPart, Media, Message, Metadata, Output, Request, Target, ToolResult, UserPart};

/// Told to Gemini 3 in place of the signature of a call that it did not make itself; it refuses a call without one.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn system(request: &Request) -> Vec<Value> {
    request
        .system
        .iter()
        .filter(|block| !block.0.is_empty())
        .map(|block| json!({"text": &*block.0}))
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Model,
    /// Written as the user, but kept apart.
    Results,
}

#[derive(Debug, Clone)]
pub(super) struct Content {
    role: Role,
    parts: Vec<Value>,
}

impl Content {
    fn first() -> Self {
        Self { role: Role::User, parts: vec![json!({"text": FIRST_WORD})] }
    }

    pub(super) fn into_value(self) -> Value {
        let role = match self.role {
            Role::User | Role::Results => "user",
            Role::Model => "model",
        };
        json!({"role": role, "parts": self.parts})
    }
}

/// Writes all that is said, the user's words first. Results of calls stay apart from what the user says: their number must
/// be that of the calls.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) target: Target,
    inside: MediaInResults,
    wants_signatures: bool,
    pub(super) contents: Growing<Content>,
    /// The ids that the server gave its calls, by ours.
    given: HashMap<String, String>,
}

impl Writer {
    pub(super) fn new(target: &Target) -> Self {
        Self {
            target: target.clone(),
            inside: media_in_results(target),
            wants_signatures: target.model.contains("gemini-3"),
            contents: Growing::default(),
            given: HashMap::new(),
        }
    }

    pub(super) fn seal(&mut self) {
        self.contents.seal(1, Content::into_value);
        // The results of these calls have come.
        self.given.clear();
    }

    /// What may still change.
    pub(super) fn open(&self) -> Value {
        let first = self.contents.is_empty().then(Content::first);
        first.into_iter().chain(self.contents.open.iter().cloned()).map(Content::into_value).collect()
    }

    pub(super) fn push(&mut self, message: &Message) {
        match message {
            Message::User(parts) => {
                let parts = parts.iter().filter_map(|part| match part {
                    UserPart::Text(text) if text.is_empty() => None,
                    UserPart::Text(text) => Some(json!({"text": &**text})),
                    UserPart::Media(content) => Some(self.media(content)),
                });
                let parts = parts.collect();
                self.say(Role::User, parts);
            }
            Message::Note(text) => self.say(Role::User, vec![json!({"text": note(text)})]),
            Message::Assistant(parts) => self.assistant(parts),
            Message::Tool(results) => self.results(results),
        }
    }

    fn say(&mut self, role: Role, parts: Vec<Value>) {
        if parts.is_empty() {
            return;
        }
        if self.contents.is_empty() && role != Role::User {
            self.contents.open.push(Content::first());
        }
        match self.contents.open.last_mut() {
            Some(content) if content.role == role => content.parts.extend(parts),
            _ => self.contents.open.push(Content { role, parts }),
        }
    }

    fn assistant(&mut self, parts: &[AssistantPart]) {
        let mut written = Vec::with_capacity(parts.len());
        // Of calls made at once, only the first is signed.
        let mut unsigned = self.wants_signatures;
        for part in parts {
            match part {
                AssistantPart::Text { text, metadata } => {
                    written.extend(signed(json!({"text": &**text}), text, metadata));
                }
                AssistantPart::Reasoning { text, metadata } => {
                    written.extend(signed(json!({"text": &**text, "thought": true}), text, metadata));
                }
                AssistantPart::Call { id, name, input, metadata } => {
                    let args =
                        if input.is_object() { (**input).clone() } else { json!({"arguments": **input}) };
                    let mut call = json!({"functionCall": {"name": name, "args": args}});
                    if let Some(given) = metadata.text(FAMILY, "callId") {
                        call["functionCall"]["id"] = json!(given);
                        self.given.insert(id.clone(), given.to_owned());
                    }
                    let signature = metadata.text(FAMILY, "thoughtSignature");
                    if let Some(signature) = signature.or(unsigned.then_some(NO_SIGNATURE)) {
                        call["thoughtSignature"] = json!(signature);
                    }
                    unsigned = false;
                    written.push(call);
                }
            }
        }
        self.say(Role::Model, written);
    }

    fn results(&mut self, results: &[ToolResult]) {
        let parts = results.iter().map(|result| self.result(result)).collect();
        self.say(Role::Results, parts);
        let moved = media::moved(results, self.inside);
        if moved.is_empty() {
            return;
        }
        let mut parts = vec![json!({"text": MOVED_CAPTION})];
        parts.extend(moved.into_iter().map(|medium| self.media(medium)));
        self.say(Role::User, parts);
    }

    fn result(&self, result: &ToolResult) -> Value {
        let (key, text) = match &result.output {
            Output::Text(text) | Output::Content { text, .. } => ("content", text),
            Output::Error(text) => ("error", text),
        };
        let mut text = text.to_string();
        let mut parts = Vec::new();
        let media: &[Media] = if let Output::Content { media, .. } = &result.output { media } else { &[] };
        for medium in media.iter().filter(|medium| self.inside.takes(&medium.mime)) {
            match media::refusal(medium, &self.target) {
                // Only media may stand beside a result.
                Some(refusal) => text.extend(["\n", &refusal]),
                None => parts.push(self.media(medium)),
            }
        }
        let mut response = json!({"name": result.name, "response": {"name": result.name, key: text}});
        if let Some(given) = self.given.get(result.id.as_str()) {
            response["id"] = json!(given);
        }
        if !parts.is_empty() {
            response["parts"] = Value::Array(parts);
        }
        json!({"functionResponse": response})
    }

    fn media(&self, content: &Media) -> Value {
        if let Some(refusal) = media::refusal(content, &self.target) {
            return json!({"text": refusal});
        }
        if media::is_link(content) {
            return json!({"fileData": {"mimeType": content.mime, "fileUri": &*content.data}});
        }
        json!({"inlineData": {"mimeType": content.mime, "data": &*content.data}})
    }
}

/// A part with its signature; nothing if it has neither text nor signature.
fn signed(mut part: Value, text: &str, metadata: &Metadata) -> Option<Value> {
    match metadata.text(FAMILY, "thoughtSignature") {
        Some(signature) => part["thoughtSignature"] = json!(signature),
        None if text.is_empty() => return None,
        None => {}
    }
    Some(part)
}
