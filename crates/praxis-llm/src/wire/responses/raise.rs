//! From stream events to our events.

use std::collections::{BTreeSet, HashSet};

use super::blocks::{Blocks, RAW, known};
use super::frame::{Frame, Item, Response};
use super::items::Items;
use crate::calls::{Calls, TooMuch};
use crate::json::Trust;
use crate::wire::ids::Ids;
use crate::wire::loose::Object;
use crate::wire::{Raise, failure};
use crate::{Event, FinishReason, Usage};

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Raiser {
    /// For calls without an id of their own.
    made: Ids,
    taken: HashSet<String>,
    items: Items,
    blocks: Blocks,
    /// By item id.
    calls: Calls<String>,
    /// Calls whose argument text is whole though their item is not done.
    whole: BTreeSet<String>,
    refused: bool,
    over: bool,
    unknown: u64,
}

/// An answer has more than we are willing to hold, or a call without a name.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    #[error("the model called a tool without naming it; try again")]
    Unnamed,
}

impl Raiser {
    /// A reader that gives these ids to calls without one.
    pub(super) fn new(made: Ids) -> Self {
        Self {
            made,
            taken: HashSet::new(),
            items: Items::default(),
            blocks: Blocks::default(),
            calls: Calls::default(),
            whole: BTreeSet::new(),
            refused: false,
            over: false,
            unknown: 0,
        }
    }

    fn frame(&mut self, kind: &str, frame: &Frame<'_>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        let index = frame.output_index.0;
        let item = self.items.id(frame.item_id.filled().unwrap_or_default(), index);
        let content = frame.content_index.0.unwrap_or(0);
        let delta = frame.delta.0.as_deref().unwrap_or_default();
        match kind {
            "response.output_text.delta" => self.blocks.write(&item, content, delta, out),
            "response.refusal.delta" => {
                self.refused = true;
                self.blocks.write(&item, content, delta, out);
            }
            "response.reasoning_summary_part.added" => {
                let part = frame.summary_index.0.unwrap_or(0).to_string();
                self.blocks.begin_thought(&item, &part, out);
            }
            "response.reasoning_summary_text.delta" => {
                let part = frame.summary_index.0.unwrap_or(0).to_string();
                self.blocks.think(&item, &part, delta, out);
            }
            "response.reasoning_text.delta" | "response.reasoning.delta" => {
                self.blocks.think(&item, RAW, delta, out);
            }
            "response.function_call_arguments.delta" => {
                if !self.calls.push(&item.into_owned(), delta, out)? {
                    self.unknown += 1;
                }
            }
            "response.function_call_arguments.done" => {
                if let Some(arguments) = &frame.arguments.0 {
                    let key = item.into_owned();
                    self.calls.correct(&key, arguments, out)?;
                    self.whole.insert(key);
                }
            }
            "response.output_item.added" => self.added(frame.item.0.as_ref(), index, out)?,
            "response.output_item.done" => self.done(frame.item.0.as_ref(), index, out)?,
            "response.completed" | "response.incomplete" | "response.done" => {
                self.finish(frame.response.0.as_ref(), out);
            }
            "response.failed" | "response.cancelled" => {
                let error = frame.response.0.as_ref().and_then(|response| response.error);
                self.fail(failure::read(error.map_or("{}", |error| error.get())), out);
            }
            "response.created" | "response.in_progress" | "response.queued" => {}
            // What these tell is known from the deltas or comes again with the item.
            "response.content_part.added"
            | "response.content_part.done"
            | "response.output_text.done"
            | "response.output_text.annotation.added"
            | "response.refusal.done"
            | "response.reasoning_summary_part.done"
            | "response.reasoning_summary_text.done"
            | "response.reasoning_text.done"
            | "response.reasoning.done" => {}
            _ => self.unknown += 1,
        }
        Ok(())
    }

    fn added(
        &mut self,
        item: Option<&Item<'_>>,
        index: Option<u64>,
        out: &mut Vec<Event>,
    ) -> Result<(), Trouble> {
        let Some(item) = item else { return Ok(()) };
        match item.kind.filled() {
            Some("function_call") => self.start(item, index, out),
            Some("message" | "reasoning") => Ok(()),
            _ => {
                self.unknown += 1;
                Ok(())
            }
        }
    }

