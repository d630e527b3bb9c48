//! A copy of a session with ids of its own.

use std::collections::HashMap;

use praxis_proto::{Message, MessageId, MessageWithParts, Mint, PartBody, Revert, SessionId};
use praxis_store::{Transfer, slug};

/// The copy, made at `now`: what was said before a message, or everything, in a new session by itself.
///
/// Agent, model, rules and metadata go with it; the parent, shares and a pending undo do not, and what is undone is not
/// copied. What it cost is counted again from the steps that are copied.
pub fn copy(mut whole: Transfer, before: Option<&MessageId>, mint: &Mint, now: u64) -> Transfer {
    let session = mint.session();
    if let Some(revert) = whole.info.revert.take() {
        undo(&mut whole.messages, &revert);
    }
    let end = before.and_then(|id| whole.messages.iter().position(|message| message.info.id() == id));
    whole.messages.truncate(end.unwrap_or(whole.messages.len()));
    let ids: HashMap<MessageId, MessageId> =
        whole.messages.iter().map(|message| (message.info.id().clone(), mint.message())).collect();
    for message in &mut whole.messages {
        renew(message, &session, &ids, mint);
    }
    let info = &mut whole.info;
    info.title = numbered(&info.title);
    info.slug = slug(session.as_str());
    info.id = session;
    (info.parent, info.share) = (None, None);
    (info.time.created, info.time.updated) = (now, now);
    (info.time.compacting, info.time.archived) = (None, None);
    whole
}

