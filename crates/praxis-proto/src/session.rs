//! One conversation, without its messages.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::number::{maybe_whole, money, whole};
use crate::{Action, FileDiff, MessageId, PartId, SessionId, Tokens};

/// One conversation with its messages, in one directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// `ses_…`; newer ids sort first.
    pub id: SessionId,
    /// Two words for file names.
    #[serde(default)]
    pub slug: String,
    /// The project it belongs to.
    #[serde(rename = "projectID", default)]
    pub project: String,
    /// The workspace, where there are any.
    #[serde(rename = "workspaceID", default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The working directory at creation.
    pub directory: String,
    /// The same, relative to the worktree, with forward slashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The session that started this one for a subagent.
    #[serde(rename = "parentID", default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// What its changes come to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SessionSummary>,
    /// US dollars, the sum over all steps.
    #[serde(default, deserialize_with = "money")]
    pub cost: f64,
    /// The sum over all steps.
    #[serde(default)]
    pub tokens: Tokens,
    /// Where it can be read by others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// For people; see [`Session::has_default_title`].
    pub title: String,
    /// The agent last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<SessionModel>,
    /// The version of the program that made it.
    #[serde(default)]
    pub version: String,
    /// Whatever a client keeps with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Milliseconds since the Unix epoch.
    pub time: SessionTime,
    /// Rules of its own, after those of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Vec<SessionRule>>,
    /// What is undone at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revert: Option<Revert>,
    /// Fields that are not ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What a session's changes come to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSummary {
    /// Lines that came.
    #[serde(default, deserialize_with = "whole")]
    pub additions: u64,
    /// Lines that went.
    #[serde(default, deserialize_with = "whole")]
    pub deletions: u64,
    /// Files that changed.
    #[serde(default, deserialize_with = "whole")]
    pub files: u64,
    /// The changes themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diffs: Option<Vec<FileDiff>>,
}

/// Where a session can be read by others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The address.
    pub url: String,
}

/// The model a session last used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionModel {
    /// The model, as its provider names it.
    pub id: String,
    /// The provider.
    #[serde(rename = "providerID")]
    pub provider: String,
    /// The variant; none and `default` mean the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

/// When things happened to a session, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTime {
    /// It was made.
    #[serde(deserialize_with = "whole")]
    pub created: u64,
    /// Something was last said in it.
    #[serde(deserialize_with = "whole")]
    pub updated: u64,
    /// A compaction began that has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
    pub compacting: Option<u64>,
    /// It was put away.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_whole")]
    pub archived: Option<u64>,
}

/// One rule of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRule {
    /// Which permission.
    pub permission: String,
    /// Which resources.
    pub pattern: String,
    /// What to do.
    pub action: Action,
}

/// A pending undo: everything from a message, or from a part of it, on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revert {
    /// The first message that is undone.
    #[serde(rename = "messageID")]
    pub message: MessageId,
    /// The first part of it that is undone; without it the whole message is.
    #[serde(rename = "partID", default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartId>,
    /// The files as they were before the undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// What the undo changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

const NEW: &str = "New session - ";
const CHILD: &str = "Child session - ";
/// The shape of `2026-08-14T11:19:55.123Z`, where `0` stands for any digit.
const TIME_SHAPE: &[u8] = b"0000-00-00T00:00:00.000Z";

/// The title of a session nobody has named; `time` is written as `2026-08-14T11:19:55.123Z`.
pub fn default_title(child: bool, time: &str) -> String {
    format!("{}{time}", if child { CHILD } else { NEW })
}

impl Session {
    /// Whether nobody has named it yet, so that a title may be made up.
    pub fn has_default_title(&self) -> bool {
        let time = self.title.strip_prefix(NEW).or_else(|| self.title.strip_prefix(CHILD));
        let fits =
            |(byte, shape): (u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == *shape };
        time.is_some_and(|time| time.len() == TIME_SHAPE.len() && time.bytes().zip(TIME_SHAPE).all(fits))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_is_the_same_after_a_round_trip_and_strange_fields_are_kept() {
        let wire = json!({
            "id": "ses_1", "slug": "calm-otter", "projectID": "p", "workspaceID": "wrk_1", "directory": "/w", "path": "a/b",
            "parentID": "ses_0",
            "summary": { "additions": 1, "deletions": 2, "files": 3, "diffs": [{ "file": "a", "patch": "", "additions": 1, "deletions": 0, "status": "added" }] },
            "cost": 0.5,
            "tokens": { "input": 1, "output": 2, "reasoning": 3, "cache": { "read": 4, "write": 5 } },
            "share": { "url": "u" }, "title": "t", "agent": "build",
            "model": { "id": "m", "providerID": "p", "variant": "high" }, "version": "1", "metadata": { "k": 1 },
            "time": { "created": 1, "updated": 2, "compacting": 3, "archived": 4 },
            "permission": [{ "permission": "edit", "pattern": "*", "action": "deny" }],
            "revert": { "messageID": "msg_1", "partID": "prt_1", "snapshot": "s", "diff": "d" },
            "brandNew": [1]
        });
        let session: Session = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(serde_json::to_value(&session).unwrap(), wire);
        assert_eq!(session.extra.len(), 1);
    }

    #[test]
    fn only_a_title_of_prefix_and_time_is_a_default_one() {
        let mut session: Session = serde_json::from_value(json!({
            "id": "ses_1", "directory": "/w", "title": "", "time": { "created": 1, "updated": 1.0 }
        }))
        .unwrap();
        let time = "2026-08-14T11:19:55.123Z";
        for (title, default) in [
            (default_title(false, time), true),
            (default_title(true, time), true),
            (format!("New session - {time} "), false),
            ("New session - 2026-08-14".into(), false),
            (time.into(), false),
            (String::new(), false),
        ] {
            session.title = title;
            assert_eq!(session.has_default_title(), default, "{}", session.title);
        }
    }
}
