//! The engine: sessions of one project, prompted, joined, cancelled and watched.

mod drafting;
mod keeping;
mod prompting;
mod shell;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use praxis_llm::provider::Choice;
use praxis_proto::{Event, Part, PartBody, Session, SessionId, SessionModel, SessionRule, SessionStatus};
use praxis_store::{Draft, Store};
use praxis_tools::{Clock, system_clock};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use prompting::CommandPrompt;
pub use shell::ShellPrompt;

use crate::hooks::{Extensions, SessionHooks};
use crate::outcome::{EngineError, Outcome, Why};
use crate::runner::{Slots, ended};
use crate::snapshots::{NoSnapshots, Snapshots};
use crate::system::{Library, Setting};
use crate::{Models, Workbench};

/// Sessions whose setting is remembered.
const MOST_SETTINGS: usize = 256;
/// The version that new sessions name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What an engine is made of.
pub struct EngineParts {
    /// The project.
    pub workbench: Workbench,
    /// Where sessions are kept.
    pub store: Arc<dyn Store>,
    /// Who answers.
    pub models: Models,
    /// Extensions, in their order.
    pub hooks: Vec<Arc<dyn SessionHooks>>,
    /// Who records what steps change.
    pub snapshots: Arc<dyn Snapshots>,
    /// The time.
    pub clock: Clock,
}

impl EngineParts {
    /// An engine without extensions.
    pub fn new(workbench: Workbench, store: Arc<dyn Store>, models: Models) -> Self {
        let snapshots = Arc::new(NoSnapshots);
        Self { workbench, store, models, hooks: Vec::new(), snapshots, clock: system_clock() }
    }
}

/// What a new session is to be.
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// A title; without it one is made up.
    pub title: Option<String>,
    /// The session that starts it.
    pub parent: Option<SessionId>,
    /// The agent.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<SessionModel>,
    /// Rules of its own.
    pub permission: Option<Vec<SessionRule>>,
}

/// The sessions of one project. Cheap to clone; [`Engine::close`] ends what is under way.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

/// What all runs share.
pub(crate) struct Inner {
    pub(crate) workbench: Workbench,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) models: Models,
    pub(crate) hooks: Arc<Extensions>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    /// Runs, and what goes on beside them.
    pub(crate) tasks: TaskTracker,
    /// Ends what goes on beside runs.
    pub(crate) closing: CancellationToken,
    clock: Clock,
    pub(crate) slots: Arc<Slots>,
    library: Library,
    settings: Mutex<HashMap<SessionId, Arc<Setting>>>,
}

impl Inner {
    /// What a session's requests have in common, gathered before the first of them.
    pub(crate) async fn setting(&self, session: &SessionId) -> Arc<Setting> {
        let known = self.settings.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned();
        if let Some(known) = known {
            return known;
        }
        let setting = Arc::new(Setting::gather(&self.workbench, &self.library, (self.clock)()).await);
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if settings.len() >= MOST_SETTINGS {
            settings.clear();
        }
        settings.insert(session.clone(), Arc::clone(&setting));
        setting
    }

    /// The model for small work: an extension's, else the configured one, else one of the same provider.
    pub(crate) async fn small_model(&self, beside: &Choice) -> Option<Choice> {
        match self.hooks.small_model(&beside.provider).await {
            Some(choice) => Some(choice),
            None => self.models.small(beside),
        }
    }
}

impl Engine {
    /// Opens the sessions of a project. Starts nothing but a task for extensions that want to hear what happens.
    pub fn open(parts: EngineParts) -> Self {
        let EngineParts { workbench, store, models, hooks, snapshots, clock } = parts;
        let models = models.with_scripts_of(&workbench.loaded.config, workbench.instance.root());
        workbench.todos.keep_in(Arc::clone(&store));
        let hooks = Arc::new(Extensions::new(hooks, &workbench.bus));
        let inner = Inner {
            workbench,
            store,
            models,
            hooks,
            snapshots,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            clock,
            slots: Arc::default(),
            library: Library::default(),
            settings: Mutex::default(),
        };
        if inner.hooks.hear_events() {
            let (hooks, events) = (Arc::clone(&inner.hooks), inner.workbench.bus.subscribe());
            let closing = inner.closing.clone();
            inner.tasks.spawn(async move { hooks.follow(events, closing).await });
        }
        Self { inner: Arc::new(inner) }
    }

