//! A failure as it is stored in a message.

use serde_json::{Map, Value, json};

use super::{Class, Failure};

impl Failure {
    /// The error object of a message: `{name, data}`.
    pub fn to_error_object(&self) -> Value {
        let message = &self.message;
        match self.class {
            Class::Cancelled => named("MessageAbortedError", json!({ "message": message })),
            Class::Overflow => {
                let mut data = Map::from_iter([("message".to_owned(), json!(message))]);
                self.add_body(&mut data);
                named("ContextOverflowError", Value::Object(data))
            }
            Class::ContentFilter => named("ContentFilterError", json!({ "message": message })),
            // A provider that refused the key has a status; here there was none to send.
            Class::Auth if self.status.is_none() && self.code.is_none() => {
                named("ProviderAuthError", json!({ "providerID": self.provider, "message": message }))
            }
            Class::Unknown => named("UnknownError", json!({ "message": message })),
            Class::Auth
            | Class::Quota
            | Class::Rate
            | Class::Overload
            | Class::BadRequest
            | Class::Network
            | Class::Timeout
            | Class::Protocol => named("APIError", Value::Object(self.api_error())),
        }
    }

    fn api_error(&self) -> Map<String, Value> {
        let mut data = Map::from_iter([("message".to_owned(), json!(self.message))]);
        if let Some(status) = self.status {
            data.insert("statusCode".to_owned(), json!(status));
        }
        data.insert("isRetryable".to_owned(), json!(self.retryable));
        if !self.headers.is_empty() {
            let headers = self.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            data.insert("responseHeaders".to_owned(), Value::Object(headers));
        }
        self.add_body(&mut data);
        let code = self.code.iter().map(|code| ("code", code));
        let details = self.details.iter().map(|(name, text)| (*name, text));
        let metadata: Map<_, _> =
            code.chain(details).map(|(name, text)| (name.to_owned(), json!(text))).collect();
        if !metadata.is_empty() {
            data.insert("metadata".to_owned(), Value::Object(metadata));
        }
        data
    }

    fn add_body(&self, data: &mut Map<String, Value>) {
        if let Some(body) = &self.body {
            data.insert("responseBody".to_owned(), json!(body));
        }
    }
}

fn named(name: &str, data: Value) -> Value {
    json!({ "name": name, "data": data })
}
