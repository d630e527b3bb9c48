//! From chunks to events.

use serde_json::{Map, Value};

use super::chunk::{CallDelta, Choice, Chunk, Content, Delta, Groq, RawUsage, later};
use super::details::Details;
use super::slots::{Slots, Trouble};
use super::usage;
use crate::json::Trust;
use crate::wire::Raise;
use crate::wire::failure::{self, Failure};
use crate::wire::ids::Ids;
use crate::wire::loose::Object;
use crate::{Event, FinishReason, Metadata, Usage};

/// Reads one answer of any server of the family; none of them says beforehand what its own ways are.
///
/// Calls are raised once the whole answer is there: a server may name its reason with every chunk, and an answer that fails
/// behind it must not have run anything.
#[derive(Debug)]
pub(super) struct Raiser {
    open: Open,
    texts: usize,
    thoughts: usize,
    details: Details,
    slots: Slots,
    usage: Usage,
    reason: Option<Reason>,
    refused: bool,
    streamed: bool,
    over: bool,
    unknown: u64,
}

/// The block that is being written.
#[derive(Debug, PartialEq)]
enum Open {
    Nothing,
    Text(String),
    Thought(String),
}

/// What a server's reason means.
#[derive(Debug, Clone, PartialEq)]
enum Reason {
    Said(FinishReason),
    Failed(String),
}

impl Raiser {
    /// A reader that gives these ids to calls without one.
    pub(super) fn new(ids: Ids) -> Self {
        Self {
            open: Open::Nothing,
            texts: 0,
            thoughts: 0,
            details: Details::default(),
            slots: Slots::new(ids),
            usage: Usage::default(),
            reason: None,
            refused: false,
            streamed: false,
            over: false,
            unknown: 0,
        }
    }

    fn chunk(&mut self, chunk: Chunk<'_>, data: &str, out: &mut Vec<Event>) {
        if let Some(event) = chunk.error.and_then(|error| failure::read(error.get())) {
            return self.fail(event, out);
        }
        let groq = || later::<Groq>(chunk.x_groq)?.usage.0;
        let told: Option<RawUsage> = later(chunk.usage).or_else(groq);
        if let Some(raw) = &told {
            usage::update(&mut self.usage, raw);
        }
        let Some(choices) = chunk.choices else {
            if told.is_none() {
                self.stray(data, out);
            }
            return;
        };
        for choice in choices.0 {
            if choice.index.0.unwrap_or(0) != 0 {
                self.unknown += 1;
                continue;
            }
            if let Err(trouble) = self.choice(choice, out) {
                return self.fail(failure::broken(&trouble), out);
            }
        }
    }

