//! Reading an answer.

use serde_json::value::RawValue;

use super::FAMILY;
use super::frame::{Block, Counts, Delta, Failure, Frame, Message};
use crate::calls::{Calls, TooMuch};
use crate::json::Trust;
use crate::wire::Raise;
use crate::wire::ids::Ids;
use crate::{Event, FinishReason, Metadata};

/// The most blocks that may be open at once; in practice it is one.
const OPEN_CAP: usize = 64;

/// The most bytes of signatures that an answer may have.
const SIGNATURE_CAP: usize = 16 << 20;

/// The most of a failure in an unusual form that is quoted, in characters.
const QUOTE_CAP: usize = 300;

pub(super) struct Raiser {
    /// For servers that give no ids.
    ids: Ids,
    open: Vec<Open>,
    calls: Calls<u64>,
    counts: Counts,
    stop: Option<Stop>,
    signed: usize,
    unknown: u64,
    done: bool,
}

/// A block that has begun and not ended.
struct Open {
    index: u64,
    id: String,
    kind: Kind,
}

enum Kind {
    Text,
    Thought(Metadata, String),
    Call,
    /// Work of the server's own tools and whatever else we do not know.
    Ignored,
}

#[derive(Clone, Copy)]
struct Stop {
    reason: FinishReason,
    trust: Trust,
}

/// An answer that cannot be read any further.
struct Broken {
    message: String,
    code: Option<String>,
}

impl Raise for Raiser {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<Event>) {
        if self.done || name == "ping" {
            return;
        }
        if !matches!(
            name,
            "" | "message"
                | "message_start"
                | "message_delta"
                | "message_stop"
                | "content_block_start"
                | "content_block_delta"
                | "content_block_stop"
                | "error"
        ) {
            self.unknown += 1;
            return;
        }
        let result = match serde_json::from_str::<Frame<'_>>(data) {
            Ok(frame) => self.frame(name, &frame, out),
            // The server's own words are worth more than a complaint about their form.
            Err(_) if name == "error" => {
                Err(Broken { message: data.chars().take(QUOTE_CAP).collect(), code: None })
            }
            Err(error) => Err(unreadable(&error)),
        };
        if let Err(Broken { message, code }) = result {
            self.done = true;
            out.push(Event::Error { message, code });
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if self.done {
            return;
        }
        match self.stop {
            Some(_) => self.finish(out),
            None => {
                self.done = true;
                let message = "the answer stopped before it was complete; try again".to_owned();
                out.push(Event::Error { message, code: None });
            }
        }
    }

    fn unknown(&self) -> u64 {
        self.unknown
    }
}

impl Raiser {
    pub(super) fn new(ids: Ids) -> Self {
        Self {
            ids,
            open: Vec::new(),
            calls: Calls::default(),
            counts: Counts::default(),
            stop: None,
            signed: 0,
            unknown: 0,
            done: false,
        }
    }

    fn frame(&mut self, name: &str, frame: &Frame<'_>, out: &mut Vec<Event>) -> Result<(), Broken> {
        let kind = frame.kind.filled().unwrap_or(name);
        match kind {
            "content_block_delta" => {
                if let Some(delta) = &frame.delta {
                    self.delta(frame.index, delta, out)?;
                }
            }
            "content_block_start" => {
                if let Some(block) = frame.content_block {
                    let block = serde_json::from_str(block.get()).map_err(|error| unreadable(&error))?;
                    self.start(frame.index, &block, out)?;
                }
            }
            "content_block_stop" => self.stop(frame.index, out),
            "message_start" => {
                let message =
                    frame.message.and_then(|message| serde_json::from_str::<Message>(message.get()).ok());
                self.counts.update(message.and_then(|message| message.usage).unwrap_or_default());
            }
            "message_delta" => {
                let counts = frame.usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
                self.counts.update(counts.unwrap_or_default());
                if let Some(reason) = frame.delta.as_ref().and_then(|delta| delta.stop_reason.filled()) {
                    self.stop = Some(Stop::read(reason));
                }
            }
            "message_stop" => self.finish(out),
            "error" => return Err(failure(frame.error)),
            _ if frame.error.is_some() => return Err(failure(frame.error)),
            "ping" => {}
            _ => self.unknown += 1,
        }
        Ok(())
    }

