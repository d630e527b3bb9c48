//! Writing a session down: everything is stored first and then told on the bus, growing text the other way round.

use std::sync::Arc;

use praxis_proto::{
    AssistantMessage, Event, Failure, Message, MessageId, MessageWithParts, Mint, Part, PartId, SessionId,
    SessionStatus, UserMessage,
};
use praxis_store::{Field, Lease, Store, StoreError};
use praxis_tools::{Bus, Clock};

/// One session taken for writing. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) lease: Arc<Lease>,
    pub(crate) bus: Bus,
    pub(crate) mint: Arc<Mint>,
    pub(crate) clock: Clock,
}

impl Record {
    pub(crate) fn session(&self) -> &SessionId {
        self.lease.session()
    }

    /// Milliseconds since the Unix epoch.
    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    pub(crate) async fn user(&self, message: UserMessage, parts: &[Part]) -> Result<(), StoreError> {
        self.message(Message::User(message)).await?;
        for part in parts {
            self.part(part).await?;
        }
        Ok(())
    }

    pub(crate) async fn answer(&self, message: &AssistantMessage) -> Result<(), StoreError> {
        self.message(Message::Assistant(message.clone())).await
    }

    pub(crate) async fn message(&self, message: Message) -> Result<(), StoreError> {
        self.store.put_message(&self.lease, message.clone()).await?;
        self.told(message);
        Ok(())
    }

    fn told(&self, message: Message) {
        self.bus.publish(Event::MessageUpdated { session: self.session().clone(), info: Box::new(message) });
    }

    /// Takes a message out of the queue: from now on it is the newest one of the conversation.
    pub(crate) async fn promote(&self, message: &MessageId) -> Result<MessageWithParts, StoreError> {
        let mut queued = self.store.message(self.session(), message).await?;
        if let Message::User(user) = &mut queued.info {
            user.set_queued(false);
            user.time.created = self.now();
        }
        self.store.put_message_last(&self.lease, queued.info.clone()).await?;
        self.told(queued.info.clone());
        Ok(queued)
    }

    pub(crate) async fn part(&self, part: &Part) -> Result<(), StoreError> {
        self.store.put_part(&self.lease, part.clone()).await?;
        self.show(part);
        Ok(())
    }

    /// Tells of a part without storing it.
    pub(crate) fn show(&self, part: &Part) {
        let (session, time) = (self.session().clone(), self.now());
        self.bus.publish(Event::PartUpdated { session, part: Box::new(part.clone()), time });
    }

    /// A text or thought has grown. Whoever watches hears at once; the store follows within 250 ms.
    pub(crate) async fn grown(&self, part: &Part, delta: String) -> Result<(), StoreError> {
        let stored = self.store.append(&self.lease, &part.id, Field::Text, &delta).await;
        self.bus.publish(Event::PartDelta {
            session: self.session().clone(),
            message: part.message.clone(),
            part: part.id.clone(),
            field: "text".to_owned(),
            delta,
        });
        stored
    }

    /// The arguments of a call have grown; they are kept for whoever has to understand an interrupted call.
    pub(crate) async fn arguments(&self, part: &PartId, delta: &str) -> Result<(), StoreError> {
        self.store.append(&self.lease, part, Field::Arguments, delta).await
    }

    pub(crate) async fn remove(&self, part: &Part) -> Result<(), StoreError> {
        self.store.remove_part(&self.lease, &part.id).await?;
        self.bus.publish(Event::PartRemoved {
            session: self.session().clone(),
            message: part.message.clone(),
            part: part.id.clone(),
        });
        Ok(())
    }

    pub(crate) fn status(&self, status: SessionStatus) {
        let idle = status == SessionStatus::Idle;
        self.bus.publish(Event::SessionStatus { session: self.session().clone(), status });
        if idle {
            self.bus.publish(Event::SessionIdle { session: self.session().clone() });
        }
    }

    pub(crate) fn failed(&self, failure: &Failure) {
        let (session, error) = (Some(self.session().clone()), Some(Box::new(failure.clone())));
        self.bus.publish(Event::SessionError { session, error });
    }
}
