//! What a call gives back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A file that travels with a report, as a data URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Always `file`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The media type.
    pub mime: String,
    /// A `data:` URL.
    pub url: String,
    /// The name to show, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub filename: Option<String>,
}

/// The result of a call: a title for people, an output for the model, metadata for clients.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// One line for people.
    pub title: String,
    /// What the model reads.
    pub output: String,
    /// What clients read; a `truncated` key here means that the tool bounded its output itself.
    pub metadata: Map<String, Value>,
    /// Files, without ids: the session adds those.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
}

impl Report {
    /// A report with a title and an output.
    pub fn new(title: impl Into<String>, output: impl Into<String>) -> Self {
        Self { title: title.into(), output: output.into(), ..Self::default() }
    }

    /// Adds one metadata entry.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }
}