    fn start(&mut self, index: u64, block: &Block<'_>, out: &mut Vec<Event>) -> Result<(), Broken> {
        self.stop(index, out);
        match block.kind.as_str() {
            "text" => {
                self.open(index, Kind::Text, out)?;
                self.text(index, block.text.as_str(), out)
            }
            "thinking" => {
                self.open(index, Kind::Thought(Metadata::default(), String::new()), out)?;
                self.thought(index, block.thinking.as_str(), out)?;
                self.sign(index, block.signature.as_str())
            }
            "redacted_thinking" => {
                let metadata = Metadata::default().with(FAMILY, "redactedData", block.data.as_str());
                self.open(index, Kind::Thought(metadata, String::new()), out)
            }
            "tool_use" if !block.name.is_empty() => {
                self.open(index, Kind::Call, out)?;
                let id = block.id.filled().map_or_else(|| self.ids.make(), str::to_owned);
                self.calls.start(index, &id, block.name.as_str(), out)?;
                // Some servers give the arguments here instead of in deltas.
                let given = block.input.map_or("{}", |input| input.get());
                if given != "{}" && given != "null" {
                    self.calls.push(&index, given, out)?;
                }
                Ok(())
            }
            _ => {
                self.unknown += 1;
                self.open(index, Kind::Ignored, out)
            }
        }
    }

    fn delta(&mut self, index: u64, delta: &Delta<'_>, out: &mut Vec<Event>) -> Result<(), Broken> {
        if let Some(Kind::Ignored) = self.find(index).map(|open| &open.kind) {
            return Ok(());
        }
        match delta.kind.as_str() {
            "text_delta" => self.text(index, delta.text.as_str(), out),
            "thinking_delta" => self.thought(index, delta.thinking.as_str(), out),
            "signature_delta" => self.sign(index, delta.signature.as_str()),
            "input_json_delta" => {
                if !self.calls.push(&index, delta.partial_json.as_str(), out)? {
                    self.unknown += 1;
                }
                Ok(())
            }
            _ => {
                self.unknown += 1;
                Ok(())
            }
        }
    }

    fn text(&mut self, index: u64, text: &str, out: &mut Vec<Event>) -> Result<(), Broken> {
        if text.is_empty() {
            return Ok(());
        }
        // Some servers forget to begin a block.
        if self.find(index).is_none() {
            self.open(index, Kind::Text, out)?;
        }
        match self.find(index) {
            Some(Open { id, kind: Kind::Text, .. }) => {
                out.push(Event::TextDelta { id: id.clone(), delta: text.to_owned() });
            }
            _ => self.unknown += 1,
        }
        Ok(())
    }

    fn thought(&mut self, index: u64, text: &str, out: &mut Vec<Event>) -> Result<(), Broken> {
        if text.is_empty() {
            return Ok(());
        }
        if self.find(index).is_none() {
            self.open(index, Kind::Thought(Metadata::default(), String::new()), out)?;
        }
        match self.find(index) {
            Some(Open { id, kind: Kind::Thought(..), .. }) => {
                out.push(Event::ReasoningDelta { id: id.clone(), delta: text.to_owned() });
            }
            _ => self.unknown += 1,
        }
        Ok(())
    }

    fn sign(&mut self, index: u64, more: &str) -> Result<(), Broken> {
        self.signed += more.len();
        if self.signed > SIGNATURE_CAP {
            return Err(Broken { message: "the answer's signatures are too long".to_owned(), code: None });
        }
        if let Some(Open { kind: Kind::Thought(_, signature), .. }) = self.find(index) {
            signature.push_str(more);
        }
        Ok(())
    }

