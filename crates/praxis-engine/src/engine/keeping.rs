//! Sessions as wholes: copied and deleted.

use praxis_proto::{Event, MessageId, Session, SessionId};
use praxis_store::Existing;

use super::Engine;
use crate::fork;
use crate::outcome::EngineError;

impl Engine {
    /// Copies a session, up to a message or whole; [`fork::copy`] says what goes with it.
    pub async fn fork(
        &self,
        session: &SessionId,
        before: Option<&MessageId>,
    ) -> Result<Session, EngineError> {
        let store = &self.inner.store;
        let whole = store.export(session).await?;
        let copy = fork::copy(whole, before, &self.inner.workbench.mint, (self.inner.clock)());
        let copy = store.import(copy, Existing::Keep).await?;
        self.inner.workbench.bus.publish(Event::SessionCreated(copy.clone().into()));
        Ok(copy)
    }

    /// Deletes a session and those it started, the deepest first: what they do is stopped, and what runs in their
    /// background is ended.
    pub async fn delete(&self, session: &SessionId) -> Result<Vec<SessionId>, EngineError> {
        let family = self.family(session).await?;
        self.cancel(session).await?;
        for member in &family {
            self.inner.workbench.shell.end_session(&member.id);
        }
        let gone = self.inner.store.delete(session).await?;
        for id in &gone {
            if let Some(member) = family.iter().find(|member| member.id == *id) {
                self.inner.workbench.bus.publish(Event::SessionDeleted(member.clone().into()));
            }
        }
        Ok(gone)
    }

    /// A session and all below it. A circle of parents ends where it began.
    async fn family(&self, session: &SessionId) -> Result<Vec<Session>, EngineError> {
        let mut family = vec![self.inner.store.session(session).await?];
        let mut next = 0;
        while let Some(id) = family.get(next).map(|member| member.id.clone()) {
            for child in self.inner.store.children(&id).await? {
                if family.iter().all(|known| known.id != child.id) {
                    family.push(child);
                }
            }
            next += 1;
        }
        Ok(family)
    }
}
