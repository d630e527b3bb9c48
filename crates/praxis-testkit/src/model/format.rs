//! The wire formats and their paths.

use praxis_llm::script::Seen;
use serde_json::{Value, json};

use super::seen;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Anthropic Messages: `/v1/messages`.
    Anthropic,
    /// Chat completions: `/v1/chat/completions`.
    Chat,
    /// OpenAI Responses: `/v1/responses`.
    Responses,
    /// Gemini: `/v1beta/models/{id}:streamGenerateContent`.
    Gemini,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::Gemini];

    /// The format's own path for a model.
    pub fn path(self, model: &str) -> String {
        match self {
            Self::Anthropic => "/v1/messages".to_owned(),
            Self::Chat => "/v1/chat/completions".to_owned(),
            Self::Responses => "/v1/responses".to_owned(),
            Self::Gemini => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
        }
    }

    /// The format that is spoken at a path.
    pub fn at(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or(path);
        let ends = [
            ("/messages", Self::Anthropic),
            ("/chat/completions", Self::Chat),
            ("/responses", Self::Responses),
            (":streamGenerateContent", Self::Gemini),
        ];
        ends.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, format)| format)
    }

    /// What a script sees of a body in this format.
    pub fn seen(self, path: &str, body: &Value) -> Seen {
        match self {
            Self::Anthropic => seen::anthropic(body),
            Self::Chat => seen::chat(body),
            Self::Responses => seen::responses(body),
            Self::Gemini => seen::gemini(path, body),
        }
    }

    /// The body of an HTTP error in this format.
    pub(super) fn error_body(self, status: u16, message: &str) -> Value {
        let kind = match status {
            400 | 413 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            503 | 529 => "overloaded_error",
            _ => "api_error",
        };
        match self {
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"})
            }
            Self::Chat | Self::Responses => {
                json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
            }
            Self::Gemini => {
                json!({"error": {"code": status, "message": message, "status": google_status(status)}})
            }
        }
    }
}

fn google_status(status: u16) -> &'static str {
    match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}
