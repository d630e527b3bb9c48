//! The bus: whoever wants to know subscribes, nobody waits for them.

use praxis_proto::Event;
use tokio::sync::broadcast;

/// Events a slow subscriber may fall behind before it has to look at the state again.
const CAPACITY: usize = 1_024;

/// Carries events to any number of subscribers, in order, bounded.
#[derive(Debug, Clone)]
pub struct Bus {
    sender: broadcast::Sender<Event>,
}

impl Default for Bus {
    fn default() -> Self {
        Self { sender: broadcast::channel(CAPACITY).0 }
    }
}

impl Bus {
    /// Tells everybody who listens.
    pub fn publish(&self, event: Event) {
        // An error only means that nobody listens.
        let _ = self.sender.send(event);
    }

    /// Listens from now on. A subscriber that falls behind gets a `Lagged` error and should list what is pending.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.sender.subscribe()
    }
}
