//! Files that go with a message, and where in it they were named.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::number::whole;

/// A file that goes with a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FilePart {
    /// The media type.
    pub mime: String,
    /// The name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// A `data:` URL once the file was read; `file:` only on the way in.
    pub url: String,
    /// Where it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FileSource>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where a file was named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FileSource {
    /// As a file.
    File {
        /// Where in the prompt.
        text: SourceText,
        /// Which file.
        path: String,
    },
    /// As something that a file defines.
    Symbol {
        /// Where in the prompt.
        text: SourceText,
        /// Which file.
        path: String,
        /// Where in the file.
        range: Range,
        /// What.
        name: String,
        /// The language server's number for the kind of thing it is.
        #[serde(deserialize_with = "whole")]
        kind: u64,
    },
    /// As a server's resource.
    #[serde(rename_all = "camelCase")]
    Resource {
        /// Where in the prompt.
        text: SourceText,
        /// Which server.
        client_name: String,
        /// Which resource.
        uri: String,
    },
}

/// A piece of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// The piece.
    pub value: String,
    /// Its first character.
    #[serde(deserialize_with = "whole")]
    pub start: u64,
    /// The character behind its last.
    #[serde(deserialize_with = "whole")]
    pub end: u64,
}

/// A piece of a file, as language servers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// Where it begins.
    pub start: Spot,
    /// Where it ends.
    pub end: Spot,
}

/// A position in a file, counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// The line.
    #[serde(deserialize_with = "whole")]
    pub line: u64,
    /// The column.
    #[serde(deserialize_with = "whole")]
    pub character: u64,
}
