//! A copy of a session with ids of its own.

use std::collections::HashMap;

use praxis_proto::{Message, MessageId, MessageWithParts, Mint, Part, PartBody, SessionId};
use praxis_store::Transfer;

/// The copy: everything that was said, in a new session that knows nothing of its rules, its parent or its shares.
pub(super) fn copy(mut whole: Transfer, mint: &Mint) -> Transfer {
    let session = mint.session();
    let ids: HashMap<MessageId, MessageId> =
        whole.messages.iter().map(|message| (message.info.id().clone(), mint.message())).collect();
    for message in &mut whole.messages {
        renew(message, &session, &ids, mint);
    }
    let info = &mut whole.info;
    info.title = numbered(&info.title);
    info.id = session;
    (info.parent, info.share, info.revert, info.permission) = (None, None, None, None);
    (info.agent, info.model, info.time.compacting, info.time.archived) = (None, None, None, None);
    whole
}

fn renew(
    message: &mut MessageWithParts,
    session: &SessionId,
    ids: &HashMap<MessageId, MessageId>,
    mint: &Mint,
) {
    let renewed = |id: &MessageId| ids.get(id).unwrap_or(id).clone();
    match &mut message.info {
        Message::User(user) => {
            (user.id, user.session) = (renewed(&user.id), session.clone());
        }
        Message::Assistant(answer) => {
            (answer.id, answer.session) = (renewed(&answer.id), session.clone());
            answer.parent = renewed(&answer.parent);
        }
    }
    let own = message.info.id().clone();
    for part in &mut message.parts {
        *part =
            Part { id: mint.part(), session: session.clone(), message: own.clone(), body: part.body.clone() };
        if let PartBody::Compaction(compaction) = &mut part.body {
            compaction.tail_start = compaction.tail_start.as_ref().map(&renewed);
        }
    }
}

/// `Title`, `Title (fork #1)`, `Title (fork #2)` …
fn numbered(title: &str) -> String {
    let known = title.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (fork #"));
    match known.and_then(|(name, number)| Some((name, number.parse::<u32>().ok()?))) {
        Some((name, number)) => format!("{name} (fork #{})", number.saturating_add(1)),
        None => format!("{title} (fork #1)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_copies_are_counted() {
        for (title, expected) in [
            ("Plan", "Plan (fork #1)"),
            ("Plan (fork #1)", "Plan (fork #2)"),
            ("Plan (fork #x)", "Plan (fork #x) (fork #1)"),
            ("(fork #9)", "(fork #9) (fork #1)"),
        ] {
            assert_eq!(numbered(title), expected);
        }
    }
}
