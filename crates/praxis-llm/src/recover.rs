//! Calls that a model prints as text instead of making them.
//!
//! What a model merely quotes looks the same as what it means, so who is asked decides first (`turn::filter`): only answers
//! of models that do not make calls as their wire format has them come here. Then a printed call counts only if it names
//! a known tool, is whole, and is the last thing that the answer says, outside of code and of quotation. A fenced block
//! is never a call. Everything else stays text, byte for byte. Whatever the stream was cut into, the events are the same.

mod fuzz;
mod object;
mod prose;
mod reader;
mod tags;
mod tokens;
mod tools;

use crate::{Event, FinishReason, Metadata, ToolSpec};
pub use fuzz::fuzz;
use prose::Prose;
use reader::{Call, Place, Verdict, read};
use tools::Tools;

/// The longest text that is held back to see whether it is a call.
const HOLD_CAP: usize = 1 << 20;

/// A held text is looked at again when it has grown by this part of itself, so that all looks together take time in
/// proportion to it.
const GROWTH: usize = 16;

/// Which forms count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those between the marks of a model family: `<tool_call>`, `[TOOL_CALLS]` and the like.
    Marked,
    /// Also bare JSON that is the whole answer. Not for answers that are to be JSON themselves.
    Any,
}

/// Watches the events of one answer.
#[derive(Debug)]
pub struct Recover {
    tools: Tools,
    mode: Mode,
    prefix: String,
    prose: Prose,
    text: Option<Text>,
    hold: Option<Hold>,
    /// A text that ended with calls; they are raised if the answer ends with it.
    ended: Option<Ended>,
    off: bool,
}

/// The text that is open.
#[derive(Debug)]
struct Text {
    id: String,
    /// Its start, until something of it is passed on.
    start: Option<Event>,
}

#[derive(Debug)]
struct Hold {
    text: String,
    place: Place,
    /// How long it is to be when it is looked at.
    look: usize,
}

#[derive(Debug)]
struct Ended {
    text: Text,
    held: String,
    calls: Vec<Call>,
    end: Option<Event>,
}

impl Recover {
    /// A filter for one answer to a request with these tools. The ids of calls begin with `prefix`, which no other answer of
    /// the conversation may have.
    pub fn new(tools: &[ToolSpec], mode: Mode, prefix: &str) -> Self {
        Self {
            tools: Tools::new(tools),
            mode,
            prefix: prefix.to_owned(),
            prose: Prose::default(),
            text: None,
            hold: None,
            ended: None,
            off: tools.is_empty(),
        }
    }

    /// Takes one event and pushes what comes of it.
    pub fn event(&mut self, event: Event, out: &mut Vec<Event>) {
        match event {
            Event::TextStart { ref id, .. } if !self.off => {
                self.release(out);
                if self.off {
                    out.push(event);
                    return;
                }
                self.start(id.clone(), Some(event));
            }
            Event::TextDelta { id, delta } if !self.off => self.delta(id, delta, out),
            Event::TextEnd { .. } if !self.off => self.text_end(event, out),
            Event::FinishStep { finish_reason, usage } if !self.off => {
                let finish_reason = self.finish(finish_reason, out);
                out.push(Event::FinishStep { finish_reason, usage });
            }
            // The model knows how to make calls; what it prints beside them is text.
            Event::ToolInputStart { .. } | Event::ToolCall { .. } => {
                self.give_up(out);
                out.push(event);
            }
            Event::ReasoningStart { .. } | Event::ReasoningDelta { .. } | Event::Error { .. } => {
                self.release(out);
                out.push(event);
            }
            Event::TextStart { .. }
            | Event::TextDelta { .. }
            | Event::TextEnd { .. }
            | Event::FinishStep { .. }
            | Event::ReasoningEnd { .. }
            | Event::ToolInputDelta { .. }
            | Event::ToolInputEnd { .. } => out.push(event),
        }
    }

