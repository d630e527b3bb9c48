//! What the turns of a session change in the project's files, told with the message that asked for it and with the
//! session. Nothing is read again: the pictures are those that the steps took.

use std::time::Duration;

use praxis_proto::{
    Event, FileDiff, Message, MessageId, MessageWithParts, Part, PartBody, SessionSummary, UserMessage,
    UserSummary,
};
use praxis_store::{Change, StoreError};

use crate::record::Record;
use crate::snapshots::Snapshots;

/// How long the end of a turn waits to know what it changed.
const DEADLINE: Duration = Duration::from_secs(5);

/// The pictures that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The files before the session changed anything.
    first: Option<String>,
    /// The message that is answered, and the files before its first step.
    turn: Option<(MessageId, String)>,
    /// The files after the last step; none if it did not come to its end.
    last: Option<String>,
    /// Whether the turn has changed anything that was not told.
    news: bool,
}

impl Changes {
    /// As they are in a stored conversation.
    pub(crate) fn of(messages: &[MessageWithParts]) -> Self {
        let mut changes = Self::default();
        for message in messages {
            if let Message::Assistant(answer) = &message.info {
                changes.step(&answer.parent, &message.parts);
            }
        }
        Self { news: false, ..changes }
    }

    /// A step has settled.
    pub(crate) fn step(&mut self, user: &MessageId, parts: &[Part]) {
        let before = parts.iter().find_map(|part| match &part.body {
            PartBody::StepStart(start) => start.snapshot.clone(),
            _ => None,
        });
        let Some(before) = before else { return };
        if self.first.is_none() {
            self.first = Some(before.clone());
        }
        if self.turn.as_ref().is_none_or(|(known, _)| known != user) {
            self.turn = Some((user.clone(), before));
        }
        self.last = parts.iter().rev().find_map(|part| match &part.body {
            PartBody::StepFinish(finish) => finish.snapshot.clone(),
            _ => None,
        });
        self.news |= parts.iter().any(|part| matches!(part.body, PartBody::Patch(_)));
    }

    /// Tells what the turn that answers `user` has changed, if there is news.
    pub(crate) async fn tell(
        &mut self,
        user: &UserMessage,
        snapshots: &dyn Snapshots,
        record: &Record,
    ) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.news) {
            return Ok(());
        }
        let looking = tokio::time::timeout(DEADLINE, self.look(user, snapshots)).await;
        let Ok(Some((turn, session))) = looking else { return Ok(()) };
        let told = user.summary.clone().unwrap_or_default();
        let summary = Some(UserSummary { diffs: turn, ..told });
        record.message(Message::User(UserMessage { summary, ..user.clone() })).await?;
        let change = Change::Summary(Some(summed(&session)));
        record.store.change(record.session(), vec![change]).await?;
        record.bus.publish(Event::SessionDiff { session: record.session().clone(), diff: session });
        Ok(())
    }

    /// What the turn changed, and what the session did.
    async fn look(
        &self,
        user: &UserMessage,
        snapshots: &dyn Snapshots,
    ) -> Option<(Vec<FileDiff>, Vec<FileDiff>)> {
        let (_, from) = self.turn.as_ref().filter(|(known, _)| *known == user.id)?;
        let to = match &self.last {
            Some(last) => last.clone(),
            None => snapshots.take().await?,
        };
        let turn = snapshots.diff(from, &to).await;
        let first = self.first.as_deref().filter(|first| first != from);
        let session = match first {
            Some(first) => snapshots.diff(first, &to).await,
            None => turn.clone(),
        };
        Some((turn, session))
    }
}

fn summed(diffs: &[FileDiff]) -> SessionSummary {
    SessionSummary {
        additions: diffs.iter().map(|diff| diff.additions).sum(),
        deletions: diffs.iter().map(|diff| diff.deletions).sum(),
        files: diffs.len() as u64,
        diffs: None,
    }
}
