//! What some servers leave to their clients: thoughts between tags, and calls that are printed as text.

use crate::provider::WireKind;
use crate::recover::{Mode, Recover};
use crate::think::{Think, Thinking};
use crate::{Event, Request};

/// Watches the events of one answer.
pub(super) struct Filter {
    parts: Option<(Think, Recover)>,
    between: Vec<Event>,
}

impl Filter {
    /// Only chat completions are spoken by servers that need it. Bare JSON counts as a call only from a server on this
    /// machine: the models of the others know how to make calls.
    pub(super) fn new(wire: WireKind, is_local: bool, request: &Request) -> Self {
        let parts = (wire == WireKind::Chat).then(|| {
            let any = is_local && request.output_schema.is_none();
            let mode = if any { Mode::Any } else { Mode::Marked };
            let prefix: String = std::iter::repeat_with(fastrand::alphanumeric).take(16).collect();
            let recover = Recover::new(&request.tools, mode, &format!("call_{prefix}"));
            (Think::new(&Thinking::default()), recover)
        });
        Self { parts, between: Vec::new() }
    }

    /// Replaces events by what they mean.
    pub(super) fn pass(&mut self, events: &mut Vec<Event>) {
        let Some((think, recover)) = &mut self.parts else { return };
        for event in events.drain(..) {
            think.event(event, &mut self.between);
        }
        for event in self.between.drain(..) {
            recover.event(event, events);
        }
    }
}
