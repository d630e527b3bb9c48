//! What a step used.

use serde::{Deserialize, Serialize};

use crate::number::{maybe_whole, whole};

/// Tokens, split so that no two fields count the same one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// What the provider says the sum is, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
    pub total: Option<u64>,
    /// Read anew by the model.
    #[serde(default, deserialize_with = "whole")]
    pub input: u64,
    /// Written by the model, thoughts apart.
    #[serde(default, deserialize_with = "whole")]
    pub output: u64,
    /// Thought by the model.
    #[serde(default, deserialize_with = "whole")]
    pub reasoning: u64,
    /// The provider's cache.
    #[serde(default)]
    pub cache: CacheTokens,
}

/// Tokens that went through the provider's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTokens {
    /// Taken from it.
    #[serde(default, deserialize_with = "whole")]
    pub read: u64,
    /// Put into it.
    #[serde(default, deserialize_with = "whole")]
    pub write: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_numbers_count_as_nothing() {
        let tokens: Tokens = serde_json::from_str(
            r#"{"input":3.0,"output":null,"reasoning":-7,"cache":{"read":1e300,"write":2}}"#,
        )
        .unwrap();
        let cache = CacheTokens { read: 9_007_199_254_740_991, write: 2 };
        assert_eq!(tokens, Tokens { total: None, input: 3, output: 0, reasoning: 0, cache });
    }
}
