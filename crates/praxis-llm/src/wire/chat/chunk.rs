//! One piece of an answer, as any server of the family may spell it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::wire::loose::{Count, Json, List, Object, Text, pass_over};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<List<Choice<'a>>>,
    // What is rarely there is read only if it is; room for it in each chunk costs more than all the rest.
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    /// Groq's place for it.
    #[serde(borrow)]
    pub(super) x_groq: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Groq {
    pub(super) usage: Object<RawUsage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    pub(super) index: Count,
    #[serde(borrow)]
    pub(super) delta: Object<Delta<'a>>,
    /// The whole answer at once, from servers that do not stream.
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
    /// Moonshot's place for it.
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

/// Reads a field that was left for later; none if it is no object.
pub(super) fn later<'a, T: Deserialize<'a>>(field: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str::<Object<T>>(field?.get()).ok()?.0
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_text: Text<'a>,
    pub(super) reasoning_details: List<serde_json::Map<String, serde_json::Value>>,
    #[serde(borrow)]
    pub(super) refusal: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: List<CallDelta<'a>>,
    /// The way calls were made before there could be several.
    #[serde(borrow)]
    pub(super) function_call: Object<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Count,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) function: Object<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Json<'a>,
}

/// Text, or pieces of which some are thoughts (Mistral).
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Content<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or pieces")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut pieces = Vec::new();
                while let Some(Object(piece)) = seq.next_element::<Object<Piece<'de>>>()? {
                    pieces.extend(piece);
                }
                Ok(Content::Pieces(pieces))
            }

            pass_over!(Content::None; unit bool number map);
        }
        from.deserialize_any(Reading)
    }
}

/// Tokens, wherever the servers of the family put them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawUsage {
    pub(super) prompt_tokens: Count,
    pub(super) completion_tokens: Count,
    pub(super) total_tokens: Count,
    pub(super) prompt_tokens_details: Object<PromptDetails>,
    pub(super) completion_tokens_details: Object<CompletionDetails>,
    /// DeepSeek's name for what came from the cache.
    pub(super) prompt_cache_hit_tokens: Count,
    /// Moonshot's name for it.
    pub(super) cached_tokens: Count,
    /// Anthropic's names, which proxies pass on.
    pub(super) cache_read_input_tokens: Count,
    pub(super) cache_creation_input_tokens: Count,
    /// Where there are no details.
    pub(super) reasoning_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Count,
    pub(super) cache_write_tokens: Count,
    pub(super) cache_creation_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CompletionDetails {
    pub(super) reasoning_tokens: Count,
}
