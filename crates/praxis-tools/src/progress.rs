//! How far a running call is.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use praxis_proto::{CallId, Event, SessionId};
use serde_json::{Map, Value};

use crate::Bus;
use crate::lock::lock;

/// The shortest time between two events of one call; what comes sooner is told with the next.
const PACE: Duration = Duration::from_millis(100);

/// Hears how far a call is: the newest title and all metadata.
pub type Observer = Arc<dyn Fn(Option<&str>, &Map<String, Value>) + Send + Sync>;

/// The newest title and metadata of one call. An update without a title keeps the one before.
pub(crate) struct Progress {
    bus: Bus,
    session: SessionId,
    call: CallId,
    observer: Option<Observer>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    title: Option<String>,
    metadata: Map<String, Value>,
    told: Option<Instant>,
    untold: bool,
    sealed: bool,
}

impl Progress {
    pub(crate) fn new(bus: Bus, session: SessionId, call: CallId) -> Self {
        Self { bus, session, call, observer: None, state: Mutex::default() }
    }

    pub(crate) fn observed(self, observer: Option<Observer>) -> Self {
        Self { observer, ..self }
    }

    pub(crate) fn update(&self, title: Option<&str>, metadata: Map<String, Value>) {
        let mut state = lock(&self.state);
        if state.sealed {
            return;
        }
        if let Some(title) = title {
            state.title = Some(title.to_owned());
        }
        state.metadata.extend(metadata);
        state.untold = true;
        if state.told.is_none_or(|told| told.elapsed() >= PACE) {
            self.tell(&mut state);
        }
    }

    /// The call is over: tells what is left, then nothing more. Returns the metadata for a failed call's record.
    pub(crate) fn seal(&self) -> Map<String, Value> {
        let mut state = lock(&self.state);
        if state.untold && !state.sealed {
            self.tell(&mut state);
        }
        state.sealed = true;
        std::mem::take(&mut state.metadata)
    }

    fn tell(&self, state: &mut State) {
        state.told = Some(Instant::now());
        state.untold = false;
        if let Some(observer) = &self.observer {
            observer(state.title.as_deref(), &state.metadata);
        }
        self.bus.publish(Event::ToolProgress {
            session: self.session.clone(),
            call: self.call.clone(),
            title: state.title.clone(),
            metadata: state.metadata.clone(),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(key: &str, value: Value) -> Map<String, Value> {
        Map::from_iter([(key.to_owned(), value)])
    }

    #[test]
    fn titles_stay_bursts_are_joined_and_nothing_follows_the_end() {
        let bus = Bus::default();
        let mut listener = bus.subscribe();
        let progress = Progress::new(bus, SessionId::from_raw("ses_1"), CallId::from_raw("c"));
        progress.update(Some("first"), entry("n", json!(0)));
        for n in 1..100 {
            progress.update(None, entry("n", json!(n)));
        }
        progress.seal();
        progress.update(Some("late"), Map::new());

        let told: Vec<_> = std::iter::from_fn(|| listener.try_recv().ok())
            .map(|event| match event {
                Event::ToolProgress { title, metadata, .. } => (title.unwrap(), metadata["n"].clone()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(told, [("first".to_owned(), json!(0)), ("first".to_owned(), json!(99))]);
    }
}
