//! One turn of a model written down: its events become parts, its calls run beside the stream, and then all settle.

mod call;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use praxis_llm::cost::Money;
use praxis_llm::failure::{Class, Failure as Refused};
use praxis_llm::turn::{Heard, Listener, Status, Summary};
use praxis_llm::{Event, FinishReason, Metadata, Request};
use praxis_proto::{
    AssistantMessage, CallId, Failure, Part, PartBody, PatchPart, ReasoningPart, SessionStatus, Span,
    StepFinishPart, StepStartPart, TextPart, ToolPart,
};
use praxis_store::StoreError;
use serde_json::{Map, Value};
use tokio::task::JoinSet;

pub(crate) use call::{Bench, STRUCTURED_TOOL};
use call::{Call, Settled};

use crate::failures;
use crate::hooks::TextPlace;
use crate::record::Record;

/// Calls of one turn; a model that makes more is told so.
pub(crate) const MOST_CALLS: usize = 256;

/// What a step came to.
pub(crate) struct Step {
    /// The message, complete and stored.
    pub(crate) message: AssistantMessage,
    /// Its parts, in order and settled.
    pub(crate) parts: Vec<Part>,
    /// What it cost.
    pub(crate) cost: Money,
    /// Whether the model waits for results of ours.
    pub(crate) called: bool,
    /// The user said no, and nothing more.
    pub(crate) blocked: bool,
    /// The tool that was called again and again to no avail.
    pub(crate) stuck: Option<String>,
    /// The structured answer.
    pub(crate) structured: Option<Value>,
    /// Structured answers that did not fit, and why the last did not.
    pub(crate) misfits: Vec<String>,
    /// The answer broke off behind calls that have run; it can go on from their results.
    pub(crate) broke_off: Option<Refused>,
}

/// Writes one turn down.
pub(crate) struct Processor {
    record: Record,
    bench: Arc<Bench>,
    message: AssistantMessage,
    /// In order; those of calls that run are with their calls.
    parts: Vec<Option<Part>>,
    /// Texts and thoughts that grow, by their ids in the stream.
    open: HashMap<String, usize>,
    /// Calls whose arguments arrive, by their ids.
    pending: HashMap<String, usize>,
    calls: JoinSet<Settled>,
    called: usize,
    snapshot: Option<String>,
    waiting: bool,
    trouble: Option<StoreError>,
}

impl Processor {
    /// Begins an answer whose message is stored already.
    pub(crate) async fn begin(record: Record, bench: Arc<Bench>, message: AssistantMessage) -> Self {
        // Before the request, for a call may run before the first event is seen.
        let snapshot = bench.snapshots.take().await;
        Self {
            record,
            bench,
            message,
            parts: Vec::new(),
            open: HashMap::new(),
            pending: HashMap::new(),
            calls: JoinSet::new(),
            called: 0,
            snapshot,
            waiting: false,
            trouble: None,
        }
    }

    /// Asks, writes down what comes, and settles everything, however it ends.
    pub(crate) async fn run(
        mut self,
        chain: &praxis_llm::turn::Chain,
        request: &Request,
    ) -> Result<Step, StoreError> {
        let cancel = self.bench.stop.token.clone();
        let heard = chain.stream(request, &mut self, &cancel).await;
        if let Some(trouble) = self.trouble.take() {
            self.bench.stop.token.cancel();
            while self.calls.join_next().await.is_some() {}
            return Err(trouble);
        }
        self.settle(heard).await
    }

