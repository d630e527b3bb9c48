//! What a call has in its hands: who it is, whether it should stop, whom to ask, and the effects a grant opens.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use praxis_os::{Existing, Http, HttpReply, HttpRequest, RealPath};
use praxis_policy::{Authority, Grant, Query, StoredGrant};
use praxis_proto::{CallId, CallRef, MessageId, SessionId};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::progress::{Observer, Progress};
use crate::{Ask, Bus, Instance, Offer, Permissions, ToolError};

/// What a [`Cx`] is made of.
#[derive(Clone)]
pub struct CxParts {
    /// The session.
    pub session: SessionId,
    /// The assistant message that holds the call.
    pub message: MessageId,
    /// The call.
    pub call: CallId,
    /// The agent's name.
    pub agent: String,
    /// What the agent may do in this session.
    pub authority: Authority,
    /// The project.
    pub instance: Arc<Instance>,
    /// Who decides.
    pub permissions: Arc<Permissions>,
    /// Who listens.
    pub bus: Bus,
    /// Stops the call.
    pub cancel: CancellationToken,
}

/// The context of one call. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    inner: Arc<Inner>,
}

struct Inner {
    parts: CxParts,
    progress: Progress,
    waited: Waited,
    offer: Option<Offer>,
    observer: Option<Observer>,
}

impl Cx {
    /// The context of a call.
    pub fn new(parts: CxParts) -> Self {
        Self::with(parts, None, None)
    }

    fn with(parts: CxParts, offer: Option<Offer>, observer: Option<Observer>) -> Self {
        let progress = Progress::new(parts.bus.clone(), parts.session.clone(), parts.call.clone())
            .observed(observer.clone());
        Self { inner: Arc::new(Inner { parts, progress, waited: Waited::default(), offer, observer }) }
    }

    /// The same context, whose progress `observer` hears too: the newest title and all metadata, at most ten times a
    /// second. It must not wait.
    #[must_use]
    pub fn observed(&self, observer: Observer) -> Self {
        Self::with(self.inner.parts.clone(), self.inner.offer.clone(), Some(observer))
    }

    /// The same context inside an offer, so that the call can make calls of its own.
    pub(crate) fn within(&self, offer: Offer) -> Self {
        Self::with(self.inner.parts.clone(), Some(offer), self.inner.observer.clone())
    }

