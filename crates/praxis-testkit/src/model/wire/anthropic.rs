use praxis_llm::FinishReason;
use praxis_llm::script::{Kind, Part, Played};
use serde_json::{Map, Value, json};

use super::{Writer, event, numbers};

pub(super) struct Anthropic<'a> {
    played: &'a Played,
    model: &'a str,
    blocks: Vec<usize>,
    has_pinged: bool,
}

impl<'a> Anthropic<'a> {
    pub(super) fn new(played: &'a Played, model: &'a str) -> Self {
        let blocks = numbers(&played.parts, |part| part.kind != Kind::Hold);
        Self { played, model, blocks, has_pinged: false }
    }

    fn delta(&self, index: usize, delta: &Value) -> String {
        let frame = json!({"type": "content_block_delta", "index": self.blocks[index], "delta": delta});
        event("content_block_delta", &frame)
    }

    /// The format counts cached input apart.
    fn usage(&self) -> Map<String, Value> {
        let usage = &self.played.usage;
        let cached = usage.cached_input_tokens.unwrap_or(0) + usage.cache_write_tokens.unwrap_or(0);
        let fields = [
            ("input_tokens", usage.input_tokens.map(|input| input.saturating_sub(cached))),
            ("cache_creation_input_tokens", usage.cache_write_tokens),
            ("cache_read_input_tokens", usage.cached_input_tokens),
            ("output_tokens", usage.output_tokens.map(|output| output.min(1))),
        ];
        let known = fields.into_iter().filter_map(|(name, tokens)| Some((name.to_owned(), tokens?.into())));
        known.collect()
    }
}

impl Writer for Anthropic<'_> {
    fn open(&mut self) -> String {
        let message = json!({
            "id": format!("msg_{}", self.played.key), "type": "message", "role": "assistant", "model": self.model,
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": self.usage(),
        });
        event("message_start", &json!({"type": "message_start", "message": message}))
    }

    fn start(&mut self, index: usize, part: &Part) -> String {
        let block = match &part.kind {
            Kind::Call { tool, .. } => json!({"type": "tool_use", "id": part.id, "name": tool, "input": {}}),
            Kind::Thought { .. } => json!({"type": "thinking", "thinking": "", "signature": ""}),
            Kind::Text | Kind::Hold => json!({"type": "text", "text": ""}),
        };
        let frame =
            json!({"type": "content_block_start", "index": self.blocks[index], "content_block": block});
        let mut out = event("content_block_start", &frame);
        if !std::mem::replace(&mut self.has_pinged, true) {
            out.push_str(&event("ping", &json!({"type": "ping"})));
        }
        if let Kind::Call { .. } = part.kind {
            // The real server always sends one that is empty, and no other for a call without arguments.
            out.push_str(&self.delta(index, &json!({"type": "input_json_delta", "partial_json": ""})));
        }
        out
    }

    fn piece(&mut self, index: usize, part: &Part, piece: &str) -> String {
        let delta = match &part.kind {
            Kind::Call { .. } if part.pieces.len() <= 2 && part.text() == "{}" => return String::new(),
            Kind::Call { .. } => json!({"type": "input_json_delta", "partial_json": piece}),
            Kind::Thought { .. } => json!({"type": "thinking_delta", "thinking": piece}),
            Kind::Text | Kind::Hold => json!({"type": "text_delta", "text": piece}),
        };
        self.delta(index, &delta)
    }

    fn end(&mut self, index: usize, part: &Part) -> String {
        let mut out = String::new();
        if let Kind::Thought { signature: Some(signature) } = &part.kind {
            out.push_str(&self.delta(index, &json!({"type": "signature_delta", "signature": signature})));
        }
        let frame = json!({"type": "content_block_stop", "index": self.blocks[index]});
        out.push_str(&event("content_block_stop", &frame));
        out
    }

    fn finish(&mut self) -> String {
        let reason = match self.played.finish {
            FinishReason::Stop => json!("end_turn"),
            FinishReason::Length => json!("max_tokens"),
            FinishReason::ToolCalls => json!("tool_use"),
            FinishReason::ContentFilter => json!("refusal"),
            FinishReason::Error => json!("error"),
            FinishReason::Other => json!("other"),
            FinishReason::Unknown => Value::Null,
        };
        let usage = match self.played.usage.output_tokens {
            Some(output) => json!({"output_tokens": output}),
            None => json!({}),
        };
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        let frame = json!({"type": "message_delta", "delta": delta, "usage": usage});
        event("message_delta", &frame) + &event("message_stop", &json!({"type": "message_stop"}))
    }

    fn error(&mut self, message: &str, code: Option<&str>) -> String {
        let error = json!({"type": code.unwrap_or("api_error"), "message": message});
        event("error", &json!({"type": "error", "error": error}))
    }
}
