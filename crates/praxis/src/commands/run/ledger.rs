//! Which parts were shown, so that each is shown once, also when the bus went faster than the screen.

use std::collections::HashSet;

use praxis_proto::{Message, MessageId, Part, PartBody, PartId, SessionId};
use praxis_store::{Cut, Store, StoreError};

/// Messages read at once while catching up.
const PAGE: usize = 8;

/// The parts of the newest message that were shown. Older messages are settled and over.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    message: Option<MessageId>,
    parts: HashSet<PartId>,
}

impl Ledger {
    /// Enters a part; says whether it is new and settled, and so to be shown.
    pub(super) fn enter(&mut self, part: &Part) -> bool {
        if !is_settled(&part.body) {
            return false;
        }
        match &self.message {
            // Ids grow with time.
            Some(newest) if part.message < *newest => return false,
            Some(newest) if part.message == *newest => {}
            _ => {
                self.message = Some(part.message.clone());
                self.parts.clear();
            }
        }
        self.parts.insert(part.id.clone())
    }

    /// What is stored and may not have been shown, oldest first: from the newest known message on, or since the user
    /// last said something.
    pub(super) async fn stored(
        &self,
        store: &dyn Store,
        session: &SessionId,
    ) -> Result<Vec<Part>, StoreError> {
        let (mut newest_first, mut before) = (Vec::new(), None);
        loop {
            let cut = Cut { before: before.take(), limit: PAGE, ..Cut::default() };
            let page = store.history(session, cut).await?;
            for message in page.messages.into_iter().rev() {
                let id = message.info.id().clone();
                if self.message.is_none() && matches!(message.info, Message::User(_)) {
                    return Ok(in_order(newest_first));
                }
                newest_first.push(message.parts);
                if self.message.as_ref() == Some(&id) {
                    return Ok(in_order(newest_first));
                }
                before = Some(id);
            }
            if !page.more || before.is_none() {
                return Ok(in_order(newest_first));
            }
        }
    }
}

fn in_order(newest_first: Vec<Vec<Part>>) -> Vec<Part> {
    newest_first.into_iter().rev().flatten().collect()
}

/// Whether a part of an answer is as it will stay. What the user said is never shown to them.
fn is_settled(body: &PartBody) -> bool {
    match body {
        PartBody::Text(text) => text.time.is_some_and(|time| time.end.is_some()),
        PartBody::Reasoning(_) | PartBody::Tool(_) => !body.is_open(),
        PartBody::StepStart(_) | PartBody::StepFinish(_) | PartBody::Patch(_) => true,
        PartBody::File(_)
        | PartBody::Agent(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_)
        | PartBody::Retry(_)
        | PartBody::Snapshot(_)
        | PartBody::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use praxis_proto::StepStartPart;

    use super::*;

    fn part(message: &str, id: &str) -> Part {
        Part {
            id: PartId::from_raw(id),
            session: SessionId::from_raw("ses_1"),
            message: MessageId::from_raw(message),
            body: PartBody::StepStart(StepStartPart::default()),
        }
    }

    #[test]
    fn each_part_is_shown_once_and_what_is_over_never_comes_back() {
        let mut ledger = Ledger::default();
        let shown =
            [("msg_1", "a"), ("msg_1", "a"), ("msg_1", "b"), ("msg_2", "c"), ("msg_1", "b"), ("msg_2", "c")]
                .map(|(message, id)| ledger.enter(&part(message, id)));
        assert_eq!(shown, [true, false, true, true, false, false]);
    }
}
