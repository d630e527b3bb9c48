//! Why a message did not end well, as clients read it: `{name, data}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::number::whole;

/// Why a message did not end well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", content = "data")]
pub enum Failure {
    /// The provider wants a key, or another one.
    #[serde(rename = "ProviderAuthError")]
    Auth {
        /// Whose key.
        #[serde(rename = "providerID")]
        provider: String,
        /// What it said.
        message: String,
    },
    /// Something nobody foresaw.
    #[serde(rename = "UnknownError")]
    Unknown {
        /// What happened.
        message: String,
        /// Where to find more in the log.
        #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
    },
    /// The answer did not fit into the allowed length.
    #[serde(rename = "MessageOutputLengthError")]
    OutputLength {},
    /// The user, or a crash, ended it.
    #[serde(rename = "MessageAbortedError")]
    Aborted {
        /// Who or what.
        message: String,
    },
    /// The model did not give the structure asked for.
    #[serde(rename = "StructuredOutputError")]
    StructuredOutput {
        /// What was wrong with the last try.
        message: String,
        /// How often it was tried again.
        #[serde(default, deserialize_with = "whole")]
        retries: u64,
    },
    /// The conversation is longer than the model reads.
    #[serde(rename = "ContextOverflowError", rename_all = "camelCase")]
    ContextOverflow {
        /// What the provider said.
        message: String,
        /// Its whole answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response_body: Option<String>,
    },
    /// The provider refused the content.
    #[serde(rename = "ContentFilterError")]
    ContentFilter {
        /// What it said.
        message: String,
    },
    /// The provider failed.
    #[serde(rename = "APIError")]
    Api(ApiFailure),
    /// One of another program's, kept as it came.
    #[serde(untagged)]
    Other(Map<String, Value>),
}

/// What is known about a provider's failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiFailure {
    /// For people.
    pub message: String,
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// Whether it may go better next time.
    #[serde(default)]
    pub is_retryable: bool,
    /// The answer's headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<BTreeMap<String, String>>,
    /// The answer's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_body: Option<String>,
    /// What else is known, for example a system error's code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
}

impl Failure {
    /// That somebody or something ended the message.
    pub fn aborted(message: impl Into<String>) -> Self {
        Self::Aborted { message: message.into() }
    }

    /// One line for people.
    pub fn message(&self) -> &str {
        match self {
            Self::Auth { message, .. }
            | Self::Unknown { message, .. }
            | Self::Aborted { message }
            | Self::StructuredOutput { message, .. }
            | Self::ContextOverflow { message, .. }
            | Self::ContentFilter { message }
            | Self::Api(ApiFailure { message, .. }) => message,
            Self::OutputLength {} => "the answer did not fit into the allowed length",
            Self::Other(fields) => {
                let said =
                    fields.get("data").and_then(|data| data.get("message")).or_else(|| fields.get("name"));
                said.and_then(Value::as_str).unwrap_or("an error of another program")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_wire_form_of_opencode_and_strangers_are_kept() {
        for json in [
            r#"{"name":"ProviderAuthError","data":{"providerID":"a","message":"no key"}}"#,
            r#"{"name":"UnknownError","data":{"message":"m","ref":"err_1"}}"#,
            r#"{"name":"MessageOutputLengthError","data":{}}"#,
            r#"{"name":"MessageAbortedError","data":{"message":"m"}}"#,
            r#"{"name":"StructuredOutputError","data":{"message":"m","retries":2}}"#,
            r#"{"name":"ContextOverflowError","data":{"message":"m","responseBody":"b"}}"#,
            r#"{"name":"ContentFilterError","data":{"message":"m"}}"#,
            r#"{"name":"APIError","data":{"message":"m","statusCode":529,"isRetryable":true,"responseHeaders":{"a":"b"},"responseBody":"x","metadata":{"code":"c"}}}"#,
            r#"{"name":"BrandNewError","data":{"message":"m","深":[1,2.5,null]}}"#,
        ] {
            let failure: Failure = serde_json::from_str(json).unwrap();
            assert_eq!(matches!(failure, Failure::Other(_)), json.contains("BrandNew"), "{json}");
            assert_eq!(serde_json::to_string(&failure).unwrap(), json);
        }
    }
}
