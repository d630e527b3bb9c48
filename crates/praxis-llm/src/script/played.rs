//! A turn as it is given to one request.

use std::time::Duration;

use serde_json::Value;

use super::{Fault, Line, Turn};
use crate::{Event, FinishReason, Metadata, Usage};

/// The family under which signatures are kept.
const FAMILY: &str = "scripted";

/// An answer to one request; all ids are its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// Names it among all answers of its player.
    pub key: String,
    /// What it is made of.
    pub parts: Vec<Part>,
    /// Whether the pieces of neighbouring calls come mixed.
    pub interleave: bool,
    /// Why it ends.
    pub finish: FinishReason,
    /// What it costs.
    pub usage: Usage,
    /// The wait before it.
    pub delay: Duration,
    /// The wait between deltas.
    pub gap: Duration,
    /// Over HTTP: how many bytes come at a time.
    pub drip: Option<usize>,
    /// What goes wrong.
    pub fault: Option<Fault>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Names it; of a call, the call's id.
    pub id: String,
    /// What it is.
    pub kind: Kind,
    /// Its text in deltas; of a call, its arguments.
    pub pieces: Vec<String>,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A thought.
    Thought {
        /// What proves that it is the model's.
        signature: Option<String>,
    },
    /// A call.
    Call {
        /// The tool.
        tool: String,
        /// What proves that it is the model's.
        signature: Option<String>,
    },
    /// A place to stop, named by the part's id.
    Hold,
}

/// One step of streaming an answer; numbers are those of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat<'a> {
    /// A part begins.
    Start(usize),
    /// More of it.
    Piece(usize, &'a str),
    /// It is complete.
    End(usize),
    /// A place to stop.
    Hold(&'a str),
}

/// One thing that whoever plays an answer without a wire has to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Wait, unless cancelled.
    Wait(Duration),
    /// Give out an event.
    Event(Event),
    /// Wait until cancelled.
    Stall,
}

impl Part {
    /// All of its text.
    pub fn text(&self) -> String {
        self.pieces.concat()
    }

    /// The arguments of a call: an object, or the text itself if that is no JSON object.
    pub fn input(&self) -> Value {
        let text = self.text();
        match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Value::Object(object),
            _ if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
            _ => Value::String(text),
        }
    }
}

impl Played {
    /// An answer to the request that is named by `key`.
    pub(super) fn new(turn: &Turn, key: String) -> Self {
        let part = |(index, line)| Part::of(line, turn, &key, index);
        Self {
            parts: turn.lines.iter().enumerate().map(part).collect(),
            interleave: turn.interleave,
            finish: turn.finish(),
            usage: turn.usage,
            delay: turn.delay,
            gap: turn.gap,
            drip: turn.drip,
            fault: turn.fault.clone(),
            key,
        }
    }

    /// All that it says, thoughts and calls left out.
    pub fn text(&self) -> String {
        self.parts.iter().filter(|part| part.kind == Kind::Text).map(Part::text).collect()
    }

