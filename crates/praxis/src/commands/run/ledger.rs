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
    use std::sync::Arc;

    use praxis_proto::StepStartPart;
    use praxis_store::{Existing, SqliteStore, Transfer};
    use serde_json::{Value, json};

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
    /// A session with one question and so many answers of two parts each.
    fn session(answers: usize) -> Transfer {
        let said = |number: usize| {
            let id = format!("msg_{number:03}");
            let part = |part: &str| json!({ "id": format!("prt_{number:03}{part}"), "sessionID": "ses_1", "messageID": id, "type": "step-start" });
            let parts: Vec<Value> = if number == 0 { Vec::new() } else { vec![part("a"), part("b")] };
            let info = match number {
                0 => json!({ "role": "user", "id": id, "sessionID": "ses_1", "time": { "created": 1 },
                    "agent": "build", "model": { "providerID": "p", "modelID": "m" } }),
                _ => json!({ "role": "assistant", "id": id, "sessionID": "ses_1", "parentID": "msg_000",
                    "time": { "created": 1, "completed": 2 }, "modelID": "m", "providerID": "p", "path": {} }),
            };
            json!({ "info": info, "parts": parts })
        };
        let info =
            json!({ "id": "ses_1", "directory": "/w", "title": "t", "time": { "created": 1, "updated": 1 } });
        let messages: Vec<Value> = (0..=answers).map(said).collect();
        serde_json::from_value(json!({ "info": info, "messages": messages })).unwrap()
    }

    #[tokio::test]
    async fn what_was_missed_is_found_whether_pages_or_parts_of_a_message_ago() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("x.db"), Arc::new(|| 1)).unwrap();
        let answers = PAGE * 2 + 1;
        store.import(session(answers), Existing::Keep).await.unwrap();
        let id = SessionId::from_raw("ses_1");
        let mut ledger = Ledger::default();
        let all = ledger.stored(&store, &id).await.unwrap();
        assert_eq!(all.len(), answers * 2);
        assert_eq!((all[0].id.as_str(), all[1].id.as_str()), ("prt_001a", "prt_001b"));

        assert!(ledger.enter(&part("msg_003", "prt_003a")));
        let missed: Vec<Part> =
            ledger.stored(&store, &id).await.unwrap().into_iter().filter(|part| ledger.enter(part)).collect();
        assert_eq!(missed.len(), (answers - 2) * 2 - 1);
        assert_eq!(missed[0].id.as_str(), "prt_003b");
    }
}
