use praxis_llm::FinishReason;
use praxis_llm::script::{Kind, Part, Played};
use serde_json::{Value, json};

use super::{Writer, data, numbers};

pub(super) struct Chat<'a> {
    played: &'a Played,
    model: &'a str,
    calls: Vec<usize>,
    tells_usage: bool,
}

impl<'a> Chat<'a> {
    pub(super) fn new(played: &'a Played, model: &'a str, tells_usage: bool) -> Self {
        let calls = numbers(&played.parts, |part| matches!(part.kind, Kind::Call { .. }));
        Self { played, model, calls, tells_usage }
    }

    fn chunk(&self, choices: &Value) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.played.key), "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": self.model, "choices": choices,
        })
    }

    fn delta(&self, delta: &Value) -> String {
        data(&self.chunk(&json!([{"index": 0, "delta": delta, "finish_reason": null}])))
    }

    fn usage(&self) -> String {
        let usage = &self.played.usage;
        if !self.tells_usage || usage.total_tokens.is_none() {
            return String::new();
        }
        let mut chunk = self.chunk(&json!([]));
        chunk["usage"] = json!({
            "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens,
            "total_tokens": usage.total_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_input_tokens},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        });
        data(&chunk)
    }
}

impl Writer for Chat<'_> {
    fn open(&mut self) -> String {
        self.delta(&json!({"role": "assistant", "content": ""}))
    }

    fn start(&mut self, index: usize, part: &Part) -> String {
        let Kind::Call { tool, .. } = &part.kind else { return String::new() };
        // Only this one has the id and the name; the others are told by the index.
        let function = json!({"name": tool, "arguments": ""});
        let call =
            json!({"index": self.calls[index], "id": part.id, "type": "function", "function": function});
        self.delta(&json!({"tool_calls": [call]}))
    }

    fn piece(&mut self, index: usize, part: &Part, piece: &str) -> String {
        let delta = match &part.kind {
            Kind::Call { .. } => {
                json!({"tool_calls": [{"index": self.calls[index], "function": {"arguments": piece}}]})
            }
            Kind::Thought { .. } => json!({"reasoning_content": piece}),
            Kind::Text | Kind::Hold => json!({"content": piece}),
        };
        self.delta(&delta)
    }

    fn end(&mut self, _: usize, part: &Part) -> String {
        let Kind::Thought { signature: Some(signature) } = &part.kind else { return String::new() };
        // The format has no place for it; this is where OpenRouter puts it.
        let detail = json!({"type": "reasoning.text", "signature": signature, "index": 0});
        self.delta(&json!({"reasoning_details": [detail]}))
    }

    fn finish(&mut self) -> String {
        let reason = match self.played.finish {
            FinishReason::Stop => json!("stop"),
            FinishReason::Length => json!("length"),
            FinishReason::ToolCalls => json!("tool_calls"),
            FinishReason::ContentFilter => json!("content_filter"),
            FinishReason::Error => json!("error"),
            FinishReason::Other => json!("other"),
            FinishReason::Unknown => Value::Null,
        };
        let last = self.chunk(&json!([{"index": 0, "delta": {}, "finish_reason": reason}]));
        data(&last) + &self.usage() + "data: [DONE]\n\n"
    }

    fn error(&mut self, message: &str, code: Option<&str>) -> String {
        data(&json!({"error": {"message": message, "type": "server_error", "param": null, "code": code}}))
    }
}