    fn open(&mut self, index: u64, kind: Kind, out: &mut Vec<Event>) -> Result<(), Broken> {
        if self.open.len() == OPEN_CAP {
            let message = format!("the server opened more than {OPEN_CAP} blocks at once; try again");
            return Err(Broken { message, code: None });
        }
        let id = index.to_string();
        match &kind {
            Kind::Text => out.push(Event::TextStart { id: id.clone(), metadata: Metadata::default() }),
            Kind::Thought(metadata, _) => {
                out.push(Event::ReasoningStart { id: id.clone(), metadata: metadata.clone() });
            }
            Kind::Call | Kind::Ignored => {}
        }
        self.open.push(Open { index, id, kind });
        Ok(())
    }

    fn find(&mut self, index: u64) -> Option<&mut Open> {
        self.open.iter_mut().find(|open| open.index == index)
    }

    /// A block has ended.
    fn stop(&mut self, index: u64, out: &mut Vec<Event>) {
        let Some(at) = self.open.iter().position(|open| open.index == index) else { return };
        let open = self.open.remove(at);
        if let Kind::Call = open.kind {
            self.calls.finish(&index, out);
            return;
        }
        out.extend(open.end());
    }

    /// The answer has ended.
    fn finish(&mut self, out: &mut Vec<Event>) {
        self.done = true;
        let Stop { reason, trust } =
            self.stop.unwrap_or(Stop { reason: FinishReason::Unknown, trust: Trust::Unknown });
        let cut = self.open.iter().any(|open| matches!(open.kind, Kind::Call));
        out.extend(self.open.drain(..).filter_map(Open::end));
        self.calls.settle(trust, out);
        if cut && reason == FinishReason::ToolCalls {
            let message = "the answer stopped inside the arguments of a call; try again".to_owned();
            out.push(Event::Error { message, code: None });
            return;
        }
        let finish_reason = match reason {
            // Some servers forget to say that they wait.
            FinishReason::Stop | FinishReason::Unknown if self.calls.raised() => FinishReason::ToolCalls,
            reason => reason,
        };
        out.push(Event::FinishStep { finish_reason, usage: self.counts.usage() });
    }
}

impl Open {
    fn end(self) -> Option<Event> {
        match self.kind {
            Kind::Text => Some(Event::TextEnd { id: self.id, metadata: Metadata::default() }),
            Kind::Thought(metadata, signature) if signature.is_empty() => {
                Some(Event::ReasoningEnd { id: self.id, metadata })
            }
            Kind::Thought(metadata, signature) => Some(Event::ReasoningEnd {
                id: self.id,
                metadata: metadata.with(FAMILY, "signature", signature),
            }),
            Kind::Call | Kind::Ignored => None,
        }
    }
}

impl Stop {
    fn read(reason: &str) -> Self {
        let (reason, trust) = match reason {
            "end_turn" | "stop_sequence" | "pause_turn" => (FinishReason::Stop, Trust::Complete),
            "tool_use" => (FinishReason::ToolCalls, Trust::Complete),
            "max_tokens" | "model_context_window_exceeded" => (FinishReason::Length, Trust::Unknown),
            "refusal" => (FinishReason::ContentFilter, Trust::Unknown),
            _ => (FinishReason::Other, Trust::Unknown),
        };
        Self { reason, trust }
    }
}

impl From<TooMuch> for Broken {
    fn from(too_much: TooMuch) -> Self {
        Self { message: too_much.to_string(), code: None }
    }
}

fn unreadable(error: &serde_json::Error) -> Broken {
    let message = format!("the server sent an event that cannot be read ({error}); try again");
    Broken { message, code: None }
}

/// What the server says about its failure, in its own words where their form is not the usual one.
fn failure(told: Option<&RawValue>) -> Broken {
    let told = told.map_or("", RawValue::get);
    let failure = serde_json::from_str::<Failure<'_>>(told).unwrap_or_default();
    let message = match failure.message.filled().or(failure.kind.filled()) {
        Some(message) => message.to_owned(),
        None if told.is_empty() => "the server failed without saying why; try again".to_owned(),
        None => told.chars().take(QUOTE_CAP).collect(),
    };
    Broken { message, code: failure.kind.filled().map(str::to_owned) }
}
