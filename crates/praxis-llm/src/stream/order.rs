//! What comes when in an answer, whatever the wire format made of the stream.

use crate::wire::Raise;
use crate::{Event, Metadata};

/// Watches the events of one answer.
#[derive(Default)]
pub(super) struct Order {
    done: bool,
    /// Texts and thoughts that have begun and not ended.
    open: Vec<Open>,
}

struct Open {
    id: String,
    is_text: bool,
}

impl Order {
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Looks at the events from `from` on: ends what is open before the answer finishes, drops what comes after that.
    pub(super) fn check(&mut self, from: usize, out: &mut Vec<Event>) {
        for at in from..out.len() {
            match &out[at] {
                Event::TextStart { id, .. } => self.open.push(Open { id: id.clone(), is_text: true }),
                Event::ReasoningStart { id, .. } => self.open.push(Open { id: id.clone(), is_text: false }),
                Event::TextEnd { id, .. } => self.open.retain(|open| !open.is_text || open.id != *id),
                Event::ReasoningEnd { id, .. } => self.open.retain(|open| open.is_text || open.id != *id),
                Event::FinishStep { .. } => {
                    out.truncate(at + 1);
                    out.splice(at..at, self.open.drain(..).map(Open::end));
                    self.done = true;
                    return;
                }
                Event::Error { .. } => {
                    out.truncate(at + 1);
                    self.done = true;
                    return;
                }
                Event::TextDelta { .. }
                | Event::ReasoningDelta { .. }
                | Event::ToolInputStart { .. }
                | Event::ToolInputDelta { .. }
                | Event::ToolInputEnd { .. }
                | Event::ToolCall { .. } => {}
            }
        }
    }

    /// The stream is over; an answer that has no end by now is not complete.
    pub(super) fn end(&mut self, raise: &mut dyn Raise, out: &mut Vec<Event>) {
        self.finish(raise, out, |raise, out| raise.end(out));
    }

    /// The same, by the word of the server.
    pub(super) fn done(&mut self, raise: &mut dyn Raise, out: &mut Vec<Event>) {
        self.finish(raise, out, |raise, out| raise.done(out));
    }

    fn finish(
        &mut self,
        raise: &mut dyn Raise,
        out: &mut Vec<Event>,
        last: impl FnOnce(&mut dyn Raise, &mut Vec<Event>),
    ) {
        if self.done {
            return;
        }
        let from = out.len();
        last(raise, out);
        self.check(from, out);
        if !self.done {
            self.fail("the answer stopped before it was complete; try again".to_owned(), out);
        }
    }

    pub(super) fn fail(&mut self, message: String, out: &mut Vec<Event>) {
        self.refuse(Event::Error { message, code: None }, out);
    }

    pub(super) fn refuse(&mut self, error: Event, out: &mut Vec<Event>) {
        if !self.done {
            self.done = true;
            out.push(error);
        }
    }
}

impl Open {
    fn end(self) -> Event {
        let (id, metadata) = (self.id, Metadata::default());
        if self.is_text { Event::TextEnd { id, metadata } } else { Event::ReasoningEnd { id, metadata } }
    }
}
