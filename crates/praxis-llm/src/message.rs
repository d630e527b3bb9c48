//! The conversation as every wire format understands it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a provider gave with a part and wants back with it: signatures, item ids, thought signatures.
///
/// Keyed by wire family (`anthropic`, `openai`, `google`), so that one family never reads another's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(pub Map<String, Value>);

/// The family of what we note ourselves; no provider sees it.
const OURS: &str = "praxis";
/// The note on a call that no model made as its wire format has it.
const FOREIGN: &str = "notNative";

impl Metadata {
    /// Of a call that the model did not make as its wire format has it: it was printed, or somebody else made it.
    pub fn not_native() -> Self {
        Self::default().with(OURS, FOREIGN, true)
    }

    /// Whether it is that of such a call.
    pub fn is_not_native(&self) -> bool {
        self.get(OURS, FOREIGN) == Some(&Value::Bool(true))
    }

    /// Drops what any provider gave.
    pub(crate) fn keep_ours(&mut self) {
        self.0.retain(|family, _| family == OURS);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One field of one family.
    pub fn get(&self, family: &str, field: &str) -> Option<&Value> {
        self.0.get(family)?.get(field)
    }

    /// One text field of one family.
    pub fn text(&self, family: &str, field: &str) -> Option<&str> {
        self.get(family, field)?.as_str()
    }

    /// The same with one more field.
    #[must_use]
    pub fn with(mut self, family: &str, field: &str, value: impl Into<Value>) -> Self {
        let entry = self.0.entry(family.to_owned()).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(fields) = entry {
            fields.insert(field.to_owned(), value.into());
        }
        self
    }
}

/// One message. Calls and their results are pairs: each call of an assistant message has its result in the tool
/// message right behind it.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user.
    User(Vec<UserPart>),
    /// From the model.
    Assistant(Vec<AssistantPart>),
    /// The results of the assistant message before it.
    Tool(Vec<ToolResult>),
    /// A note from the program in the middle of the conversation; wires without that role put it into a user message.
    Note(String),
}

/// A piece of a user message.
#[derive(Debug, Clone, PartialEq)]
pub enum UserPart {
    /// Text.
    Text(Arc<str>),
    /// A picture, a document, a sound.
    Media(Media),
}

/// A piece of an assistant message.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantPart {
    /// Text.
    Text {
        /// The text.
        text: Arc<str>,
        /// What the provider wants back.
        metadata: Metadata,
    },
    /// A thought.
    Reasoning {
        /// The text, which may be empty when only the metadata counts.
        text: Arc<str>,
        /// Signature or encrypted content.
        metadata: Metadata,
    },
    /// A call.
    Call {
        /// Names it.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        input: Arc<Value>,
        /// What the provider wants back.
        metadata: Metadata,
    },
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it gave.
    pub output: Output,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Text.
    Text(Arc<str>),
    /// Why it failed.
    Error(Arc<str>),
    /// Text with media beside it.
    Content {
        /// The text, which may be empty.
        text: Arc<str>,
        /// What goes with it.
        media: Vec<Media>,
    },
}

/// Bytes that are not text, as base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// For example `image/png`.
    pub mime: String,
    /// Base64, or a URL if it starts with `http`.
    pub data: Arc<str>,
    /// The file's name, if it has one.
    pub name: Option<String>,
}

impl Message {
    /// Whether a model made a call in it as its wire format has it.
    pub(crate) fn has_native_call(&self) -> bool {
        let Self::Assistant(parts) = self else { return false };
        parts
            .iter()
            .any(|part| matches!(part, AssistantPart::Call { metadata, .. } if !metadata.is_not_native()))
    }
}