    fn start(&mut self, item: &Item<'_>, index: Option<u64>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        self.blocks.close(out);
        let name = item.name.filled().ok_or(Trouble::Unnamed)?;
        let key = self.items.id(item.id.filled().unwrap_or_default(), index).into_owned();
        let mut id = item.call_id.filled().unwrap_or_default().to_owned();
        // An id names one call; a second call with it would be answered with the first one's result.
        while id.is_empty() || self.taken.contains(&id) {
            id = self.made.make();
        }
        self.calls.start(key.clone(), &id, name, out)?;
        self.taken.insert(id);
        self.calls.annotate(&key, known(&key));
        // Usually empty here; the whole comes with the end of the item.
        let arguments = item.arguments.0.as_deref().unwrap_or_default();
        self.calls.push(&key, arguments, out)?;
        Ok(())
    }

    fn done(
        &mut self,
        item: Option<&Item<'_>>,
        index: Option<u64>,
        out: &mut Vec<Event>,
    ) -> Result<(), Trouble> {
        let Some(item) = item else { return Ok(()) };
        match item.kind.filled() {
            Some("message") => {
                let id = self.items.id(item.id.filled().unwrap_or_default(), index);
                self.blocks.end_text(&id, item, out);
            }
            Some("reasoning") => {
                let id = self.items.id(item.id.filled().unwrap_or_default(), index);
                self.blocks.end_thought(&id, item, out);
            }
            Some("function_call") => self.end_call(item, index, out)?,
            // Counted when it was added.
            _ => {}
        }
        Ok(())
    }

    /// The arguments in the finished item are the ones that count.
    fn end_call(&mut self, item: &Item<'_>, index: Option<u64>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        let key = self.items.id(item.id.filled().unwrap_or_default(), index).into_owned();
        if !self.calls.is_open(&key) {
            self.start(item, index, out)?;
        }
        // An unfinished item stays open, and is dropped with the end of the answer.
        if item.status.filled() == Some("incomplete") {
            return Ok(());
        }
        if let Some(arguments) = &item.arguments.0 {
            self.calls.correct(&key, arguments, out)?;
        }
        self.calls.finish(&key, out);
        Ok(())
    }

    fn finish(&mut self, response: Option<&Response<'_>>, out: &mut Vec<Event>) {
        self.blocks.close(out);
        for key in std::mem::take(&mut self.whole) {
            self.calls.finish(&key, out);
        }
        let incomplete = response.and_then(|response| response.incomplete_details.0.as_ref());
        let cut = incomplete.and_then(|details| details.reason.filled()).map(|reason| match reason {
            "max_output_tokens" | "max_tokens" => FinishReason::Length,
            "content_filter" => FinishReason::ContentFilter,
            _ => FinishReason::Other,
        });
        if cut.is_none() && self.calls.half() {
            return self.fail(Some(failure::unfinished()), out);
        }
        self.calls.settle(if cut.is_none() { Trust::Complete } else { Trust::Unknown }, out);
        let finish_reason = match cut {
            Some(cut) => cut,
            None if self.calls.raised() => FinishReason::ToolCalls,
            None if self.refused => FinishReason::ContentFilter,
            None => FinishReason::Stop,
        };
        let usage = response.and_then(|response| response.usage.0.as_ref());
        let usage = usage.map_or_else(Usage::default, |raw| raw.totals());
        self.over = true;
        out.push(Event::FinishStep { finish_reason, usage });
    }

    fn fail(&mut self, event: Option<Event>, out: &mut Vec<Event>) {
        self.blocks.close(out);
        self.over = true;
        out.extend(event.or_else(|| failure::read("{}")));
    }
}

impl Raise for Raiser {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<Event>) {
        if self.over || data.trim().is_empty() || data.trim() == "[DONE]" {
            return;
        }
        let frame = match serde_json::from_str::<Object<Frame<'_>>>(data) {
            Ok(Object(Some(frame))) => frame,
            Ok(Object(None)) => {
                self.unknown += 1;
                return;
            }
            Err(_) => return self.fail(Some(failure::unreadable(data)), out),
        };
        let kind = frame.kind.filled().unwrap_or(name);
        let error = frame.error.and_then(|error| failure::read(error.get()));
        if kind == "error" || (kind.is_empty() && error.is_some()) {
            return self.fail(error.or_else(|| failure::read(data)), out);
        }
        if let Err(trouble) = self.frame(kind, &frame, out) {
            self.fail(Some(failure::broken(&trouble)), out);
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if !self.over {
            self.fail(Some(failure::unfinished()), out);
        }
    }

    fn unknown(&self) -> u64 {
        self.unknown
    }
}