    /// How it is streamed. With an error in mid-stream, what is open last is not ended.
    pub fn beats(&self) -> Vec<Beat<'_>> {
        let mut beats = Vec::new();
        let mut index = 0;
        while index < self.parts.len() {
            let group = if self.interleave { self.calls_from(index) } else { 1 }.max(1);
            self.group(index..index + group, &mut beats);
            index += group;
        }
        if let Some(Fault::Error { .. }) = self.fault {
            while let Some(Beat::End(_)) = beats.last() {
                beats.pop();
            }
        }
        beats
    }

    /// The events of the answer, as if no time passed.
    pub fn events(&self) -> Vec<Event> {
        let events = self.acts().into_iter().filter_map(|act| match act {
            Act::Event(event) => Some(event),
            Act::Wait(_) | Act::Stall => None,
        });
        events.collect()
    }

    /// All there is to do to play it without a wire.
    pub fn acts(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        if !self.delay.is_zero() {
            acts.push(Act::Wait(self.delay));
        }
        let mut left = match &self.fault {
            None | Some(Fault::Error { .. }) => usize::MAX,
            Some(Fault::Cut(bytes) | Fault::Stall(bytes) | Fault::Garbage(bytes)) => *bytes,
            Some(_) => 0,
        };
        for beat in self.beats() {
            if left == 0 {
                break;
            }
            self.act(beat, &mut left, &mut acts);
        }
        acts.push(self.last_act());
        acts
    }

    fn act(&self, beat: Beat<'_>, left: &mut usize, acts: &mut Vec<Act>) {
        match beat {
            Beat::Start(index) => acts.push(Act::Event(self.parts[index].start())),
            Beat::Piece(index, piece) => {
                // A delta at the border is given in part.
                let cut =
                    (0..=piece.len().min(*left)).rev().find(|&at| piece.is_char_boundary(at)).unwrap_or(0);
                *left = if cut < piece.len() { 0 } else { *left - cut };
                if cut > 0 {
                    acts.push(Act::Event(self.parts[index].delta(&piece[..cut])));
                }
                if !self.gap.is_zero() {
                    acts.push(Act::Wait(self.gap));
                }
            }
            Beat::End(index) => acts.extend(self.parts[index].end().into_iter().map(Act::Event)),
            // Only a test server stops: nobody else could let it go on.
            Beat::Hold(_) => {}
        }
    }

    fn last_act(&self) -> Act {
        let error = |message: &str, code: &str| {
            Act::Event(Event::Error { message: message.to_owned(), code: Some(code.to_owned()) })
        };
        match &self.fault {
            None => Act::Event(Event::FinishStep { finish_reason: self.finish, usage: self.usage }),
            Some(Fault::Stall(_)) => Act::Stall,
            Some(Fault::Error { message, code }) => {
                Act::Event(Event::Error { message: message.clone(), code: code.clone() })
            }
            Some(Fault::Status { status, message, .. }) => error(message, &status.to_string()),
            Some(Fault::Cut(_) | Fault::Close) => error(
                "the connection was closed in the middle of the answer, as the script says",
                "connection_closed",
            ),
            Some(Fault::Garbage(_)) => error("the answer cannot be read, as the script says", "garbage"),
            Some(Fault::ContentType(kind)) => error(
                &format!("the answer is not an event stream but `{kind}`, as the script says"),
                "content_type",
            ),
            Some(Fault::Html) => {
                error("the answer is not an event stream but a web page, as the script says", "content_type")
            }
            Some(Fault::Tls) => error("the server speaks TLS on a plain port, as the script says", "tls"),
        }
    }

    /// How many calls stand in a row from here.
    fn calls_from(&self, index: usize) -> usize {
        self.parts[index..].iter().take_while(|part| matches!(part.kind, Kind::Call { .. })).count()
    }

    /// The beats of parts that come mixed: each begins in the round of its number, and all end at the end.
    fn group<'a>(&'a self, group: std::ops::Range<usize>, beats: &mut Vec<Beat<'a>>) {
        if self.parts[group.start].kind == Kind::Hold {
            return beats.push(Beat::Hold(&self.parts[group.start].id));
        }
        let rounds = group.clone().map(|index| self.parts[index].pieces.len()).max().unwrap_or(0).max(1);
        for round in 0..rounds {
            for index in group.clone() {
                if round == 0 {
                    beats.push(Beat::Start(index));
                }
                beats.extend(self.parts[index].pieces.get(round).map(|piece| Beat::Piece(index, piece)));
            }
        }
        beats.extend(group.map(Beat::End));
    }
}

impl Part {
    fn of(line: &Line, turn: &Turn, key: &str, index: usize) -> Self {
        let (prefix, kind, speech) = match line {
            Line::Hold(name) => return Self { id: name.clone(), kind: Kind::Hold, pieces: Vec::new() },
            Line::Say(speech) => ("text", Kind::Text, speech),
            Line::Think { speech, signature } => {
                ("thought", Kind::Thought { signature: signature.clone() }, speech)
            }
            Line::Call { tool, arguments, signature, .. } => {
                ("call", Kind::Call { tool: tool.clone(), signature: signature.clone() }, arguments)
            }
        };
        let id = match line {
            Line::Call { id: Some(id), .. } => id.clone(),
            _ => format!("{prefix}_{key}_{index}"),
        };
        Self { id, kind, pieces: speech.pieces(turn.chunks) }
    }

    fn start(&self) -> Event {
        let (id, metadata) = (self.id.clone(), Metadata::default());
        match &self.kind {
            Kind::Call { tool, .. } => Event::ToolInputStart { id, tool_name: tool.clone() },
            Kind::Thought { .. } => Event::ReasoningStart { id, metadata },
            Kind::Text | Kind::Hold => Event::TextStart { id, metadata },
        }
    }

    fn delta(&self, delta: &str) -> Event {
        let (id, delta) = (self.id.clone(), delta.to_owned());
        match &self.kind {
            Kind::Call { .. } => Event::ToolInputDelta { id, delta },
            Kind::Thought { .. } => Event::ReasoningDelta { id, delta },
            Kind::Text | Kind::Hold => Event::TextDelta { id, delta },
        }
    }

    fn end(&self) -> Vec<Event> {
        let id = self.id.clone();
        let signed = |signature: &Option<String>| match signature {
            Some(signature) => Metadata::default().with(FAMILY, "signature", signature.as_str()),
            None => Metadata::default(),
        };
        match &self.kind {
            Kind::Call { tool, signature } => vec![
                Event::ToolInputEnd { id: id.clone() },
                Event::ToolCall {
                    tool_call_id: id,
                    tool_name: tool.clone(),
                    input: self.input(),
                    metadata: signed(signature),
                },
            ],
            Kind::Thought { signature } => vec![Event::ReasoningEnd { id, metadata: signed(signature) }],
            Kind::Text | Kind::Hold => vec![Event::TextEnd { id, metadata: Metadata::default() }],
        }
    }
}
