//! Reading an answer.

use serde_json::Value;

use super::FAMILY;
use super::chunk::{Candidate, Chunk, Counts, FunctionCall, Part};
use crate::calls::Calls;
use crate::json::Trust;
use crate::wire::Raise;
use crate::wire::ids::Ids;
use crate::{Event, FinishReason, Metadata};

pub(super) struct Raiser {
    ids: Ids,
    open: Option<Open>,
    /// How many texts and thoughts there were.
    blocks: u64,
    calls: Calls<()>,
    counts: Counts,
    stop: Option<FinishReason>,
    unknown: u64,
    done: bool,
}

/// A text or a thought that has begun and not ended.
struct Open {
    id: String,
    is_thought: bool,
    signature: String,
}

struct Broken {
    message: String,
    code: Option<String>,
}

impl Raise for Raiser {
    fn event(&mut self, _name: &str, data: &str, out: &mut Vec<Event>) {
        if self.done {
            return;
        }
        let result = match serde_json::from_str::<Chunk<'_>>(data) {
            Ok(chunk) => self.chunk(&chunk, out),
            Err(error) => Err(Broken {
                message: format!("the server sent an event that cannot be read ({error}); try again"),
                code: None,
            }),
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
        self.done = true;
        let Some(reason) = self.stop else {
            let message = "the answer stopped before it was complete; try again".to_owned();
            out.push(Event::Error { message, code: None });
            return;
        };
        self.close(out);
        let trust = if reason == FinishReason::Stop { Trust::Complete } else { Trust::Unknown };
        self.calls.settle(trust, out);
        let finish_reason = match reason {
            FinishReason::Stop if self.calls.raised() => FinishReason::ToolCalls,
            reason => reason,
        };
        out.push(Event::FinishStep { finish_reason, usage: self.counts.usage() });
    }

    fn unknown(&self) -> u64 {
        self.unknown
    }
}

impl Raiser {
    pub(super) fn new(ids: Ids) -> Self {
        Self {
            ids,
            open: None,
            blocks: 0,
            calls: Calls::default(),
            counts: Counts::default(),
            stop: None,
            unknown: 0,
            done: false,
        }
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, out: &mut Vec<Event>) -> Result<(), Broken> {
        if let Some(error) = chunk.error.as_ref().filter(|error| !error.is_null()) {
            return Err(failure(error));
        }
        if let Some(counts) = chunk.usage_metadata {
            self.counts.update(counts);
        }
        if chunk.prompt_feedback.as_ref().is_some_and(|feedback| !feedback.block_reason.is_empty()) {
            self.stop = Some(FinishReason::ContentFilter);
        }
        let candidates = chunk.candidates.as_deref().unwrap_or_default();
        // One answer is asked for; if there are more, the first counts.
        let Some(candidate) = candidates.iter().find(|candidate| candidate.index.unwrap_or(0) == 0) else {
            self.unknown += u64::from(chunk.usage_metadata.is_none() && chunk.prompt_feedback.is_none());
            return Ok(());
        };
        self.candidate(candidate, out)
    }

    fn candidate(&mut self, candidate: &Candidate<'_>, out: &mut Vec<Event>) -> Result<(), Broken> {
        let parts = candidate.content.as_ref().and_then(|content| content.parts.as_deref());
        for part in parts.unwrap_or_default() {
            self.part(part, out)?;
        }
        if let Some(reason) = candidate.finish_reason.filled() {
            self.stop = Some(finish_reason(reason));
        }
        Ok(())
    }

    fn part(&mut self, part: &Part<'_>, out: &mut Vec<Event>) -> Result<(), Broken> {
        if let Some(call) = &part.function_call {
            return self.call(call, part.thought_signature.as_str(), out);
        }
        let Some(text) = &part.text else {
            // Pictures, code that the server ran, and what is yet to come.
            self.unknown += 1;
            return Ok(());
        };
        if text.is_empty() && part.thought_signature.is_empty() {
            return Ok(());
        }
        let open = self.open(part.thought.unwrap_or(false), out);
        if let Some(signature) = part.thought_signature.filled() {
            signature.clone_into(&mut open.signature);
        }
        let (id, is_thought) = (&open.id, open.is_thought);
        match text.filled() {
            None => {}
            Some(text) if is_thought => {
                out.push(Event::ReasoningDelta { id: id.clone(), delta: text.to_owned() });
            }
            Some(text) => out.push(Event::TextDelta { id: id.clone(), delta: text.to_owned() }),
        }
        Ok(())
    }

    /// Calls come whole.
    fn call(&mut self, call: &FunctionCall<'_>, signature: &str, out: &mut Vec<Event>) -> Result<(), Broken> {
        if call.will_continue == Some(true) || call.partial_args.is_some() {
            let message =
                "the server sends arguments in parts, which was not asked for; turn that off".to_owned();
            return Err(Broken { message, code: None });
        }
        if call.name.is_empty() {
            self.unknown += 1;
            return Ok(());
        }
        self.close(out);
        let id = self.ids.make();
        let too_much = |error: crate::calls::TooMuch| Broken { message: error.to_string(), code: None };
        self.calls.start((), &id, call.name.as_str(), out).map_err(too_much)?;
        let mut metadata = Metadata::default();
        if !signature.is_empty() {
            metadata = metadata.with(FAMILY, "thoughtSignature", signature);
        }
        if let Some(id) = call.id.filled() {
            metadata = metadata.with(FAMILY, "callId", id);
        }
        self.calls.annotate(&(), metadata);
        let arguments = call.args.map_or("{}", |args| args.get());
        self.calls.push(&(), arguments, out).map_err(too_much)?;
        self.calls.finish(&(), out);
        Ok(())
    }

    /// The open block if it is of this kind, else a new one.
    fn open(&mut self, is_thought: bool, out: &mut Vec<Event>) -> &mut Open {
        if self.open.as_ref().is_some_and(|open| open.is_thought != is_thought) {
            self.close(out);
        }
        self.open.get_or_insert_with(|| {
            let (id, metadata) = (self.blocks.to_string(), Metadata::default());
            self.blocks += 1;
            out.push(if is_thought {
                Event::ReasoningStart { id: id.clone(), metadata }
            } else {
                Event::TextStart { id: id.clone(), metadata }
            });
            Open { id, is_thought, signature: String::new() }
        })
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        let Some(Open { id, is_thought, signature }) = self.open.take() else { return };
        let mut metadata = Metadata::default();
        if !signature.is_empty() {
            metadata = metadata.with(FAMILY, "thoughtSignature", signature);
        }
        out.push(if is_thought {
            Event::ReasoningEnd { id, metadata }
        } else {
            Event::TextEnd { id, metadata }
        });
    }
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            FinishReason::ContentFilter
        }
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => FinishReason::Error,
        "FINISH_REASON_UNSPECIFIED" => FinishReason::Unknown,
        _ => FinishReason::Other,
    }
}

fn failure(error: &Value) -> Broken {
    let word = |key: &str| error.get(key).and_then(Value::as_str);
    let number = || error.get("code").and_then(Value::as_u64).map(|code| code.to_string());
    let message =
        word("message").or(error.as_str()).unwrap_or("the server failed without saying why; try again");
    Broken { message: message.to_owned(), code: word("status").map(str::to_owned).or_else(number) }
}
