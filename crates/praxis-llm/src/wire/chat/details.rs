//! OpenRouter's `reasoning_details`: thoughts with the signatures that must come back with them.

use serde_json::{Map, Value};

use crate::Metadata;

/// The family under which they are kept.
const FAMILY: &str = "openrouter";
const FIELD: &str = "reasoning_details";

/// Fields whose pieces are put together; of all others the newest counts.
const GROWING: [&str; 3] = ["text", "summary", "data"];

/// Details put together from their pieces.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Details(Vec<Map<String, Value>>);

impl Details {
    /// Adds a piece to the detail before it if both are of one kind and index, else begins a new one.
    pub(crate) fn push(&mut self, piece: Map<String, Value>) {
        match self.0.last_mut() {
            Some(last) if continues(last, &piece) => grow(last, piece),
            _ => self.0.push(piece),
        }
    }

    /// Adds what was kept with a part.
    pub(crate) fn recall(&mut self, metadata: &Metadata) {
        let Some(Value::Array(kept)) = metadata.get(FAMILY, FIELD) else { return };
        for detail in kept {
            if let Value::Object(detail) = detail {
                self.push(detail.clone());
            }
        }
    }

    /// What is to be kept with a part; nothing stays here.
    pub(crate) fn take(&mut self) -> Metadata {
        match self.array() {
            Some(details) => {
                self.0.clear();
                Metadata::default().with(FAMILY, FIELD, details)
            }
            None => Metadata::default(),
        }
    }

    /// All of them as JSON, if there are any.
    pub(crate) fn array(&self) -> Option<Value> {
        (!self.0.is_empty()).then(|| self.0.iter().cloned().map(Value::Object).collect())
    }

    /// Whether a piece has something that must come back.
    pub(crate) fn is_kept(piece: &Map<String, Value>) -> bool {
        ["data", "signature"].iter().any(|field| piece.get(*field).is_some_and(Value::is_string))
    }

    /// The words of a piece, if it has any to show.
    pub(crate) fn words(piece: &Map<String, Value>) -> Option<&str> {
        let words = piece.get("text").or_else(|| piece.get("summary"))?;
        words.as_str().filter(|words| !words.is_empty())
    }
}

fn continues(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let same = |field: &str| last.get(field) == piece.get(field);
    // Encrypted data comes whole; two of them are two.
    same("type")
        && same("index")
        && !piece.contains_key("data")
        && piece
            .get("id")
            .is_none_or(|id| id.is_null() || same("id") || last.get("id").is_none_or(Value::is_null))
}

fn grow(last: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (field, value) in piece {
        if value.is_null() && last.contains_key(&field) {
            continue;
        }
        match (last.get_mut(&field), &value) {
            (Some(Value::String(before)), Value::String(more)) if GROWING.contains(&field.as_str()) => {
                before.push_str(more);
            }
            _ => {
                last.insert(field, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn details(pieces: Value) -> Details {
        let mut details = Details::default();
        details.recall(&Metadata::default().with(FAMILY, FIELD, pieces));
        details
    }

    #[test]
    fn pieces_of_one_thought_grow_together() {
        let details = details(json!([
            {"type": "reasoning.text", "text": "Let me ", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.text", "text": "see.", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.text", "signature": "Eu8=", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.encrypted", "data": "gAA1", "id": "rs_1", "index": 0},
            {"type": "reasoning.encrypted", "data": "gAA2", "id": "rs_2", "index": 0},
        ]));
        assert_eq!(
            details.array(),
            Some(json!([
                {"type": "reasoning.text", "text": "Let me see.", "format": "anthropic-claude-v1", "index": 0,
                    "signature": "Eu8="},
                {"type": "reasoning.encrypted", "data": "gAA1", "id": "rs_1", "index": 0},
                {"type": "reasoning.encrypted", "data": "gAA2", "id": "rs_2", "index": 0},
            ]))
        );
    }

    #[test]
    fn they_are_kept_once() {
        let mut details = details(json!([{"type": "reasoning.text", "text": "x"}]));
        let kept = details.take();
        assert_eq!(details.take(), Metadata::default());
        let mut again = Details::default();
        again.recall(&kept);
        assert_eq!(again.array(), Some(json!([{"type": "reasoning.text", "text": "x"}])));
    }
}
