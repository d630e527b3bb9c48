//! One chunk of the stream as it is written.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::Usage;
use crate::wire::loose::{Count, Text, sum};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    pub(super) usage_metadata: Option<Counts>,
    #[serde(borrow)]
    pub(super) prompt_feedback: Option<Feedback<'a>>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    pub(super) index: Option<u64>,
    #[serde(borrow)]
    pub(super) content: Option<Content<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Content<'a> {
    #[serde(borrow)]
    pub(super) parts: Option<Vec<Part<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    pub(super) thought: Option<bool>,
    #[serde(borrow)]
    pub(super) thought_signature: Text<'a>,
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionCall<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FunctionCall<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
    /// More of this call is to come, in a form that has to be asked for.
    pub(super) will_continue: Option<bool>,
    #[serde(borrow)]
    pub(super) partial_args: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Feedback<'a> {
    #[serde(borrow)]
    pub(super) block_reason: Text<'a>,
}

/// Tokens as Gemini counts them: thoughts are not part of the candidates, the cache is part of the prompt.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Counts {
    prompt_token_count: Count,
    tool_use_prompt_token_count: Count,
    candidates_token_count: Count,
    thoughts_token_count: Count,
    cached_content_token_count: Count,
    total_token_count: Count,
}

impl Counts {
    /// Later counts win, field by field.
    pub(super) fn update(&mut self, later: Self) {
        self.prompt_token_count = later.prompt_token_count.or(self.prompt_token_count);
        self.tool_use_prompt_token_count =
            later.tool_use_prompt_token_count.or(self.tool_use_prompt_token_count);
        self.candidates_token_count = later.candidates_token_count.or(self.candidates_token_count);
        self.thoughts_token_count = later.thoughts_token_count.or(self.thoughts_token_count);
        self.cached_content_token_count =
            later.cached_content_token_count.or(self.cached_content_token_count);
        self.total_token_count = later.total_token_count.or(self.total_token_count);
    }

    pub(super) fn usage(&self) -> Usage {
        let input_tokens = sum(&[self.prompt_token_count, self.tool_use_prompt_token_count]);
        let output_tokens = sum(&[self.candidates_token_count, self.thoughts_token_count]);
        let added = input_tokens.zip(output_tokens).map(|(sent, got)| sent.saturating_add(got));
        Usage {
            input_tokens,
            output_tokens,
            total_tokens: self.total_token_count.0.or(added),
            reasoning_tokens: self.thoughts_token_count.0,
            cached_input_tokens: self.cached_content_token_count.0,
            cache_write_tokens: None,
        }
    }
}
