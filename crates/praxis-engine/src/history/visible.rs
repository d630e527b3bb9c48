//! What a model still sees of a session that was summed up.

use praxis_proto::{Message, MessageId, MessageWithParts, PartBody};

/// Leaves out what a finished compaction stands for. With a kept tail the order is: the request, its summary, the
/// tail, then everything since.
pub(super) fn filter(messages: Vec<MessageWithParts>) -> Vec<MessageWithParts> {
    let Some((request, tail)) = newest_request(&messages) else { return messages };
    let kept = tail.and_then(|id| messages[..request].iter().position(|message| *message.info.id() == id));
    let mut before = messages;
    let after = before.split_off(request);
    let tail = kept.map(|start| before.split_off(start)).unwrap_or_default();
    // The request and its summary come first; the summary is the next answer to the request.
    let id = after[0].info.id().clone();
    let summary = after.iter().position(|message| is_summary_of(message, &id)).unwrap_or(0);
    let mut after = after.into_iter();
    let head: Vec<_> = after.by_ref().take(summary + 1).collect();
    head.into_iter().chain(tail).chain(after).collect()
}

/// The newest request for a compaction that was answered by a summary, and the first message of the tail it keeps.
fn newest_request(messages: &[MessageWithParts]) -> Option<(usize, Option<MessageId>)> {
    let mut summed = Vec::new();
    for (at, message) in messages.iter().enumerate().rev() {
        match &message.info {
            Message::Assistant(answer) => {
                if answer.summary == Some(true) && answer.finish.is_some() && answer.error.is_none() {
                    summed.push(answer.parent.clone());
                }
            }
            Message::User(user) if summed.contains(&user.id) => {
                let request = message.parts.iter().find_map(|part| match &part.body {
                    PartBody::Compaction(request) => Some(request),
                    _ => None,
                });
                if let Some(request) = request {
                    return Some((at, request.tail_start.clone()));
                }
            }
            Message::User(_) => {}
        }
    }
    None
}

fn is_summary_of(message: &MessageWithParts, request: &MessageId) -> bool {
    matches!(&message.info, Message::Assistant(answer)
        if answer.summary == Some(true) && answer.parent == *request && answer.error.is_none())
}