/// Leaves out what is undone at the moment.
fn undo(messages: &mut Vec<MessageWithParts>, revert: &Revert) {
    let Some(first) = messages.iter().position(|message| *message.info.id() == revert.message) else {
        return;
    };
    let kept = match &revert.part {
        Some(part) => {
            let parts = &mut messages[first].parts;
            let end = parts.iter().position(|known| known.id == *part).unwrap_or(parts.len());
            parts.truncate(end);
            first + 1
        }
        None => first,
    };
    messages.truncate(kept);
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
        (part.id, part.session, part.message) = (mint.part(), session.clone(), own.clone());
        match &mut part.body {
            PartBody::Compaction(compaction) => {
                compaction.tail_start = compaction.tail_start.as_ref().map(&renewed);
            }
            PartBody::Tool(call) => call.rename_attachments(session, &own, || mint.part()),
            _ => {}
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
    use serde_json::{Value, json};

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

    fn original() -> Value {
        let user = |id: &str, parts: Value| {
            json!({ "info": { "role": "user", "id": id, "sessionID": "ses_1", "time": { "created": 1 }, "agent": "plan",
                "model": { "providerID": "p", "modelID": "m" } }, "parts": parts })
        };
        let answer = |id: &str, parent: &str, parts: Value| {
            json!({ "info": { "role": "assistant", "id": id, "sessionID": "ses_1", "parentID": parent,
                "time": { "created": 1, "completed": 2 }, "modelID": "m", "providerID": "p", "path": { "cwd": "/w", "root": "/w" } },
                "parts": parts })
        };
        let part = |id: &str, message: &str, more: Value| {
            let mut part = json!({ "id": id, "sessionID": "ses_1", "messageID": message });
            part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            part
        };
        let picture = part("prt_3", "msg_2", json!({ "type": "file", "mime": "image/png", "url": "data:," }));
        let state = json!({ "status": "completed", "input": {}, "output": "", "title": "", "metadata": {},
            "time": { "start": 1, "end": 2 }, "attachments": [picture] });
        json!({
            "info": {
                "id": "ses_1", "slug": "calm-otter", "projectID": "/w", "directory": "/w", "parentID": "ses_0", "title": "Plan",
                "share": { "url": "u" }, "agent": "plan", "model": { "id": "m", "providerID": "p", "variant": "high" },
                "metadata": { "k": 1 }, "time": { "created": 1, "updated": 2, "archived": 3 },
                "permission": [{ "permission": "edit", "pattern": "*", "action": "deny" }]
            },
            "messages": [
                user("msg_1", json!([part("prt_1", "msg_1", json!({ "type": "text", "text": "one" }))])),
                answer("msg_2", "msg_1", json!([
                    part("prt_2", "msg_2", json!({ "type": "tool", "callID": "c", "tool": "read", "state": state })),
                ])),
                user("msg_3", json!([
                    part("prt_4", "msg_3", json!({ "type": "compaction", "auto": true, "tail_start_id": "msg_2" })),
                ])),
                answer("msg_4", "msg_3", json!([
                    part("prt_5", "msg_4", json!({ "type": "text", "text": "two" })),
                    part("prt_6", "msg_4", json!({ "type": "text", "text": "three" })),
                ])),
            ]
        })
    }

    fn copied(whole: Value, before: Option<&str>) -> Transfer {
        let mint = Mint::new(|| 1_790_000_000_000);
        copy(serde_json::from_value(whole).unwrap(), before.map(MessageId::from_raw).as_ref(), &mint, 9)
    }

    /// Every id in a value, in order.
    fn ids(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.values().for_each(|value| ids(value, found)),
            Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
            Value::String(text) if ["ses_", "msg_", "prt_"].iter().any(|kind| text.starts_with(kind)) => {
                found.push(text.clone());
            }
            _ => {}
        }
    }

    #[test]
    fn a_copy_has_ids_of_its_own_that_hang_together_as_the_old_ones_did() {
        let (old, new) = (original(), serde_json::to_value(copied(original(), None)).unwrap());
        let (mut before, mut after) = (Vec::new(), Vec::new());
        ids(&old["messages"], &mut before);
        ids(&new["messages"], &mut after);
        let mut map = HashMap::new();
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            assert!(!old.to_string().contains(after.as_str()), "{after} is an old id");
            assert_eq!(map.entry(before).or_insert(after), &after, "{before}");
        }
        let mut sorted = map.clone().into_iter().collect::<Vec<_>>();
        sorted.sort();
        assert!(sorted.windows(2).all(|pair| pair[0].1 < pair[1].1 || pair[0].1[..4] != pair[1].1[..4]));
        assert_eq!(new["info"]["id"], *map[&"ses_1".to_owned()]);
    }

    #[test]
    fn agent_model_rules_and_metadata_go_with_a_copy() {
        let (old, copied) = (original(), copied(original(), None));
        let mut expected = old["info"].clone();
        let fields = expected.as_object_mut().unwrap();
        fields.retain(|name, _| !["parentID", "share"].contains(&name.as_str()));
        fields.insert("id".into(), json!(copied.info.id));
        fields.insert("slug".into(), json!(slug(copied.info.id.as_str())));
        fields.insert("title".into(), json!("Plan (fork #1)"));
        fields.insert("time".into(), json!({ "created": 9, "updated": 9 }));
        let expected: praxis_proto::Session = serde_json::from_value(expected).unwrap();
        assert_eq!(copied.info, expected);
    }

    #[test]
    fn a_copy_ends_before_the_message_that_is_named_and_lacks_what_is_undone() {
        let texts =
            |whole: Transfer| -> Vec<usize> { whole.messages.iter().map(|one| one.parts.len()).collect() };
        assert_eq!(texts(copied(original(), Some("msg_3"))), [1, 1]);
        assert_eq!(texts(copied(original(), Some("msg_none"))), [1, 1, 1, 2]);
        let mut undone = original();
        undone["info"]["revert"] = json!({ "messageID": "msg_4" });
        assert_eq!(texts(copied(undone.clone(), None)), [1, 1, 1]);
        undone["info"]["revert"] = json!({ "messageID": "msg_4", "partID": "prt_6" });
        assert_eq!(texts(copied(undone, None)), [1, 1, 1, 1]);
    }
}
