//! Models that take a turn one after the other, each tried as often as it makes sense.

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::listener::{Heard, Listener, Status};
use super::model::{Given, Model, Summary};
use super::told::Told;
use crate::Request;
use crate::failure::Failure;
use crate::retry::{Policy, Wait};

/// Where another model can take the turn, it is asked rather than to wait longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// A model and those that take its turn when it cannot.
#[derive(Debug, Clone)]
pub struct Chain {
    first: Model,
    others: Vec<Model>,
    policy: Policy,
}

impl Chain {
    /// One model, tried again as the policy says.
    pub fn new(model: Model, policy: Policy) -> Self {
        Self { first: model, others: Vec::new(), policy }
    }

    /// Another model that takes the turn when those before it cannot.
    #[must_use]
    pub fn or(mut self, model: Model) -> Self {
        self.others.push(model);
        self
    }

    /// A conversation in which nothing has been said.
    pub fn told(&self) -> Told {
        Told::to(!self.others.is_empty())
    }

    /// Whether requests with these options can go on with a conversation; else it must be told from its beginning.
    pub fn suits(&self, told: &Told, options: &Map<String, Value>) -> bool {
        self.first.suits(told, options)
    }

    /// Asks until there is an answer, or a failure that stands.
    pub async fn stream(
        &self,
        request: &Request,
        listener: &mut impl Listener,
        cancel: &CancellationToken,
    ) -> Result<Summary, Failure> {
        self.go_on(&mut self.told(), request, listener, cancel).await
    }

    /// The same for a conversation that is kept; the messages of the request come behind it.
    pub async fn go_on(
        &self,
        told: &mut Told,
        request: &Request,
        listener: &mut impl Listener,
        cancel: &CancellationToken,
    ) -> Result<Summary, Failure> {
        let (mut model, mut others) = (&self.first, self.others.iter());
        loop {
            let next = others.next();
            let (failure, given) =
                match self.tried(model, next.is_some(), told, request, listener, cancel).await {
                    Ok(summary) => return Ok(summary),
                    Err(failed) => failed,
                };
            let Some(next) = next.filter(|_| failure.class.allows_another_model() && !given.call) else {
                return Err(failure);
            };
            let status = Status::Switched {
                from: model.name(),
                to: next.name(),
                class: failure.class,
                why: failure.message,
            };
            model.tell(listener, Heard::Status(status)).await?;
            restart(model, given, listener).await?;
            model = next;
        }
    }

    /// Asks one model as often as it makes sense. With the failure comes what its last attempt had handed out.
    async fn tried(
        &self,
        model: &Model,
        has_next: bool,
        told: &mut Told,
        request: &Request,
        listener: &mut impl Listener,
        cancel: &CancellationToken,
    ) -> Result<Summary, (Failure, Given)> {
        let mut attempt = 0;
        loop {
            let mut given = Given::default();
            let failure = match model.attempt(told, request, listener, cancel, &mut given).await {
                Ok(summary) => return Ok(summary),
                Err(failure) => failure,
            };
            attempt += 1;
            tracing::debug!(model = model.name(), class = ?failure.class, status = failure.status, attempt, "request failed");
            // The tool of a call that was handed out may have started, and must not run twice.
            let wait = self.policy.next(attempt, &failure, SystemTime::now(), fastrand::f64());
            let wait = wait.filter(|wait| !given.call && (!has_next || wait.delay <= PATIENCE));
            let Some(wait) = wait else { return Err((failure, given)) };
            let again = pause(model, attempt, wait, given, listener, cancel).await;
            again.map_err(|failure| (failure, given))?;
        }
    }
}

/// Says that it is tried again, and waits.
async fn pause(
    model: &Model,
    attempt: u32,
    wait: Wait,
    given: Given,
    listener: &mut impl Listener,
    cancel: &CancellationToken,
) -> Result<(), Failure> {
    let Wait { delay, until: next, reason: message } = wait;
    model.tell(listener, Heard::Status(Status::Waiting { attempt, message, next })).await?;
    tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Failure::cancelled(model.provider())),
        () = tokio::time::sleep(delay) => {}
    }
    restart(model, given, listener).await
}

/// What was heard of a failed attempt is void.
async fn restart(model: &Model, given: Given, listener: &mut impl Listener) -> Result<(), Failure> {
    if given.any {
        model.tell(listener, Heard::Status(Status::Restarted)).await?;
    }
    Ok(())
}