    async fn settle(mut self, heard: Result<Summary, Refused>) -> Result<Step, StoreError> {
        self.close_open().await?;
        let mut step = Outcomes::default();
        while let Some(joined) = self.calls.join_next().await {
            // A call catches its own panics and settles its own part.
            let Ok(settled) = joined else { continue };
            match settled {
                Ok(ended) => {
                    step.take(&ended);
                    self.parts[ended.index] = Some(ended.part);
                }
                Err(trouble) => drop(self.trouble.get_or_insert(trouble)),
            }
        }
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        self.interrupt_pending().await?;
        let broke_off = self.conclude(heard, &mut step).await?;
        self.message.time.completed = Some(self.record.now());
        self.record.answer(&self.message).await?;
        Ok(Step {
            parts: self.parts.into_iter().flatten().collect(),
            message: self.message,
            cost: step.cost,
            called: self.called > 0,
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

    /// Closes calls whose arguments never became whole.
    async fn interrupt_pending(&mut self) -> Result<(), StoreError> {
        let now = self.record.now();
        let mut pending: Vec<usize> = std::mem::take(&mut self.pending).into_values().collect();
        pending.sort_unstable();
        for index in pending {
            let Some(part) = self.parts[index].as_mut() else { continue };
            if let PartBody::Tool(tool) = &mut part.body {
                tool.interrupt(call::ABORTED, now);
            }
            self.record.part(part).await?;
        }
        Ok(())
    }

    async fn add(&mut self, body: PartBody) -> Result<(), StoreError> {
        let part = self.part(body);
        self.record.part(&part).await?;
        self.parts.push(Some(part));
        Ok(())
    }

    fn part(&self, body: PartBody) -> Part {
        Part {
            id: self.record.mint.part(),
            session: self.message.session.clone(),
            message: self.message.id.clone(),
            body,
        }
    }

    async fn event(&mut self, event: Event) -> Result<(), StoreError> {
        if self.parts.is_empty() {
            let body = StepStartPart { snapshot: self.snapshot.clone(), extra: Map::new() };
            self.add(PartBody::StepStart(body)).await?;
        }
        match event {
            Event::TextStart { id, metadata } => {
                let time = Some(Span { start: self.record.now(), end: None });
                let text = TextPart { time, metadata: given(metadata), ..TextPart::default() };
                self.start(id, PartBody::Text(text)).await
            }
            Event::ReasoningStart { id, metadata } => {
                let time = Span { start: self.record.now(), end: None };
                let thought = ReasoningPart { time, metadata: given(metadata), ..ReasoningPart::default() };
                self.start(id, PartBody::Reasoning(thought)).await
            }
            Event::TextDelta { id, delta } | Event::ReasoningDelta { id, delta } => {
                self.grow(&id, delta).await
            }
            Event::TextEnd { id, metadata } | Event::ReasoningEnd { id, metadata } => {
                self.end(&id, metadata).await
            }
            Event::ToolInputStart { id, tool_name } => self.await_call(id, tool_name).await,
            Event::ToolInputDelta { id, delta } => self.arguments(&id, &delta).await,
            Event::ToolInputEnd { .. } => Ok(()),
            Event::ToolCall { tool_call_id, tool_name, input, metadata } => {
                self.call(tool_call_id, tool_name, input, metadata).await
            }
            // The stream's summary says both.
            Event::FinishStep { .. } | Event::Error { .. } => Ok(()),
        }
    }

    async fn start(&mut self, id: String, body: PartBody) -> Result<(), StoreError> {
        if self.open.contains_key(&id) {
            return Ok(());
        }
        self.add(body).await?;
        self.open.insert(id, self.parts.len() - 1);
        Ok(())
    }

    async fn grow(&mut self, id: &str, delta: String) -> Result<(), StoreError> {
        let Some(part) = self.open.get(id).and_then(|index| self.parts[*index].as_mut()) else {
            return Ok(());
        };
        match &mut part.body {
            PartBody::Text(text) => text.text.push_str(&delta),
            PartBody::Reasoning(thought) => thought.text.push_str(&delta),
            _ => return Ok(()),
        }
        self.record.grown(part, delta).await
    }

    async fn end(&mut self, id: &str, metadata: Metadata) -> Result<(), StoreError> {
        let Some(index) = self.open.remove(id) else { return Ok(()) };
        let Some(mut part) = self.parts[index].take() else { return Ok(()) };
        let end = Some(self.record.now());
        match &mut part.body {
            PartBody::Text(text) => {
                text.time = text.time.map(|time| Span { end, ..time });
                text.metadata = given(metadata).or_else(|| text.metadata.take());
                let place = TextPlace { session: &part.session, message: &part.message, part: &part.id };
                for hook in &self.bench.hooks {
                    hook.text(place, &mut text.text).await;
                }
            }
            PartBody::Reasoning(thought) => {
                thought.time.end = end;
                thought.metadata = given(metadata).or_else(|| thought.metadata.take());
            }
            _ => {}
        }
        let stored = self.record.part(&part).await;
        self.parts[index] = Some(part);
        stored
    }

    async fn await_call(&mut self, id: String, tool: String) -> Result<(), StoreError> {
        if self.pending.contains_key(&id) {
            return Ok(());
        }
        self.add(PartBody::Tool(ToolPart::new(CallId::from_raw(id.clone()), tool))).await?;
        self.pending.insert(id, self.parts.len() - 1);
        Ok(())
    }

    async fn arguments(&mut self, id: &str, delta: &str) -> Result<(), StoreError> {
        let Some(part) = self.pending.get(id).and_then(|index| self.parts[*index].as_mut()) else {
            return Ok(());
        };
        if let PartBody::Tool(tool) = &mut part.body
            && tool.arguments(delta)
        {
            return self.record.arguments(&part.id, delta).await;
        }
        Ok(())
    }

    /// The arguments are whole: the call begins while the stream goes on.
    async fn call(
        &mut self,
        id: String,
        tool: String,
        input: Value,
        metadata: Metadata,
    ) -> Result<(), StoreError> {
        self.await_call(id.clone(), tool.clone()).await?;
        let Some(index) = self.pending.remove(&id) else { return Ok(()) };
        let Some(mut part) = self.parts[index].take() else { return Ok(()) };
        if let PartBody::Tool(call) = &mut part.body {
            call.tool = self.bench.name_of(&tool);
            call.metadata = given(metadata);
            call.start(input.clone(), self.record.now());
        }
        // Before it runs, so that a crash leaves word of it.
        self.record.part(&part).await?;
        self.called += 1;
        let over = self.called > MOST_CALLS;
        let call = Call {
            index,
            part,
            tool,
            input,
            over,
            record: self.record.clone(),
            bench: Arc::clone(&self.bench),
        };
        self.calls.spawn(call.run());
        Ok(())
    }

    /// The answer begins anew: what was heard of it is void. No call was among it.
    async fn restart(&mut self) -> Result<(), StoreError> {
        self.open.clear();
        self.pending.clear();
        for part in self.parts.drain(..).flatten() {
            self.record.remove(&part).await?;
        }
        Ok(())
    }

    async fn status(&mut self, status: Status) -> Result<(), StoreError> {
        match status {
            Status::Waiting { attempt, message, next } => {
                let next = next.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                let next = u64::try_from(next.as_millis()).unwrap_or(u64::MAX);
                self.waiting = true;
                self.bench.status(
                    &self.record,
                    SessionStatus::Retry { attempt: attempt.into(), message, action: None, next },
                );
            }
            Status::Restarted => self.restart().await?,
            Status::Switched { from, to, why, .. } => {
                tracing::warn!(from, to, why, "another model takes the turn")
            }
            Status::Warning(warning) => tracing::warn!(warning, "a request was changed"),
        }
        Ok(())
    }
}

impl Listener for Processor {
    async fn hear(&mut self, heard: Heard) -> ControlFlow<()> {
        let taken = match heard {
            Heard::Event(event) => {
                if std::mem::take(&mut self.waiting) {
                    self.bench.status(&self.record, SessionStatus::Busy);
                }
                self.event(event).await
            }
            Heard::Status(status) => self.status(status).await,
        };
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(trouble) => {
                self.trouble = Some(trouble);
                ControlFlow::Break(())
            }
        }
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
    fn take(&mut self, settled: &call::Ended) {
        self.blocked |= settled.blocked;
        self.stuck = self.stuck.take().or_else(|| settled.stuck.clone());
        self.structured = self.structured.take().or_else(|| settled.structured.clone());
        self.misfits.extend(settled.misfit.clone());
    }
}

fn given(metadata: Metadata) -> Option<Map<String, Value>> {
    (!metadata.is_empty()).then_some(metadata.0)
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
