//! A model that can be asked, and one attempt at it.

use std::ops::ControlFlow;
use std::sync::Arc;

use praxis_os::HttpStreams;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::exchange::Sender;
use super::filter::Filter;
use super::listener::{Heard, Listener, Status};
use super::told::Told;
use super::url::join;
use crate::failure::{Failure, Redactor, Refusal};
use crate::provider::{Resolved, WireKind};
use crate::script::{Act, Fault, Played, Player, RetryAfter};
use crate::stream::Reader;
use crate::wire::{Anthropic, Chat, Gemini, Responses, Wire};
use crate::{Event, FinishReason, Headers, Request, Secret, Usage};

/// What we call ourselves.
const USER_AGENT: &str = concat!("praxis/", env!("CARGO_PKG_VERSION"));
/// A header whose values are collected and not replaced.
const COLLECTED: &str = "anthropic-beta";

/// A model that can be asked. Cheap to clone.
#[derive(Clone)]
pub struct Model(Kind);

#[derive(Clone)]
enum Kind {
    Served(Served),
    Scripted { player: Arc<Player>, agent: Option<String> },
}

/// Where a model is asked over HTTP.
#[derive(Clone)]
struct Served {
    resolved: Arc<Resolved>,
    http: HttpStreams,
    /// Headers beyond the configured ones.
    more: Headers,
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Who answered, as provider/model.
    pub model: String,
    /// Why it ended.
    pub finish_reason: FinishReason,
    /// What it cost.
    pub usage: Usage,
}

/// What one attempt has handed out so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// Anything at all.
    pub(super) any: bool,
    /// A call, whose tool may have started.
    pub(super) call: bool,
}

/// Whom one attempt talks to.
struct Audience<'a, L> {
    listener: &'a mut L,
    given: &'a mut Given,
    cancel: &'a CancellationToken,
    provider: &'a str,
}

impl<L: Listener> Audience<'_, L> {
    /// Waits for something, unless the token ends the wait. Hearing is no such wait: what a listener has begun to take,
    /// it takes to the end, or half of an event would be written down.
    async fn unless_cancelled<T>(&self, wait: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Failure::cancelled(self.provider)),
            done = wait => Ok(done),
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Model").field(&self.name()).finish()
    }
}

impl Model {
    /// A model behind HTTP. The client is shared: its connections are kept for the next request.
    pub fn new(resolved: Resolved, http: &HttpStreams) -> Self {
        Self(Kind::Served(Served {
            resolved: Arc::new(resolved),
            http: http.clone(),
            more: Headers::default(),
        }))
    }

    /// A model that plays a script, without HTTP.
    pub fn scripted(player: Arc<Player>) -> Self {
        Self(Kind::Scripted { player, agent: None })
    }

    /// The same for an agent, which the conditions of a script may look at.
    #[must_use]
    pub fn for_agent(self, name: &str) -> Self {
        match self.0 {
            Kind::Scripted { player, .. } => Self(Kind::Scripted { player, agent: Some(name.to_owned()) }),
            Kind::Served(_) => self,
        }
    }

