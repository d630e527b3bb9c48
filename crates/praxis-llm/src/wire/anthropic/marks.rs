//! Where the server shall keep what it has read.

use serde_json::{Map, Value, json};

use crate::CachePolicy;

/// The most marks that a request may have.
const MARK_CAP: usize = 4;

/// Marks the last tool, the last system block and the ends of the latest user messages, until there are four marks. The mark
/// on an earlier user message is where the request before this one ended, so that its reading is found again.
pub(super) fn place(body: &mut Map<String, Value>, policy: CachePolicy) {
    let mark = match policy {
        CachePolicy::Off => return,
        CachePolicy::Marks => json!({"type": "ephemeral"}),
        CachePolicy::LongMarks => json!({"type": "ephemeral", "ttl": "1h"}),
    };
    // The server was asked to place them itself.
    if body.contains_key("cache_control") {
        return;
    }
    let mut left = MARK_CAP;
    for field in ["tools", "system"] {
        let last = body.get_mut(field).and_then(Value::as_array_mut).and_then(|items| items.last_mut());
        left -= usize::from(set(last, &mark));
    }
    let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut) else { return };
    let from_user = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    for message in from_user.take(2) {
        if left == 0 {
            return;
        }
        let last = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut());
        left -= usize::from(set(last, &mark));
    }
}

fn set(block: Option<&mut Value>, mark: &Value) -> bool {
    let Some(Value::Object(fields)) = block else { return false };
    fields.insert("cache_control".to_owned(), mark.clone());
    true
}
