//! One call of a turn, from whole arguments to a settled part. It owns its part while it runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use praxis_proto::{Action, FilePart, MessageId, Part, PartBody, ToolPart};
use praxis_store::StoreError;
use praxis_tools::registry::Done;
use praxis_tools::schema::Shape;
use praxis_tools::{Ask, Attachment, Cx, CxParts, Report, ToolError, fit_pictures};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use super::bench::Bench;
use crate::doom::Verdict;
use crate::record::Record;

/// What a call that was cut off says.
pub(super) const ABORTED: &str = "Tool execution aborted";
/// The tool a model answers with when its answer must fit a schema.
pub(crate) const STRUCTURED_TOOL: &str = "StructuredOutput";
/// How long a cancelled call may take to settle. The tool layer gives it 250 ms of that to wind up.
const SETTLE: Duration = Duration::from_millis(500);
/// The shortest time between two stored states of a running call; clients hear more often.
const STORE_PACE: Duration = Duration::from_secs(1);

/// A call that is about to run.
pub(super) struct Call {
    pub(super) index: usize,
    pub(super) part: Part,
    /// The tool that is meant; what nobody understands is as the model gave it.
    pub(super) tool: String,
    pub(super) input: Value,
    /// One more than a turn may have.
    pub(super) over: bool,
    pub(super) record: Record,
    pub(super) bench: Arc<Bench>,
}

/// A call that has settled, or what kept it from being stored.
pub(super) type Settled = Result<Ended, StoreError>;

/// A call that has settled.
pub(super) struct Ended {
    pub(super) index: usize,
    pub(super) part: Part,
    pub(super) blocked: bool,
    pub(super) stuck: Option<String>,
    pub(super) structured: Option<Value>,
    pub(super) misfit: Option<String>,
}

/// What came of the work itself.
enum Came {
    Report(Report),
    Failed {
        error: ToolError,
        told: Map<String, Value>,
    },
    /// No tool of that name: what it was rerouted to.
    Invalid {
        done: Done,
    },
    Refused(String),
    Stuck(String),
    Structured(Value),
    Misfit(String),
    Cancelled,
}

impl Call {
    pub(super) async fn run(mut self) -> Settled {
        let came = self.work().await;
        let mut ended = Ended {
            index: self.index,
            blocked: false,
            stuck: None,
            structured: None,
            misfit: None,
            part: self.part,
        };
        settle(&mut ended, came, &self.bench, &self.record);
        self.record.part(&ended.part).await?;
        Ok(ended)
    }

    async fn work(&mut self) -> Came {
        if let Some(shape) = self.bench.shape.clone().filter(|_| self.tool == STRUCTURED_TOOL) {
            return structured(&shape, self.input.take());
        }
        if self.bench.last {
            return Came::Refused("This step offers no tools: answer in text now.".to_owned());
        }
        if self.over {
            let most = super::MOST_CALLS;
            return Came::Refused(format!("A turn may make {most} calls; make this one in the next turn."));
        }
        let (ticket, verdict) = self.bench.doom.enter(&self.tool, &self.input);
        let came = match self.gate(verdict).await {
            Some(stopped) => stopped,
            None => self.call().await,
        };
        let result = match &came {
            Came::Report(report) => Some(report.output.clone()),
            Came::Failed { error, .. } => Some(error.to_string()),
            Came::Invalid { .. } => Some(String::new()),
            Came::Refused(_) | Came::Stuck(_) | Came::Structured(_) | Came::Misfit(_) | Came::Cancelled => {
                None
            }
        };
        self.bench.doom.leave(ticket, result.as_deref());
        came
    }

    /// Stops a call that leads nowhere, or asks about it.
    async fn gate(&self, verdict: Verdict) -> Option<Came> {
        let explained = |what: &str| {
            format!(
                "The same call of `{}` was made again and again{what}. Try something else, or say what is missing.",
                self.tool
            )
        };
        match verdict {
            Verdict::Fresh => None,
            Verdict::Stop if !self.is_allowed_to_repeat() => {
                Some(Came::Stuck(explained(" with the same result")))
            }
            Verdict::Ask | Verdict::Stop => {
                let ask = Ask::new("doom_loop", self.tool.as_str())
                    .always([self.tool.clone()])
                    .with("tool", self.tool.as_str())
                    .with("input", self.input.clone());
                match self.cx().ask(ask).await {
                    Ok(_) => None,
                    Err(ToolError::Cancelled) => Some(Came::Cancelled),
                    Err(error) if error.stops_the_run() => Some(Came::Failed { error, told: Map::new() }),
                    Err(error) => Some(Came::Refused(format!("{} ({error})", explained("")))),
                }
            }
        }
    }

    /// Whether a rule says that repeating this tool is meant.
    fn is_allowed_to_repeat(&self) -> bool {
        let grants = self.bench.cx.permissions.grants();
        self.bench.authority().decide("doom_loop", &self.tool, &grants).action == Action::Allow
    }

    fn cx(&self) -> Cx {
        let call = match &self.part.body {
            PartBody::Tool(tool) => tool.call.clone(),
            _ => self.bench.cx.call.clone(),
        };
        Cx::new(CxParts {
            message: self.part.message.clone(),
            call,
            cancel: self.bench.stop.token.clone(),
            ..self.bench.cx.clone()
        })
    }

