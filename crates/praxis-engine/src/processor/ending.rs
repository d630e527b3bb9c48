//! The end of a turn: everything settles, and what it came to is written down.

use std::path::Path;

use praxis_llm::cost::Money;
use praxis_llm::failure::{Class, Failure as Refused};
use praxis_llm::turn::Summary;
use praxis_llm::{FinishReason, Metadata};
use praxis_proto::{Failure, PartBody, PatchPart, StepFinishPart, ToolPart, ToolState};
use praxis_store::StoreError;
use serde_json::{Map, Value};

use super::call::{ABORTED, Ended, STRUCTURED_TOOL};
use super::{Processor, Step};
use crate::doom::{Doom, Verdict};
use crate::failures;

/// What a call hears in whose arguments the answer reached its length limit.
const CUT_SHORT: &str = "The answer reached its length limit in the middle of this call's arguments, so nothing was done. \
    Make the call again with less in it, for example in several smaller pieces.";

impl Processor {
    /// Waits for the calls and closes whatever is open, however the answer ended.
    pub(super) async fn settle(mut self, heard: Result<Summary, Refused>) -> Result<Step, StoreError> {
        self.close_open().await?;
        let mut step = Outcomes::default();
        let mut settled = Vec::with_capacity(self.calls.len());
        while let Some(joined) = self.calls.join_next().await {
            // A call catches its own panics and settles its own part.
            let Ok(joined) = joined else { continue };
            match joined {
                Ok(ended) => settled.push(ended),
                Err(trouble) => drop(self.trouble.get_or_insert(trouble)),
            }
        }
        // Whichever ended first, what counts is which was made first.
        settled.sort_unstable_by_key(|ended| ended.index);
        for ended in settled {
            step.take(&ended);
            self.parts[ended.index] = Some(ended.part);
        }
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let cut_short = matches!(&heard, Ok(summary) if summary.finish_reason == FinishReason::Length);
        match cut_short {
            true => self.fail_pending(&mut step).await?,
            false => self.interrupt_pending().await?,
        }
        let broke_off = self.conclude(heard, &mut step).await?;
        self.message.time.completed = Some(self.record.now());
        self.record.answer(&self.message).await?;
        Ok(Step {
            parts: self.parts.into_iter().flatten().collect(),
            message: self.message,
            cost: step.cost,
            called: self.called > 0,
            last: self.bench.last,
            blocked: step.blocked,
            stuck: step.stuck,
            structured: step.structured,
            misfits: step.misfits,
            broke_off,
        })
    }

    /// Writes the end of the step, or why it has none.
    async fn conclude(
        &mut self,
        heard: Result<Summary, Refused>,
        step: &mut Outcomes,
    ) -> Result<Option<Refused>, StoreError> {
        let refused = match heard {
            Ok(summary) => {
                self.finish(&summary, step).await?;
                None
            }
            Err(refused) => Some(refused),
        };
        self.record_changes().await?;
        let Some(refused) = refused else { return Ok(None) };
        if refused.class != Class::Cancelled && refused.retryable && self.called > 0 {
            // What has run is not thrown away with the answer: the next request tells its results.
            self.message.finish = Some(finish_name(FinishReason::ToolCalls).to_owned());
            return Ok(Some(refused));
        }
        let failure = match refused.class {
            Class::Cancelled => Failure::aborted(self.bench.why_cancelled()),
            _ => failures::stored(&refused),
        };
        if refused.class == Class::Overflow {
            self.message.finish = Some(finish_name(FinishReason::Error).to_owned());
        }
        self.fail(failure);
        Ok(None)
    }

    async fn finish(&mut self, summary: &Summary, step: &mut Outcomes) -> Result<(), StoreError> {
        let (tokens, cost) = self.bench.answerer.bill(&summary.usage);
        // Some providers say that they have stopped when they wait for results.
        let reason = match summary.finish_reason {
            FinishReason::Stop | FinishReason::Unknown | FinishReason::Other if self.called > 0 => {
                FinishReason::ToolCalls
            }
            reason => reason,
        };
        let reason = finish_name(reason).to_owned();
        let snapshot = self.bench.snapshots.take().await;
        let body = StepFinishPart {
            reason: reason.clone(),
            snapshot,
            cost: cost.dollars(),
            tokens,
            extra: Map::new(),
        };
        self.add(PartBody::StepFinish(body)).await?;
        step.cost = cost;
        self.message.cost += cost.dollars();
        self.message.tokens = tokens;
        self.message.finish = Some(reason);
        if summary.finish_reason == FinishReason::ContentFilter {
            let message = "the provider withheld the answer; ask in another way".to_owned();
            self.fail(Failure::ContentFilter { message });
        }
        if summary.finish_reason == FinishReason::Error && self.called == 0 {
            let message = "the provider ended the answer with an error and did not say which; try again, or use another model"
                .to_owned();
            self.fail(Failure::Unknown { message, reference: None });
        }
        if self.bench.stop.token.is_cancelled() {
            self.fail(Failure::aborted(self.bench.why_cancelled()));
        }
        Ok(())
    }