    /// The context of the `n`th call that this call makes; it is cancelled with it.
    pub(crate) fn child(&self, n: usize) -> Self {
        let parts = &self.inner.parts;
        let call = CallId::from_raw(format!("{}/{n}", parts.call));
        let parts = CxParts { call, cancel: parts.cancel.child_token(), ..parts.clone() };
        Self::with(parts, self.inner.offer.clone(), None)
    }

    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.inner.parts.session
    }

    /// The call.
    pub fn call(&self) -> &CallId {
        &self.inner.parts.call
    }

    /// The call, as requests name it.
    pub fn call_ref(&self) -> CallRef {
        CallRef { message: self.inner.parts.message.clone(), call: self.inner.parts.call.clone() }
    }

    /// The agent's name.
    pub fn agent(&self) -> &str {
        &self.inner.parts.agent
    }

    /// What the agent may do.
    pub fn authority(&self) -> &Authority {
        &self.inner.parts.authority
    }

    /// The project.
    pub fn instance(&self) -> &Instance {
        &self.inner.parts.instance
    }

    /// Who listens.
    pub fn bus(&self) -> &Bus {
        &self.inner.parts.bus
    }

    /// Stops the call when it is cancelled. Loops that do not await should look at it.
    pub fn cancel(&self) -> &CancellationToken {
        &self.inner.parts.cancel
    }

    /// Waits until the call should stop.
    pub async fn cancelled(&self) {
        self.inner.parts.cancel.cancelled().await;
    }

    /// The tools of this turn, for a call that makes calls.
    pub(crate) fn offer(&self) -> Option<&Offer> {
        self.inner.offer.as_ref()
    }

    pub(crate) fn progress_state(&self) -> &Progress {
        &self.inner.progress
    }

    /// Time this call spent waiting for people, which its deadline does not count.
    pub(crate) fn waited(&self) -> Duration {
        self.inner.waited.total()
    }

    /// Whether it waits for people right now.
    pub(crate) fn is_waiting(&self) -> bool {
        self.inner.waited.open.load(Ordering::Relaxed) > 0
    }

    /// Counts the time until the guard goes as waiting for people.
    pub(crate) fn waiting(&self) -> impl Drop + use<> {
        self.inner.waited.open.fetch_add(1, Ordering::Relaxed);
        WaitingGuard { cx: self.clone(), since: Instant::now() }
    }

    /// Tells how far the call is: a title for people, metadata for clients. Keys not named stay as they were.
    pub fn progress(&self, title: Option<&str>, metadata: Map<String, Value>) {
        self.inner.progress.update(title, metadata);
    }

    /// What the user granted for good in this project.
    pub(crate) fn standing_grants(&self) -> Vec<StoredGrant> {
        self.inner.parts.permissions.grants()
    }

    /// Asks for an act. Every effect below needs the grant that comes back.
    pub async fn ask(&self, ask: Ask) -> Result<Grant, ToolError> {
        let parts = &self.inner.parts;
        let query = Query {
            session: parts.session.clone(),
            tool: Some(self.call_ref()),
            permission: ask.permission,
            patterns: ask.patterns,
            always: ask.always,
            metadata: ask.metadata,
            act: ask.act,
            authority: parts.authority.clone(),
            care: ask.care,
            contained: ask.contained,
        };
        let _waiting = self.waiting();
        parts.permissions.ask(query, &parts.cancel).await
    }

    /// Asks for the folder of a path outside the project; inside there is nothing to ask.
    pub async fn ask_outside(&self, path: &RealPath) -> Result<(), ToolError> {
        if self.instance().contains(path) {
            return Ok(());
        }
        let folder = if path.as_path().is_dir() { path.as_path() } else { path.parent() };
        let folder = folder.to_string_lossy().replace('\\', "/");
        let pattern = format!("{}/*", folder.trim_end_matches('/'));
        let ask = Ask::new("external_directory", &pattern)
            .always([pattern])
            .with("filepath", path.as_path().to_string_lossy())
            .with("parentDir", folder);
        // What follows asks for the file itself; this one is about the place.
        let _place = self.ask(ask).await?;
        Ok(())
    }

    /// Opens the regular file that the grant is for.
    pub fn open(&self, grant: &Grant) -> Result<File, ToolError> {
        let path = grant.readable().ok_or_else(|| not_granted("read"))?;
        Ok(praxis_os::open_regular(&RealPath::already_resolved(path.to_owned()))?)
    }

    /// Posts to the URL that the grant is for.
    pub async fn post(
        &self,
        grant: &Grant,
        http: &Http,
        request: HttpRequest,
    ) -> Result<HttpReply, ToolError> {
        let url = grant.url().ok_or_else(|| not_granted("open a URL"))?.to_owned();
        http.post(HttpRequest { url, ..request }).await.map_err(|e| ToolError::Outside(e.to_string()))
    }

    /// Writes a file that the grant is for, as a whole.
    pub fn write(
        &self,
        grant: &Grant,
        path: &RealPath,
        bytes: &[u8],
        existing: Existing,
    ) -> Result<(), ToolError> {
        Ok(praxis_os::write(granted(grant, path)?, bytes, existing)?)
    }

    /// Removes a file that the grant is for.
    pub fn remove(&self, grant: &Grant, path: &RealPath) -> Result<(), ToolError> {
        Ok(praxis_os::remove(granted(grant, path)?)?)
    }
}

fn granted<'a>(grant: &Grant, path: &'a RealPath) -> Result<&'a RealPath, ToolError> {
    let named = grant.writable().iter().any(|granted| granted == path.as_path());
    if named { Ok(path) } else { Err(not_granted("write")) }
}

pub(crate) fn not_granted(effect: &str) -> ToolError {
    ToolError::Crashed {
        tool: effect.to_owned(),
        message: format!("it tried to {effect} with a grant for something else"),
    }
}

/// How long a call waited for people.
#[derive(Default)]
struct Waited {
    open: AtomicUsize,
    microseconds: AtomicU64,
}

impl Waited {
    fn total(&self) -> Duration {
        Duration::from_micros(self.microseconds.load(Ordering::Relaxed))
    }
}

struct WaitingGuard {
    cx: Cx,
    since: Instant,
}

impl Drop for WaitingGuard {
    fn drop(&mut self) {
        let waited = &self.cx.inner.waited;
        let elapsed = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        waited.microseconds.fetch_add(elapsed, Ordering::Relaxed);
        waited.open.fetch_sub(1, Ordering::Relaxed);
    }
}
