//! One event of the stream.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::loose::{Count, Json, List, Object, Text};

/// All fields that the events we read may have; each kind of event has some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) item_id: Text<'a>,
    pub(super) output_index: Count,
    pub(super) content_index: Count,
    pub(super) summary_index: Count,
    #[serde(borrow)]
    pub(super) delta: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) refusal: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Json<'a>,
    #[serde(borrow)]
    pub(super) item: Object<Item<'a>>,
    #[serde(borrow)]
    pub(super) response: Object<Response<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// A piece of the answer: a message, a thought, a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Json<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) encrypted_content: Text<'a>,
    #[serde(borrow)]
    pub(super) summary: List<Words<'a>>,
    #[serde(borrow)]
    pub(super) content: List<Words<'a>>,
}

/// A piece of an item's text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Words<'a> {
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) refusal: Text<'a>,
}

/// The answer as a whole.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) incomplete_details: Object<Incomplete<'a>>,
    pub(super) usage: Object<RawUsage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawUsage {
    pub(super) input_tokens: Count,
    pub(super) output_tokens: Count,
    pub(super) total_tokens: Count,
    pub(super) input_tokens_details: Object<InputDetails>,
    pub(super) output_tokens_details: Object<OutputDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InputDetails {
    pub(super) cached_tokens: Count,
    pub(super) cache_write_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) reasoning_tokens: Count,
}

impl RawUsage {
    pub(super) fn totals(&self) -> crate::Usage {
        let input = self.input_tokens_details.0.as_ref();
        let output = self.output_tokens_details.0.as_ref();
        let sum = || Some(self.input_tokens.0?.saturating_add(self.output_tokens.0?));
        crate::Usage {
            input_tokens: self.input_tokens.0,
            output_tokens: self.output_tokens.0,
            total_tokens: self.total_tokens.0.or_else(sum),
            reasoning_tokens: output.and_then(|details| details.reasoning_tokens.0),
            cached_input_tokens: input.and_then(|details| details.cached_tokens.0),
            cache_write_tokens: input.and_then(|details| details.cache_write_tokens.0),
        }
    }
}