    fn fail(&mut self, failure: Failure) {
        if self.message.error.is_none() {
            self.record.failed(&failure);
            self.message.error = Some(failure);
        }
    }

    async fn record_changes(&mut self) -> Result<(), StoreError> {
        let Some(hash) = self.snapshot.take() else { return Ok(()) };
        let changed = self.bench.snapshots.changed(&hash).await;
        if changed.is_empty() {
            return Ok(());
        }
        let name = |path: &Path| path.to_string_lossy().into_owned();
        let files = changed.iter().map(|path| name(path)).collect();
        self.add(PartBody::Patch(PatchPart { hash, files, extra: Map::new() })).await
    }

    /// Ends texts and thoughts that the stream left open; what there is of them is kept.
    async fn close_open(&mut self) -> Result<(), StoreError> {
        let mut open: Vec<String> = self.open.keys().cloned().collect();
        open.sort_unstable();
        for id in open {
            self.end(&id, Metadata::default()).await?;
        }
        Ok(())
    }

    /// Fails calls in whose arguments the answer reached its length limit. The model waits for their results like for
    /// any other, and can make them smaller.
    async fn fail_pending(&mut self, step: &mut Outcomes) -> Result<(), StoreError> {
        let now = self.record.now();
        for index in self.take_pending() {
            let Some(part) = self.parts[index].as_mut() else { continue };
            if let PartBody::Tool(tool) = &mut part.body {
                cut_short(tool, now);
                step.cut_short(&tool.tool, &self.bench.doom);
            }
            self.called += 1;
            self.record.part(part).await?;
        }
        Ok(())
    }

    fn take_pending(&mut self) -> Vec<usize> {
        let mut pending: Vec<usize> = std::mem::take(&mut self.pending).into_values().collect();
        pending.sort_unstable();
        pending
    }

    /// Closes calls whose arguments never became whole.
    async fn interrupt_pending(&mut self) -> Result<(), StoreError> {
        let now = self.record.now();
        for index in self.take_pending() {
            let Some(part) = self.parts[index].as_mut() else { continue };
            if let PartBody::Tool(tool) = &mut part.body {
                tool.interrupt(ABORTED, now);
            }
            self.record.part(part).await?;
        }
        Ok(())
    }
}

/// What the calls of a step come to together.
#[derive(Default)]
struct Outcomes {
    cost: Money,
    blocked: bool,
    stuck: Option<String>,
    structured: Option<Value>,
    misfits: Vec<String>,
}

impl Outcomes {
    fn take(&mut self, settled: &Ended) {
        self.blocked |= settled.blocked;
        self.stuck = self.stuck.take().or_else(|| settled.stuck.clone());
        self.structured = self.structured.take().or_else(|| settled.structured.clone());
        self.misfits.extend(settled.misfit.clone());
    }

    /// A call that never became whole. A model that cannot keep it short is not asked for ever.
    fn cut_short(&mut self, tool: &str, doom: &Doom) {
        if tool == STRUCTURED_TOOL {
            return self.misfits.push("the answer reached its length limit before it was whole".to_owned());
        }
        let (ticket, verdict) = doom.enter(tool, &Value::Null);
        doom.leave(ticket, Some(CUT_SHORT));
        if verdict != Verdict::Fresh {
            self.stuck = self.stuck.take().or_else(|| Some(tool.to_owned()));
        }
    }
}

/// Fails a call that never became whole; what there is of its arguments stays readable in the metadata.
fn cut_short(tool: &mut ToolPart, now: u64) {
    let raw = match tool.state() {
        ToolState::Pending(pending) => pending.raw.clone(),
        _ => return,
    };
    tool.start(Value::Object(Map::new()), now);
    if !raw.is_empty() {
        tool.progress(None, Map::from_iter([("raw".to_owned(), Value::from(raw))]));
    }
    tool.fail(CUT_SHORT, now);
}

/// How sessions spell why an answer ended.
fn finish_name(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool-calls",
        FinishReason::ContentFilter => "content-filter",
        FinishReason::Error => "error",
        FinishReason::Other => "other",
        FinishReason::Unknown => "unknown",
    }
}
