use praxis_llm::FinishReason;
use praxis_llm::script::{Kind, Part, Played};
use serde_json::{Value, json};

use super::{Writer, event, numbers};

pub(super) struct Responses<'a> {
    played: &'a Played,
    model: &'a str,
    items: Vec<usize>,
    /// Items that are complete, for the last event.
    output: Vec<Value>,
    sequence: u64,
}

impl<'a> Responses<'a> {
    pub(super) fn new(played: &'a Played, model: &'a str) -> Self {
        let items = numbers(&played.parts, |part| part.kind != Kind::Hold);
        Self { played, model, items, output: Vec::new(), sequence: 0 }
    }

    fn event(&mut self, name: &str, fields: Value) -> String {
        let frame = json!({"type": name, "sequence_number": self.sequence});
        self.sequence += 1;
        event(name, &with(frame, fields))
    }

    fn response(&self, status: &str) -> Value {
        json!({
            "id": format!("resp_{}", self.played.key), "object": "response", "created_at": 1_700_000_000,
            "status": status, "model": self.model, "error": null, "incomplete_details": null,
            "output": self.output, "usage": null,
        })
    }

    fn usage(&self) -> Value {
        let usage = &self.played.usage;
        if usage.total_tokens.is_none() {
            return Value::Null;
        }
        json!({
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_input_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.total_tokens,
        })
    }

    /// Which item of the output an event is about.
    fn about(&self, index: usize, part: &Part) -> Value {
        json!({"item_id": item_id(part), "output_index": self.items[index]})
    }

    fn inner(&self, index: usize, part: &Part, more: Value) -> Value {
        let mut fields = self.about(index, part);
        match part.kind {
            Kind::Thought { .. } => fields["summary_index"] = 0.into(),
            Kind::Text | Kind::Hold => fields["content_index"] = 0.into(),
            Kind::Call { .. } => {}
        }
        with(fields, more)
    }
}

/// An object with the fields of another behind its own.
fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

/// The id of an item, which of a call is not the call's.
fn item_id(part: &Part) -> String {
    let prefix = match part.kind {
        Kind::Call { .. } => "fc",
        Kind::Thought { .. } => "rs",
        Kind::Text | Kind::Hold => "msg",
    };
    format!("{prefix}_{}", part.id)
}

fn item(part: &Part, is_done: bool) -> Value {
    let (id, status) = (item_id(part), if is_done { "completed" } else { "in_progress" });
    let text = if is_done { part.text() } else { String::new() };
    match &part.kind {
        Kind::Call { tool, .. } => json!({
            "type": "function_call", "id": id, "call_id": part.id, "name": tool, "arguments": text, "status": status,
        }),
        Kind::Thought { signature } => {
            let summary = if is_done { json!([{"type": "summary_text", "text": text}]) } else { json!([]) };
            let mut item = json!({"type": "reasoning", "id": id, "summary": summary});
            if let (true, Some(signature)) = (is_done, signature) {
                item["encrypted_content"] = signature.as_str().into();
            }
            item
        }
        Kind::Text | Kind::Hold => {
            let content = if is_done {
                json!([{"type": "output_text", "text": text, "annotations": []}])
            } else {
                json!([])
            };
            json!({"type": "message", "id": id, "status": status, "role": "assistant", "content": content})
        }
    }
}

impl Writer for Responses<'_> {
    fn open(&mut self) -> String {
        let response = self.response("in_progress");
        let created = self.event("response.created", json!({"response": response}));
        created + &self.event("response.in_progress", json!({"response": response}))
    }

    fn start(&mut self, index: usize, part: &Part) -> String {
        let added = json!({"output_index": self.items[index], "item": item(part, false)});
        let added = self.event("response.output_item.added", added);
        let (name, empty) = match part.kind {
            Kind::Call { .. } => return added,
            Kind::Thought { .. } => {
                ("response.reasoning_summary_part.added", json!({"type": "summary_text", "text": ""}))
            }
            Kind::Text | Kind::Hold => {
                ("response.content_part.added", json!({"type": "output_text", "text": "", "annotations": []}))
            }
        };
        let fields = self.inner(index, part, json!({"part": empty}));
        added + &self.event(name, fields)
    }

    fn piece(&mut self, index: usize, part: &Part, piece: &str) -> String {
        let name = match part.kind {
            Kind::Call { .. } => "response.function_call_arguments.delta",
            Kind::Thought { .. } => "response.reasoning_summary_text.delta",
            Kind::Text | Kind::Hold => "response.output_text.delta",
        };
        let fields = self.inner(index, part, json!({"delta": piece}));
        self.event(name, fields)
    }

    fn end(&mut self, index: usize, part: &Part) -> String {
        let text = part.text();
        let mut out = match part.kind {
            Kind::Call { .. } => {
                let fields = self.inner(index, part, json!({"arguments": text}));
                self.event("response.function_call_arguments.done", fields)
            }
            Kind::Thought { .. } => {
                let done = self.inner(index, part, json!({"text": text}));
                let whole = self.inner(index, part, json!({"part": {"type": "summary_text", "text": text}}));
                self.event("response.reasoning_summary_text.done", done)
                    + &self.event("response.reasoning_summary_part.done", whole)
            }
            Kind::Text | Kind::Hold => {
                let done = self.inner(index, part, json!({"text": text}));
                let whole = json!({"part": {"type": "output_text", "text": text, "annotations": []}});
                let whole = self.inner(index, part, whole);
                self.event("response.output_text.done", done)
                    + &self.event("response.content_part.done", whole)
            }
        };
        let item = item(part, true);
        self.output.push(item.clone());
        let done = json!({"output_index": self.items[index], "item": item});
        out.push_str(&self.event("response.output_item.done", done));
        out
    }

    fn finish(&mut self) -> String {
        let (status, reason) = match self.played.finish {
            FinishReason::Stop | FinishReason::ToolCalls => ("completed", None),
            FinishReason::Length => ("incomplete", Some("max_output_tokens")),
            FinishReason::ContentFilter => ("incomplete", Some("content_filter")),
            FinishReason::Other | FinishReason::Unknown => ("incomplete", Some("other")),
            FinishReason::Error => ("failed", None),
        };
        let mut response = self.response(status);
        response["usage"] = self.usage();
        if let Some(reason) = reason {
            response["incomplete_details"] = json!({"reason": reason});
        }
        if status == "failed" {
            response["error"] =
                json!({"code": "server_error", "message": "the script says that the answer failed"});
        }
        self.event(&format!("response.{status}"), json!({"response": response}))
    }

    fn error(&mut self, message: &str, code: Option<&str>) -> String {
        self.event("error", json!({"code": code, "message": message, "param": null}))
    }
}
