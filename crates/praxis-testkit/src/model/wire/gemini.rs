use praxis_llm::FinishReason;
use praxis_llm::script::{Kind, Part, Played};
use serde_json::{Map, Value, json};

use super::Writer;

pub(super) struct Gemini<'a> {
    played: &'a Played,
    model: &'a str,
    /// Deltas of the open thought that are still to come; the last one carries the signature.
    left: usize,
}

impl<'a> Gemini<'a> {
    pub(super) fn new(played: &'a Played, model: &'a str) -> Self {
        Self { played, model, left: 0 }
    }

    fn chunk(&self, part: &Value, finish: Option<&str>) -> String {
        let mut candidate = json!({"content": {"parts": [part], "role": "model"}, "index": 0});
        if let Some(finish) = finish {
            candidate["finishReason"] = finish.into();
        }
        data(&json!({
            "candidates": [candidate], "usageMetadata": self.usage(finish.is_some()), "modelVersion": self.model,
            "responseId": self.played.key,
        }))
    }

    /// Each chunk tells what is known so far; candidates do not count thoughts.
    fn usage(&self, is_last: bool) -> Map<String, Value> {
        let usage = &self.played.usage;
        let said =
            usage.output_tokens.map(|output| output.saturating_sub(usage.reasoning_tokens.unwrap_or(0)));
        let fields = [
            ("promptTokenCount", usage.input_tokens),
            ("cachedContentTokenCount", usage.cached_input_tokens),
            ("thoughtsTokenCount", usage.reasoning_tokens.filter(|_| is_last)),
            ("candidatesTokenCount", said.filter(|_| is_last)),
            ("totalTokenCount", usage.total_tokens.filter(|_| is_last)),
        ];
        fields.into_iter().filter_map(|(name, tokens)| Some((name.to_owned(), tokens?.into()))).collect()
    }
}

/// The real server ends its lines as Windows does.
fn data(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}

impl Writer for Gemini<'_> {
    fn open(&mut self) -> String {
        String::new()
    }

    fn start(&mut self, _: usize, part: &Part) -> String {
        self.left = part.pieces.len();
        String::new()
    }

    fn piece(&mut self, _: usize, part: &Part, piece: &str) -> String {
        self.left = self.left.saturating_sub(1);
        match &part.kind {
            // Calls come whole.
            Kind::Call { .. } => String::new(),
            Kind::Text | Kind::Hold => self.chunk(&json!({"text": piece}), None),
            Kind::Thought { signature } => {
                let mut thought = json!({"text": piece, "thought": true});
                if let (0, Some(signature)) = (self.left, signature) {
                    thought["thoughtSignature"] = signature.as_str().into();
                }
                self.chunk(&thought, None)
            }
        }
    }

    fn end(&mut self, _: usize, part: &Part) -> String {
        let Kind::Call { tool, signature } = &part.kind else { return String::new() };
        let mut call = json!({"functionCall": {"name": tool, "args": part.input()}});
        if let Some(signature) = signature {
            call["thoughtSignature"] = signature.as_str().into();
        }
        self.chunk(&call, None)
    }

    fn finish(&mut self) -> String {
        let reason = match self.played.finish {
            FinishReason::Stop | FinishReason::ToolCalls => "STOP",
            FinishReason::Length => "MAX_TOKENS",
            FinishReason::ContentFilter => "SAFETY",
            FinishReason::Error => "MALFORMED_FUNCTION_CALL",
            FinishReason::Other => "OTHER",
            FinishReason::Unknown => "FINISH_REASON_UNSPECIFIED",
        };
        self.chunk(&json!({"text": ""}), Some(reason))
    }

    fn error(&mut self, message: &str, code: Option<&str>) -> String {
        data(&json!({"error": {"code": 500, "message": message, "status": code.unwrap_or("INTERNAL")}}))
    }
}