    /// The answer is over, perhaps without a word: what is held is text.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        self.give_up(out);
    }

    fn start(&mut self, id: String, start: Option<Event>) {
        self.prose.new_line();
        self.text = Some(Text { id, start });
    }

    fn delta(&mut self, id: String, delta: String, out: &mut Vec<Event>) {
        if self.ended.is_some() || self.text.as_ref().is_none_or(|text| text.id != id) {
            self.release(out);
            self.start(id, None);
        }
        if self.off {
            return self.pass(delta, out);
        }
        let mut passed = String::new();
        let mut chars = delta.chars();
        while let Some(c) = chars.next() {
            self.push(c, &mut passed);
            if self.off {
                passed.push_str(chars.as_str());
                break;
            }
        }
        self.pass(passed, out);
        if self.off {
            self.text = None;
        }
    }

    /// Takes one character; what turns out to be text goes to `passed`.
    fn push(&mut self, c: char, passed: &mut String) {
        let Some(hold) = &mut self.hold else {
            match self.prose.place(c, self.mode) {
                Some(place) => self.hold = Some(Hold { text: c.to_string(), place, look: c.len_utf8() + 1 }),
                None => {
                    self.prose.push(c);
                    passed.push(c);
                }
            }
            return;
        };
        hold.text.push(c);
        let len = hold.text.len();
        if len < hold.look {
            return;
        }
        hold.look = (len + (len / GROWTH).max(1)).min(HOLD_CAP + 1);
        let verdict =
            if len > HOLD_CAP { Verdict::Text } else { read(&hold.text, &self.tools, hold.place, false) };
        match verdict {
            Verdict::Open | Verdict::Calls(_) => return,
            Verdict::Text => {}
            Verdict::Example => self.off = true,
        }
        passed.push_str(&self.drop_hold());
    }

    /// The held text, which is text after all.
    fn drop_hold(&mut self) -> String {
        let text = self.hold.take().map(|hold| hold.text).unwrap_or_default();
        text.chars().for_each(|c| self.prose.push(c));
        text
    }

    fn pass(&mut self, delta: String, out: &mut Vec<Event>) {
        let Some(text) = self.text.as_mut().filter(|_| !delta.is_empty()) else { return };
        out.extend(text.start.take());
        out.push(Event::TextDelta { id: text.id.clone(), delta });
    }

    fn text_end(&mut self, end: Event, out: &mut Vec<Event>) {
        if let Some(ended) = self.close() {
            self.ended = Some(Ended { end: Some(end), ..ended });
            return;
        }
        let held = self.drop_hold();
        self.pass(held, out);
        if let Some(text) = self.text.take() {
            out.extend(text.start);
        }
        out.push(end);
    }

    /// The open text with its calls, if it ends with some.
    fn close(&mut self) -> Option<Ended> {
        let hold = self.hold.as_ref()?;
        let Verdict::Calls(calls) = read(&hold.text, &self.tools, hold.place, true) else { return None };
        let held = self.hold.take()?.text;
        Some(Ended { text: self.text.take()?, held, calls, end: None })
    }

    fn finish(&mut self, reason: FinishReason, out: &mut Vec<Event>) -> FinishReason {
        let whole = match reason {
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other | FinishReason::Unknown => {
                true
            }
            // A call may have been cut, or there were more to come.
            FinishReason::Length | FinishReason::ContentFilter | FinishReason::Error => false,
        };
        if whole && self.ended.is_none() {
            self.ended = self.close();
        }
        let Some(ended) = self.ended.take_if(|_| whole) else {
            self.release(out);
            return reason;
        };
        if ended.text.start.is_none() {
            let id = ended.text.id;
            out.push(ended.end.unwrap_or(Event::TextEnd { id, metadata: Metadata::default() }));
        }
        for (number, call) in ended.calls.into_iter().enumerate() {
            raise(format!("{}_{number}", self.prefix), call, out);
        }
        FinishReason::ToolCalls
    }

    /// Passes on as text whatever is held.
    fn release(&mut self, out: &mut Vec<Event>) {
        if let Some(Ended { text, held, end, .. }) = self.ended.take() {
            self.text = Some(text);
            self.pass(held, out);
            out.extend(end);
            // Something follows, so it was an example.
            self.off = true;
        }
        let held = self.drop_hold();
        self.pass(held, out);
        if let Some(text) = &mut self.text {
            out.extend(text.start.take());
        }
    }

    fn give_up(&mut self, out: &mut Vec<Event>) {
        self.release(out);
        self.off = true;
    }
}

fn raise(id: String, call: Call, out: &mut Vec<Event>) {
    let Call { name, input } = call;
    out.push(Event::ToolInputStart { id: id.clone(), tool_name: name.clone() });
    out.push(Event::ToolInputDelta { id: id.clone(), delta: input.to_string() });
    out.push(Event::ToolInputEnd { id: id.clone() });
    out.push(Event::ToolCall { tool_call_id: id, tool_name: name, input, metadata: Metadata::not_native() });
}