    /// The same with one more header in every request; it wins over the others.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: Secret) -> Self {
        if let Kind::Served(Served { more, .. }) = &mut self.0 {
            more.set(name, value);
        }
        self
    }

    /// Its name, as provider/model.
    pub fn name(&self) -> String {
        match &self.0 {
            Kind::Served(Served { resolved, .. }) => format!("{}/{}", self.provider(), resolved.target.model),
            Kind::Scripted { .. } => "scripted/scripted".to_owned(),
        }
    }

    /// The provider's id.
    pub fn provider(&self) -> &str {
        match &self.0 {
            Kind::Served(Served { resolved, .. }) => &resolved.target.provider,
            Kind::Scripted { .. } => "scripted",
        }
    }

    /// Asks once, without a retry. Dropping the future closes the connection, as the token does.
    pub async fn stream(
        &self,
        request: &Request,
        listener: &mut impl Listener,
        cancel: &CancellationToken,
    ) -> Result<Summary, Failure> {
        self.attempt(&mut Told::default(), request, listener, cancel, &mut Given::default()).await
    }

    pub(super) fn suits(&self, told: &Told, options: &Map<String, Value>) -> bool {
        match &self.0 {
            Kind::Served(Served { resolved, .. }) => {
                told.suits(resolved.endpoint.wire, &resolved.target, options)
            }
            Kind::Scripted { .. } => told.suits_script(),
        }
    }

    pub(super) async fn attempt(
        &self,
        told: &mut Told,
        request: &Request,
        listener: &mut impl Listener,
        cancel: &CancellationToken,
        given: &mut Given,
    ) -> Result<Summary, Failure> {
        let audience = Audience { listener, given, cancel, provider: self.provider() };
        match &self.0 {
            Kind::Served(served) => self.serve(served, told, request, audience).await,
            Kind::Scripted { player, agent } => {
                let seen = told.seen(request, agent.as_deref()).ok_or_else(|| self.of_another())?;
                let played = player.turn(&seen);
                drop(seen);
                self.play(&played, audience).await
            }
        }
    }

    async fn serve(
        &self,
        served: &Served,
        told: &mut Told,
        request: &Request,
        mut audience: Audience<'_, impl Listener>,
    ) -> Result<Summary, Failure> {
        let Served { resolved, http, more } = served;
        let endpoint = &resolved.endpoint;
        let lowered = told.lower(endpoint.wire, &resolved.target, request);
        let mut lowered = lowered.ok_or_else(|| self.of_another())?;
        for warning in std::mem::take(&mut lowered.warnings) {
            self.tell(audience.listener, Heard::Status(Status::Warning(warning))).await?;
        }
        let redactor = Redactor::of(endpoint.headers.iter().chain(more.iter()).map(|(_, value)| value));
        let headers = headers(&lowered.headers, &endpoint.headers, more);
        let sender = Sender { http, provider: self.provider(), redactor: &redactor };
        let url = join(&endpoint.base_url, &lowered.path);
        let posted = sender.post(url, headers, lowered.into_pieces(), endpoint.timeouts);
        let mut exchange = audience.unless_cancelled(posted).await??;

        let mut reader = Reader::new(wire(endpoint.wire).raise());
        let mut filter = Filter::new(resolved, told.has_native_calls(request), request);
        let mut events = Vec::new();
        while !reader.is_done() {
            match audience.unless_cancelled(exchange.next()).await? {
                Ok(Some(piece)) => reader.push(piece.as_ref(), &mut events),
                Ok(None) => reader.end(&mut events),
                Err(failure) => {
                    // A server that says everything and hangs up rudely has answered.
                    reader.end(&mut events);
                    if !matches!(events.last(), Some(Event::FinishStep { .. })) {
                        return Err(failure);
                    }
                }
            }
            if events
                .iter()
                .any(|event| matches!(event, Event::ToolInputStart { .. } | Event::ToolCall { .. }))
            {
                resolved.callers.note(endpoint, &resolved.target);
            }
            filter.pass(&mut events);
            for event in events.drain(..) {
                if let Some(failure) = Failure::of_event(&event, self.provider(), &redactor) {
                    return Err(failure);
                }
                if let Some(summary) = self.give(event, &mut audience).await? {
                    exchange.finish().await;
                    return Ok(summary);
                }
            }
        }
        Err(self.without_end())
    }

    async fn play(
        &self,
        played: &Played,
        mut audience: Audience<'_, impl Listener>,
    ) -> Result<Summary, Failure> {
        for act in played.acts() {
            match act {
                Act::Wait(time) => audience.unless_cancelled(tokio::time::sleep(time)).await?,
                Act::Stall => audience.unless_cancelled(std::future::pending()).await?,
                Act::Event(event @ Event::Error { .. }) => {
                    return Err(self.scripted_failure(&event, played.fault.as_ref()));
                }
                Act::Event(event) => {
                    if let Some(summary) = self.give(event, &mut audience).await? {
                        return Ok(summary);
                    }
                }
            }
        }
        Err(self.without_end())
    }

    /// The failure that a script wants, the same as over HTTP.
    fn scripted_failure(&self, event: &Event, fault: Option<&Fault>) -> Failure {
        let redactor = Redactor::default();
        let Some(Fault::Status { status, message, body, headers, retry_after }) = fault else {
            return Failure::of_event(event, self.provider(), &redactor)
                .unwrap_or_else(|| self.without_end());
        };
        let mut headers = headers.clone();
        headers.extend(retry_after.map(|after| match after {
            RetryAfter::Seconds(seconds) | RetryAfter::Date(seconds) => {
                ("retry-after".to_owned(), seconds.to_string())
            }
            RetryAfter::Milliseconds(milliseconds) => ("retry-after-ms".to_owned(), milliseconds.to_string()),
        }));
        let body = body.as_ref().unwrap_or(message).as_bytes();
        let refusal = Refusal { provider: self.provider(), status: *status, headers: &headers, body };
        Failure::refused(&refusal, &redactor)
    }

    /// Hands out an event; gives the summary if it was the last.
    async fn give(
        &self,
        event: Event,
        audience: &mut Audience<'_, impl Listener>,
    ) -> Result<Option<Summary>, Failure> {
        audience.unless_cancelled(async {}).await?;
        let summary = match &event {
            Event::FinishStep { finish_reason, usage } => {
                Some(Summary { model: self.name(), finish_reason: *finish_reason, usage: *usage })
            }
            _ => None,
        };
        audience.given.any = true;
        // Before it is heard: the tool may start at once.
        audience.given.call |= matches!(event, Event::ToolCall { .. });
        self.tell(audience.listener, Heard::Event(event)).await?;
        Ok(summary)
    }

    /// A listener that has gone is a wish to stop.
    pub(super) async fn tell(&self, listener: &mut impl Listener, heard: Heard) -> Result<(), Failure> {
        match listener.hear(heard).await {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Failure::cancelled(self.provider())),
        }
    }

    /// A fault of ours: what another model was told must be said again.
    fn of_another(&self) -> Failure {
        let message = "the conversation was written for another model; please report this";
        Failure::new(crate::failure::Class::Unknown, self.provider(), message)
    }

    /// Readers promise an end, so this is a fault of ours and not worth a panic.
    fn without_end(&self) -> Failure {
        let message = "the answer had no end; please report this";
        Failure::new(crate::failure::Class::Protocol, self.provider(), message)
    }
}

pub(super) fn wire(kind: WireKind) -> Box<dyn Wire> {
    match kind {
        WireKind::Anthropic => Box::new(Anthropic),
        WireKind::Chat => Box::new(Chat::default()),
        WireKind::Responses => Box::new(Responses::default()),
        WireKind::Gemini => Box::new(Gemini::default()),
    }
}

/// All headers of a request: ours, the wire's, the configured ones, then those of this request. Later ones win.
fn headers(
    of_wire: &[(&'static str, String)],
    configured: &Headers,
    more: &Headers,
) -> Vec<(String, String)> {
    let fixed =
        [("content-type", "application/json"), ("accept", "text/event-stream"), ("user-agent", USER_AGENT)];
    let of_wire = of_wire.iter().map(|(name, value)| (*name, value.as_str()));
    let secret = configured.iter().chain(more.iter()).map(|(name, value)| (name, value.expose()));
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, value) in fixed.into_iter().chain(of_wire).chain(secret) {
        match all.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, known)) if name.eq_ignore_ascii_case(COLLECTED) => {
                known.push(',');
                known.push_str(value);
            }
            Some((_, known)) => value.clone_into(known),
            None => all.push((name.to_ascii_lowercase(), value.to_owned())),
        }
    }
    all
}
