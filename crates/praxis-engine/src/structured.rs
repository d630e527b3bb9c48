//! Answers that must fit a schema.

use std::sync::Arc;

use praxis_llm::ToolSpec;
use praxis_proto::{AnswerFormat, Failure};
use praxis_tools::schema::Shape;
use serde_json::{Value, json};

use crate::processor::STRUCTURED_TOOL;

/// How often a model may try again unless the message says otherwise.
const RETRIES: u64 = 2;

/// A structured answer that is waited for.
pub(crate) struct Structured {
    /// Checks it.
    pub(crate) shape: Arc<Shape>,
    /// What the model is offered for it.
    pub(crate) tool: ToolSpec,
    retries: u64,
    tries: u64,
}

impl Structured {
    /// What a message asks for; none means plain text.
    pub(crate) fn of(format: Option<&AnswerFormat>) -> Option<Self> {
        let Some(AnswerFormat::JsonSchema { schema, retry_count }) = format else { return None };
        let mut schema = schema.clone();
        if let Value::Object(fields) = &mut schema {
            fields.shift_remove("$schema");
        } else {
            schema = json!({ "type": "object" });
        }
        let shape = Arc::new(Shape::compile(&schema));
        let tool = ToolSpec {
            name: STRUCTURED_TOOL.to_owned(),
            description:
                "Give the final answer in the form that the user asked for. Call it exactly once, at the end."
                    .into(),
            parameters: Arc::new(schema),
        };
        Some(Self { shape, tool, retries: retry_count.unwrap_or(RETRIES), tries: 0 })
    }

    /// Counts answers that did not fit, or that never came; gives the failure when there were too many.
    pub(crate) fn missed(&mut self, misses: usize, why: &str) -> Option<Failure> {
        self.tries += misses as u64;
        (self.tries > self.retries)
            .then(|| Failure::StructuredOutput { message: why.to_owned(), retries: self.retries })
    }

    /// What a model is told that stopped without an answer.
    pub(crate) fn reminder() -> String {
        format!("The answer is still missing: call `{STRUCTURED_TOOL}` with it now.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_may_miss_as_often_as_the_message_says() {
        let format = |retry_count| AnswerFormat::JsonSchema {
            schema: json!({"$schema": "x", "type": "object"}),
            retry_count,
        };
        let mut twice = Structured::of(Some(&format(None))).unwrap();
        assert_eq!(*twice.tool.parameters, json!({"type": "object"}));
        let failed = Failure::StructuredOutput { message: "no".into(), retries: 2 };
        assert_eq!(
            [twice.missed(1, "no"), twice.missed(1, "no"), twice.missed(1, "no")],
            [None, None, Some(failed)]
        );
        let mut never = Structured::of(Some(&format(Some(0)))).unwrap();
        assert!(never.missed(1, "no").is_some());
        assert!(Structured::of(Some(&AnswerFormat::Text {})).is_none() && Structured::of(None).is_none());
    }
}
