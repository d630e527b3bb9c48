//! The conversation.

use serde_json::{Map, Value, json};

use super::details::Details;
use super::dialect::{Dialect, Server, Thoughts};
use super::parts;
use crate::wire::call_ids::CallIds;
use crate::wire::growing::Growing;
use crate::wire::media::{MOVED_CAPTION, MediaInResults, moved};
use crate::wire::note::note;
use crate::{AssistantPart, Message, Output, Request, Target, ToolResult};

/// Said by the assistant where a server does not take a user message behind a tool message.
const BRIDGE: &str = "Done.";

/// The system text, if there is any.
pub(super) fn system(request: &Request, dialect: &Dialect) -> Option<Value> {
    let blocks: Vec<&str> =
        request.system.iter().map(|block| &*block.0).filter(|text| !text.is_empty()).collect();
    (!blocks.is_empty()).then(|| json!({"role": dialect.system, "content": blocks.join("\n")}))
}

/// Writes all that is said, for one target in its dialect.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) target: Target,
    pub(super) dialect: Dialect,
    ids: CallIds,
    pub(super) list: Growing<Value>,
}

impl Writer {
    pub(super) fn new(target: &Target) -> Self {
        let dialect = Dialect::of(target);
        Self { target: target.clone(), ids: CallIds::new(dialect.ids), dialect, list: Growing::default() }
    }

    pub(super) fn push(&mut self, message: &Message) {
        match message {
            Message::User(parts) => self.user(parts::user(parts, &self.target)),
            Message::Assistant(parts) => self.assistant(parts),
            Message::Tool(results) => self.results(results),
            Message::Note(text) => self.note(text),
        }
    }

    fn user(&mut self, content: Value) {
        if parts::is_empty(&content) {
            return;
        }
        let behind_tool = self.list.open.last().is_some_and(|last| last["role"] == "tool");
        if self.dialect.bridged && behind_tool {
            self.list.open.push(json!({"role": "assistant", "content": BRIDGE}));
        }
        self.list.open.push(json!({"role": "user", "content": content}));
    }

    /// A note stands alone where the server takes that, else at the end of the user's words.
    fn note(&mut self, text: &str) {
        if self.dialect.notes {
            self.list.open.push(json!({"role": self.dialect.system, "content": text}));
            return;
        }
        let note = note(text);
        match self.list.open.last_mut() {
            Some(last) if last["role"] == "user" => parts::append(&mut last["content"], &note),
            _ => self.user(json!(note)),
        }
    }

    fn assistant(&mut self, parts: &[AssistantPart]) {
        let mut said = Said::default();
        for part in parts {
            match part {
                AssistantPart::Text { text, metadata } => {
                    said.details.recall(metadata);
                    said.text.push(text);
                }
                AssistantPart::Reasoning { text, metadata } => {
                    said.details.recall(metadata);
                    said.thoughts.push(text);
                }
                AssistantPart::Call { id, name, input, metadata } => {
                    said.details.recall(metadata);
                    let function = json!({"name": name, "arguments": arguments(input)});
                    said.calls
                        .push(json!({"id": self.ids.map(id), "type": "function", "function": function}));
                }
            }
        }
        self.list.open.extend(said.message(&self.dialect.thoughts));
    }

    fn results(&mut self, results: &[ToolResult]) {
        for result in results {
            let text = match &result.output {
                Output::Text(text) | Output::Error(text) | Output::Content { text, .. } => text,
            };
            let mut message =
                json!({"role": "tool", "tool_call_id": self.ids.map(&result.id), "content": &**text});
            if self.dialect.server == Server::Mistral {
                message["name"] = json!(result.name);
            }
            self.list.open.push(message);
        }
        let media = moved(results, MediaInResults::Nothing);
        if media.is_empty() {
            return;
        }
        let mut pieces = vec![json!({"type": "text", "text": MOVED_CAPTION})];
        pieces.extend(media.into_iter().map(|media| parts::media(media, &self.target)));
        self.user(Value::Array(pieces));
    }
}

/// What an assistant message consists of.
#[derive(Default)]
struct Said<'a> {
    text: Vec<&'a str>,
    thoughts: Vec<&'a str>,
    details: Details,
    calls: Vec<Value>,
}

impl Said<'_> {
    /// The message; none if there is nothing to say.
    fn message(self, thoughts: &Thoughts) -> Option<Value> {
        let text = joined(&self.text);
        let thought = joined(&self.thoughts);
        let mut message = Map::new();
        message.insert("role".to_owned(), json!("assistant"));
        message.insert("content".to_owned(), json!(text));
        self.think(&thought, &text, thoughts, &mut message);
        if text.is_empty() && self.calls.is_empty() && thought.is_empty() && self.details.array().is_none() {
            return None;
        }
        // Null is for calls alone; a thought without words is followed by none.
        if message["content"] == "" && !self.calls.is_empty() {
            message.insert("content".to_owned(), Value::Null);
        }
        if !self.calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(self.calls));
        }
        Some(Value::Object(message))
    }

    fn think(&self, thought: &str, text: &str, thoughts: &Thoughts, message: &mut Map<String, Value>) {
        match thoughts {
            Thoughts::Nowhere => {}
            Thoughts::Field { name, always } if name == "reasoning_details" => {
                let details = self.details.array().or_else(|| {
                    let made = json!([{"type": "reasoning.text", "text": thought}]);
                    (!thought.is_empty()).then_some(made)
                });
                if let Some(details) = details.or_else(|| always.then(|| json!([]))) {
                    message.insert(name.clone(), details);
                }
            }
            Thoughts::Field { name, always } => {
                if *always || !thought.is_empty() {
                    message.insert(name.clone(), json!(thought));
                }
            }
            Thoughts::Details { always } => match self.details.array() {
                Some(details) => {
                    message.insert("reasoning_details".to_owned(), details);
                }
                None if *always || !thought.is_empty() => {
                    message.insert("reasoning".to_owned(), json!(thought));
                }
                None => {}
            },
            Thoughts::Pieces if thought.is_empty() => {}
            Thoughts::Pieces => {
                let words = json!([{"type": "text", "text": thought}]);
                let mut pieces = vec![json!({"type": "thinking", "thinking": words})];
                if !text.is_empty() {
                    pieces.push(json!({"type": "text", "text": text}));
                }
                message.insert("content".to_owned(), Value::Array(pieces));
            }
        }
    }
}

/// Blocks of text as one, each on a line of its own.
fn joined(blocks: &[&str]) -> String {
    let filled: Vec<&str> = blocks.iter().copied().filter(|block| !block.is_empty()).collect();
    filled.join("\n")
}

/// Arguments as text. Servers read it again, some for their templates, and want an object: what the model wrote instead of
/// one is shown inside of one.
pub(crate) fn arguments(input: &Value) -> String {
    match input {
        Value::Object(_) => input.to_string(),
        Value::Null => "{}".to_owned(),
        other => json!({"invalid": other}).to_string(),
    }
}
