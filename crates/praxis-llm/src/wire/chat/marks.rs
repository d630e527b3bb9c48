//! Marks behind what a server should cache, for servers that cache only what is marked.

use serde_json::{Value, json};

use super::dialect::Dialect;
use crate::{CachePolicy, Request};

/// How many of the first system blocks and how many of the last messages get one: four is all that Claude takes.
const FIRST: usize = 2;
const LAST: usize = 2;

/// How far back a message is looked for that can carry a mark; calls without text cannot.
pub(super) const REACH: usize = 8;

/// Puts marks on the last piece of content of the system text and of the chosen messages.
pub(super) fn place(
    request: &Request,
    dialect: &Dialect,
    system: Option<&mut Value>,
    messages: &mut [Value],
) {
    let automatic =
        ["cacheControl", "cache_control"].iter().any(|option| request.options.contains_key(*option));
    let Some(name) = dialect.mark.filter(|_| !automatic) else { return };
    let mark = match request.cache {
        CachePolicy::Off => return,
        CachePolicy::Marks => json!({"type": "ephemeral"}),
        CachePolicy::LongMarks => json!({"type": "ephemeral", "ttl": "1h"}),
    };
    if let Some(system) = system {
        split_system(system, request, name, &mark);
    }
    let mut left = LAST;
    for message in messages.iter_mut().rev().take(REACH) {
        if left == 0 {
            break;
        }
        if put(message, name, &mark) {
            left -= 1;
        }
    }
}

/// The system message in its blocks, so that a change in the last one leaves the first one cached.
fn split_system(message: &mut Value, request: &Request, name: &str, mark: &Value) {
    let blocks = request.system.iter().filter(|block| !block.0.is_empty());
    let pieces = blocks.enumerate().map(|(at, block)| {
        let mut piece = json!({"type": "text", "text": &*block.0});
        if at < FIRST {
            piece[name] = mark.clone();
        }
        piece
    });
    message["content"] = pieces.collect();
}

/// Marks a message. False if it has nothing that can carry a mark.
fn put(message: &mut Value, name: &str, mark: &Value) -> bool {
    match &mut message["content"] {
        Value::String(text) if !text.is_empty() => {
            let text = std::mem::take(text);
            let mut piece = json!({"type": "text", "text": text});
            piece[name] = mark.clone();
            message["content"] = json!([piece]);
            true
        }
        Value::Array(pieces) => {
            let Some(last) = pieces.last_mut() else { return false };
            last[name] = mark.clone();
            true
        }
        _ => false,
    }
}