    /// The project.
    pub fn workbench(&self) -> &Workbench {
        &self.inner.workbench
    }

    /// Where sessions are kept.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// Who answers.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// Hears everything that happens from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.inner.workbench.bus.subscribe()
    }

    /// Makes a session in the project's directory.
    pub async fn create(&self, new: NewSession) -> Result<Session, EngineError> {
        let instance = &self.inner.workbench.instance;
        let path = instance.directory().strip_prefix(instance.root()).ok();
        let session = self
            .inner
            .store
            .create(Draft {
                directory: instance.directory().to_string_lossy().into_owned(),
                project: instance.root().to_string_lossy().into_owned(),
                path: path.map(|path| path.to_string_lossy().replace('\\', "/")),
                workspace: None,
                parent: new.parent,
                title: new.title,
                agent: new.agent,
                model: new.model,
                permission: new.permission,
                metadata: None,
                version: VERSION.to_owned(),
            })
            .await?;
        self.inner.workbench.bus.publish(Event::SessionCreated(session.clone().into()));
        Ok(session)
    }

    /// Stops what a session does, and what the sessions it started do; gives what the run came to.
    pub async fn cancel(&self, session: &SessionId) -> Result<Option<Outcome>, EngineError> {
        for child in self.inner.store.children(session).await? {
            Box::pin(self.cancel(&child.id)).await?;
        }
        let Some(held) = self.inner.slots.find(session) else {
            self.idle(session);
            return Ok(None);
        };
        held.slot().stop_drafting();
        let mut door = held.slot().door.lock().await;
        let Some(work) = door.work() else {
            drop(door);
            self.idle(session);
            return Ok(None);
        };
        work.stop.stop(Why::User);
        let ending = work.ending.clone();
        drop(door);
        ended(ending, session).await.map(Some)
    }

    fn idle(&self, session: &SessionId) {
        let (bus, status) = (&self.inner.workbench.bus, SessionStatus::Idle);
        bus.publish(Event::SessionStatus { session: session.clone(), status });
        bus.publish(Event::SessionIdle { session: session.clone() });
    }

    /// Waits until a session is idle; gives what its last run came to, if one was under way.
    pub async fn wait(&self, session: &SessionId) -> Result<Option<Outcome>, EngineError> {
        let mut last = None;
        while let Some(held) = self.inner.slots.find(session) {
            let mut door = held.slot().door.lock().await;
            let Some(ending) = door.work().map(|work| work.ending.clone()) else { break };
            drop(door);
            last = Some(ended(ending, session).await?);
        }
        Ok(last)
    }

    /// What a session does.
    pub fn status(&self, session: &SessionId) -> SessionStatus {
        let held = self.inner.slots.find(session);
        held.map_or(SessionStatus::Idle, |held| held.slot().status.borrow().clone())
    }

    /// The sessions that do something, or are about to.
    pub fn busy(&self) -> Vec<SessionId> {
        self.inner.slots.sessions()
    }

    /// Stops everything and waits until all is stored.
    pub async fn close(&self) {
        for session in self.busy() {
            // What cannot be stopped in order is ended by the process.
            let _ = self.cancel(&session).await;
        }
        self.inner.closing.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.hooks.dispose().await;
        if let Err(error) = self.inner.store.flush().await {
            tracing::warn!(%error, "the last words could not be stored");
        }
    }
}

/// The text of an answer: its last text part.
pub fn answer_text(parts: &[Part]) -> Option<&str> {
    parts.iter().rev().find_map(|part| match &part.body {
        PartBody::Text(text) => Some(text.text.as_str()),
        _ => None,
    })
}
