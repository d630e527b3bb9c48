//! One turn of a model written down: its events become parts, its calls run beside the stream, and then all settle.

mod bench;
mod call;
mod ending;
mod growing;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use praxis_llm::cost::Money;
use praxis_llm::failure::Failure as Refused;
use praxis_llm::turn::{Chain, Heard, Listener, Status, Told};
use praxis_llm::{Event, Request};
use praxis_proto::{
    AssistantMessage, Part, PartBody, ReasoningPart, SessionStatus, Span, StepStartPart, TextPart,
};
use praxis_store::StoreError;
use serde_json::{Map, Value};
use tokio::task::JoinSet;

pub(crate) use bench::Bench;
pub(crate) use call::STRUCTURED_TOOL;

use self::call::Settled;
use self::growing::given;
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
    /// Whether it was offered no tools.
    pub(crate) last: bool,
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
    /// Calls that have begun, by the ids the provider gave them.
    begun: HashMap<String, u64>,
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
        let snapshot = tokio::select! {
            biased;
            () = bench.stop.token.cancelled() => None,
            snapshot = bench.snapshots.take() => snapshot,
        };
        Self {
            record,
            bench,
            message,
            parts: Vec::new(),
            open: HashMap::new(),
            pending: HashMap::new(),
            begun: HashMap::new(),
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
        chain: &Chain,
        told: &mut Told,
        request: &Request,
    ) -> Result<Step, StoreError> {
        let cancel = self.bench.stop.token.clone();
        let heard = chain.go_on(told, request, &mut self, &cancel).await;
        if let Some(trouble) = self.trouble.take() {
            self.bench.stop.token.cancel();
            while self.calls.join_next().await.is_some() {}
            return Err(trouble);
        }
        self.settle(heard).await
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