    /// An object without anything we know: a failure told at the top, or something for others.
    fn stray(&mut self, data: &str, out: &mut Vec<Event>) {
        match serde_json::from_str::<Failure<'_>>(data) {
            Ok(told) if told.is_told() => self.fail(told.event(), out),
            _ => self.unknown += 1,
        }
    }

    fn choice(&mut self, choice: Choice<'_>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        if let Some(raw) = later(choice.usage) {
            usage::update(&mut self.usage, &raw);
        }
        // Some servers send the whole answer beside each piece of it.
        let delta = match choice.delta.0 {
            Some(delta) => Some(delta),
            None if self.streamed => None,
            None => later(choice.message),
        };
        if let Some(delta) = delta {
            self.streamed = true;
            self.delta(delta, out)?;
        }
        if let Some(reason) = choice.finish_reason.filled() {
            self.reason = Some(meaning(reason));
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        let words = [&delta.reasoning_content, &delta.reasoning, &delta.reasoning_text];
        let words = words.into_iter().find_map(|field| field.filled());
        if let Some(words) = words {
            self.think(words, out);
        }
        for piece in delta.reasoning_details.0 {
            self.detail(piece, words.is_none(), out);
        }
        self.content(&delta.content, out);
        if let Some(refusal) = delta.refusal.filled() {
            self.refused = true;
            self.write(refusal, out);
        }
        for call in &delta.tool_calls.0 {
            self.call(call, out)?;
        }
        if delta.function_call.0.is_some() {
            let call = CallDelta { function: delta.function_call, ..CallDelta::default() };
            self.call(&call, out)?;
        }
        Ok(())
    }

    /// Keeps a detail with the thought that it belongs to; one that comes late gets a thought of its own.
    fn detail(&mut self, piece: Map<String, Value>, shown: bool, out: &mut Vec<Event>) {
        if let Some(words) = Details::words(&piece).filter(|_| shown) {
            self.think(words, out);
        }
        if Details::is_kept(&piece) {
            self.begin_thought(out);
        }
        if matches!(self.open, Open::Thought(_)) {
            self.details.push(piece);
        }
    }

    fn content(&mut self, content: &Content<'_>, out: &mut Vec<Event>) {
        match content {
            Content::None => {}
            Content::Text(text) => self.write(text, out),
            Content::Pieces(pieces) => {
                for piece in pieces {
                    if let Some(text) = piece.text.filled() {
                        self.write(text, out);
                    }
                    self.thinking(&piece.thinking, out);
                }
            }
        }
    }

    fn thinking(&mut self, thinking: &Content<'_>, out: &mut Vec<Event>) {
        match thinking {
            Content::None => {}
            Content::Text(words) => self.think(words, out),
            Content::Pieces(pieces) => {
                for words in pieces.iter().filter_map(|piece| piece.text.filled()) {
                    self.think(words, out);
                }
            }
        }
    }

    fn call(&mut self, call: &CallDelta<'_>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        self.close(out);
        self.slots.push(call, out)
    }

    fn write(&mut self, text: &str, out: &mut Vec<Event>) {
        if text.is_empty() {
            return;
        }
        if !matches!(self.open, Open::Text(_)) {
            self.close(out);
            let id = format!("txt-{}", self.texts);
            self.texts += 1;
            out.push(Event::TextStart { id: id.clone(), metadata: Metadata::default() });
            self.open = Open::Text(id);
        }
        if let Open::Text(id) = &self.open {
            out.push(Event::TextDelta { id: id.clone(), delta: text.to_owned() });
        }
    }

    fn think(&mut self, words: &str, out: &mut Vec<Event>) {
        if words.is_empty() {
            return;
        }
        self.begin_thought(out);
        if let Open::Thought(id) = &self.open {
            out.push(Event::ReasoningDelta { id: id.clone(), delta: words.to_owned() });
        }
    }

    fn begin_thought(&mut self, out: &mut Vec<Event>) {
        if matches!(self.open, Open::Thought(_)) {
            return;
        }
        self.close(out);
        let id = format!("reasoning-{}", self.thoughts);
        self.thoughts += 1;
        out.push(Event::ReasoningStart { id: id.clone(), metadata: Metadata::default() });
        self.open = Open::Thought(id);
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Text(id) => out.push(Event::TextEnd { id, metadata: Metadata::default() }),
            Open::Thought(id) => out.push(Event::ReasoningEnd { id, metadata: self.details.take() }),
        }
    }

    fn fail(&mut self, event: Event, out: &mut Vec<Event>) {
        self.close(out);
        self.over = true;
        out.push(event);
    }

    /// The stream has had its end. `done` if the server said so itself.
    fn finish(&mut self, done: bool, out: &mut Vec<Event>) {
        let reason = match self.reason.take() {
            Some(Reason::Said(reason)) => reason,
            Some(Reason::Failed(reason)) => {
                let message = format!("the provider gave up on the answer (`{reason}`); try again");
                return self.fail(Event::Error { message, code: Some(reason) }, out);
            }
            None if done => FinishReason::Unknown,
            None => return self.fail(failure::unfinished(), out),
        };
        self.close(out);
        match self.settle(reason, out) {
            Ok(Some(reason)) => {
                let reason = self.final_reason(reason);
                self.over = true;
                out.push(Event::FinishStep { finish_reason: reason, usage: self.usage });
            }
            Ok(None) => self.fail(failure::unfinished(), out),
            Err(trouble) => self.fail(failure::broken(&trouble), out),
        }
    }

    /// Raises the calls that may be. None if one was left half and nothing says why.
    fn settle(
        &mut self,
        reason: FinishReason,
        out: &mut Vec<Event>,
    ) -> Result<Option<FinishReason>, Trouble> {
        let complete = matches!(reason, FinishReason::Stop | FinishReason::ToolCalls);
        let cut = matches!(reason, FinishReason::Length | FinishReason::ContentFilter);
        self.slots.finish(!cut, out)?;
        let calls = self.slots.calls();
        let half = calls.doubtful();
        calls.settle(if complete { Trust::Complete } else { Trust::Unknown }, out);
        Ok((complete || cut || !half).then_some(reason))
    }

    fn final_reason(&mut self, reason: FinishReason) -> FinishReason {
        let calls = self.slots.calls().raised();
        match reason {
            FinishReason::Stop | FinishReason::Unknown | FinishReason::Other if calls => {
                FinishReason::ToolCalls
            }
            FinishReason::Stop if self.refused => FinishReason::ContentFilter,
            other => other,
        }
    }
}

impl Raise for Raiser {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<Event>) {
        if self.over || data.trim().is_empty() {
            return;
        }
        if data.trim() == "[DONE]" {
            return self.done(out);
        }
        if name == "error" && !data.contains("\"error\"") {
            if let Some(event) = failure::read(data) {
                self.fail(event, out);
            }
            return;
        }
        match serde_json::from_str::<Object<Chunk<'_>>>(data) {
            Ok(Object(Some(chunk))) => self.chunk(chunk, data, out),
            Ok(Object(None)) => self.unknown += 1,
            Err(_) => self.fail(failure::unreadable(data), out),
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if !self.over {
            self.finish(false, out);
        }
    }

    fn done(&mut self, out: &mut Vec<Event>) {
        if !self.over {
            self.finish(true, out);
        }
    }

    fn unknown(&self) -> u64 {
        self.unknown
    }
}

fn meaning(reason: &str) -> Reason {
    let said = match reason {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "end" | "complete" | "done" => {
            FinishReason::Stop
        }
        "length" | "max_tokens" | "model_length" | "max_output_tokens" => FinishReason::Length,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => FinishReason::ToolCalls,
        "content_filter" | "content-filter" | "safety" | "sensitive" | "refusal" | "recitation" => {
            FinishReason::ContentFilter
        }
        "error" | "network_error" | "insufficient_system_resource" | "malformed_function_call" => {
            return Reason::Failed(reason.to_owned());
        }
        _ => FinishReason::Other,
    };
    Reason::Said(said)
}