    /// Calls the tool, and tells how far it is until it ends or has to be left.
    async fn call(&mut self) -> Came {
        let bench = Arc::clone(&self.bench);
        let cancel = &bench.stop.token;
        let _permit = tokio::select! {
            biased;
            () = cancel.cancelled() => return Came::Cancelled,
            permit = bench.lanes.enter(&self.tool) => permit,
        };
        let (sender, mut progress) = watch::channel((None, Map::new()));
        let cx = self.cx().observed(Arc::new(move |title: Option<&str>, metadata: &Map<String, Value>| {
            sender.send_replace((title.map(str::to_owned), metadata.clone()));
        }));
        // On a task of its own: an extension that panics ends that task alone.
        let mut calling = JoinSet::new();
        let (offer, tool, input) = (bench.offer.clone(), self.tool.clone(), self.input.take());
        let images = bench.images;
        calling.spawn(async move {
            let mut done = offer.call(&tool, input, &cx).await;
            done.outcome = match done.outcome {
                Ok(report) => Ok(fit_pictures(report, images).await),
                failed => failed,
            };
            done
        });
        let late = async {
            cancel.cancelled().await;
            tokio::time::sleep(SETTLE).await;
        };
        tokio::pin!(late);
        let mut stored = Instant::now();
        loop {
            tokio::select! {
                biased;
                Some(joined) = calling.join_next() => return self.came(joined),
                () = &mut late => return Came::Cancelled,
                Ok(()) = progress.changed() => {
                    let (title, metadata) = progress.borrow_and_update().clone();
                    self.tell(title, metadata, &mut stored).await;
                }
            }
        }
    }

    fn came(&self, joined: Result<Done, JoinError>) -> Came {
        let done = match joined {
            Ok(done) => done,
            Err(_) => {
                let message = "an extension of the call panicked".to_owned();
                let error = ToolError::Crashed { tool: self.tool.clone(), message };
                return Came::Failed { error, told: Map::new() };
            }
        };
        match done.outcome {
            Ok(report) if done.tool != praxis_tools::builtin::INVALID => Came::Report(report),
            Ok(_) => Came::Invalid { done },
            Err(ToolError::Cancelled) => Came::Cancelled,
            Err(error) => Came::Failed { error, told: done.progress },
        }
    }

    async fn tell(&mut self, title: Option<String>, metadata: Map<String, Value>, stored: &mut Instant) {
        let PartBody::Tool(tool) = &mut self.part.body else { return };
        if !tool.progress(title, metadata) {
            return;
        }
        if stored.elapsed() < STORE_PACE {
            return self.record.show(&self.part);
        }
        *stored = Instant::now();
        // Progress that cannot be stored is told again with the result, which must be.
        if let Err(error) = self.record.part(&self.part).await {
            tracing::warn!(%error, "the progress of a call could not be stored");
        }
    }
}

/// Checks a structured answer.
fn structured(shape: &Shape, mut answer: Value) -> Came {
    match shape.fit(&mut answer) {
        Ok(()) => Came::Structured(answer),
        Err(faults) => {
            let told = faults.iter().take(8).map(|fault| match fault.path.as_str() {
                "" => fault.problem.clone(),
                path => format!("{} at {path}", fault.problem),
            });
            Came::Misfit(told.collect::<Vec<_>>().join("; "))
        }
    }
}

fn settle(ended: &mut Ended, came: Came, bench: &Bench, record: &Record) {
    let now = record.now();
    let message = ended.part.message.clone();
    let PartBody::Tool(tool) = &mut ended.part.body else { return };
    match came {
        Came::Report(report) => complete(tool, report, &message, record, now),
        Came::Invalid { done } => {
            tool.tool = done.tool;
            tool.start(done.arguments, now);
            if let Ok(report) = done.outcome {
                complete(tool, report, &message, record, now);
            }
        }
        Came::Failed { error, told } => {
            ended.blocked = error.stops_the_run() && !bench.continues;
            if !told.is_empty() {
                tool.progress(None, told);
            }
            tool.fail(error.to_string(), now);
        }
        Came::Refused(why) => drop(tool.fail(why, now)),
        Came::Stuck(why) => {
            ended.stuck = Some(tool.tool.clone());
            tool.fail(why, now);
        }
        Came::Structured(answer) => {
            let report = Report::new("Structured output", "The answer was taken.").with("valid", true);
            complete(tool, report, &message, record, now);
            ended.structured = Some(answer);
        }
        Came::Misfit(why) => {
            tool.fail(
                format!("The answer does not fit the schema: {why}. Call `{STRUCTURED_TOOL}` again."),
                now,
            );
            ended.misfit = Some(why);
        }
        Came::Cancelled => drop(tool.interrupt(ABORTED, now)),
    }
}

fn complete(tool: &mut ToolPart, mut report: Report, message: &MessageId, record: &Record, now: u64) {
    let files = std::mem::take(&mut report.attachments);
    let attachments = files.into_iter().map(|file| attached(file, message, record)).collect();
    tool.complete(report, attachments, now);
}

fn attached(file: Attachment, message: &MessageId, record: &Record) -> Part {
    let Attachment { mime, url, filename, .. } = file;
    Part {
        id: record.mint.part(),
        session: record.session().clone(),
        message: message.clone(),
        body: PartBody::File(FilePart { mime, url, filename, ..FilePart::default() }),
    }
}
