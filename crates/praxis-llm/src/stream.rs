//! From the bytes of an answer to its events.

mod foreign;
mod fuzz;
mod order;

use crate::Event;
use crate::sse::{Decoder, EVENT_CAP};
use crate::wire::Raise;
use foreign::{Body, Sniff};
pub use fuzz::fuzz;
use order::Order;

/// Reads one answer. It promises, whatever the server sends:
///
/// - exactly one [`Event::FinishStep`] or [`Event::Error`], and nothing behind it;
/// - texts and thoughts that are open when the answer finishes are ended first;
/// - a body that is no event stream (HTML, JSON, plain text) becomes an error that says so.
pub struct Reader {
    decoder: Decoder,
    raise: Box<dyn Raise>,
    form: Form,
    order: Order,
}

/// What kind of body it is.
enum Form {
    /// Too early to say.
    Unknown(Sniff),
    /// Server-sent events.
    Events,
    /// Anything else, kept so that the error can quote it.
    Foreign(Body),
}

impl Reader {
    /// A reader for one answer.
    pub fn new(raise: Box<dyn Raise>) -> Self {
        Self {
            decoder: Decoder::new(EVENT_CAP),
            raise,
            form: Form::Unknown(Sniff::default()),
            order: Order::default(),
        }
    }

    /// Takes the next bytes, cut anywhere, and pushes what they mean.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Event>) {
        if self.order.is_done() {
            return;
        }
        match &mut self.form {
            Form::Events => self.decode(bytes, out),
            Form::Foreign(body) => {
                if body.push(bytes) {
                    self.refuse(out);
                }
            }
            Form::Unknown(sniff) => {
                let Some((form, held)) = sniff.push(bytes) else { return };
                self.form = form;
                self.push(&held, out);
            }
        }
    }

    /// The body has ended: pushes what was still open, and an error if the answer was not complete.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        if self.order.is_done() {
            return;
        }
        if let Form::Unknown(sniff) = &mut self.form {
            let (form, held) = sniff.end();
            self.form = form;
            self.push(&held, out);
        }
        match self.form {
            Form::Events => self.end_events(out),
            Form::Foreign(_) | Form::Unknown(_) => self.refuse(out),
        }
    }

    /// Whether the answer is over, so that the connection can be closed even if the server leaves it open.
    pub fn is_done(&self) -> bool {
        self.order.is_done()
    }

    /// Events whose type we do not know, for the log.
    pub fn unknown(&self) -> u64 {
        self.raise.unknown()
    }

    fn decode(&mut self, bytes: &[u8], out: &mut Vec<Event>) {
        let Self { decoder, raise, order, .. } = self;
        let result = decoder.push(bytes, |name, data| take(raise.as_mut(), order, name, data, out));
        if let Err(too_long) = result {
            self.order.fail(too_long.to_string(), out);
        }
    }

    fn end_events(&mut self, out: &mut Vec<Event>) {
        let Self { decoder, raise, order, .. } = self;
        let result = decoder.end(|name, data| take(raise.as_mut(), order, name, data, out));
        match result {
            Ok(()) => order.end(raise.as_mut(), out),
            Err(too_long) => order.fail(too_long.to_string(), out),
        }
    }

    fn refuse(&mut self, out: &mut Vec<Event>) {
        let body = match std::mem::replace(&mut self.form, Form::Events) {
            Form::Foreign(body) => body,
            Form::Unknown(_) | Form::Events => Body::default(),
        };
        self.order.refuse(body.error(), out);
    }
}

fn take(raise: &mut dyn Raise, order: &mut Order, name: &str, data: &str, out: &mut Vec<Event>) {
    if order.is_done() {
        return;
    }
    if data.trim() == "[DONE]" {
        // Some servers leave the connection open behind it.
        order.done(raise, out);
        return;
    }
    let from = out.len();
    raise.event(name, data, out);
    order.check(from, out);
}
