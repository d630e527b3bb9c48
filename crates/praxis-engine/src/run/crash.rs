//! What is left to do where a run has panicked.

use std::time::Duration;

use praxis_proto::{Event, Failure, SessionId, SessionStatus};

use crate::engine::Inner;
use crate::outcome::EngineError;

/// How often and how long to wait for calls of the run to let go of the session.
const TRIES: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(20);

/// Closes what the run left open, and tells everybody that the session is idle. Prompts that waited stay stored, and are
/// taken up by the next run.
pub(super) async fn tidy(engine: &Inner, session: &SessionId) {
    let held = engine.slots.hold(session);
    let mut door = held.slot().door.lock().await;
    if door.work().is_some() {
        // Somebody has begun anew meanwhile, and has closed what was open.
        return;
    }
    door.inbox.clear();
    door.queue.clear();
    for _ in 0..TRIES {
        // Taking a session closes what is open in it.
        match engine.store.open(session).await {
            Ok(_) => break,
            Err(error) => tracing::debug!(%session, %error, "a crashed run still holds its session"),
        }
        tokio::time::sleep(BETWEEN).await;
    }
    held.slot().status.send_replace(SessionStatus::Idle);
    let message = EngineError::Crashed(session.clone()).to_string();
    let error = Some(Box::new(Failure::Unknown { message, reference: None }));
    let bus = &engine.workbench.bus;
    bus.publish(Event::SessionError { session: Some(session.clone()), error });
    bus.publish(Event::SessionStatus { session: session.clone(), status: SessionStatus::Idle });
    bus.publish(Event::SessionIdle { session: session.clone() });
}
