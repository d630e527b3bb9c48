//! The engine: sessions of one project, prompted, joined, cancelled and watched.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use praxis_llm::provider::Choice;
use praxis_proto::{
    Event, MessageModel, MessageWithParts, Part, PartBody, Session, SessionId, SessionModel, SessionRule,
    SessionStatus,
};
use praxis_store::{Change, Draft, Store};
use praxis_tools::{Clock, system_clock};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::command::{Caller, prepare};
use crate::hooks::SessionHooks;
use crate::outcome::{Ended, EngineError, Limits, Outcome, Why};
use crate::prompt::{Drafted, Drafter, PromptInput, PromptPart, Standing};
use crate::record::Record;
use crate::run::Run;
use crate::runner::{Door, Ending, Finished, Held, Kind, Next, Slots, Stop, Work, ended};
use crate::snapshots::{NoSnapshots, Snapshots};
use crate::system::{Library, Setting};
use crate::usershell::{ShellInput, UserShell};
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

/// A command that the user runs themselves.
#[derive(Debug, Clone)]
pub struct ShellPrompt {
    /// The session.
    pub session: SessionId,
    /// The agent they are with; none means the session's, else the default.
    pub agent: Option<String>,
    /// The model they are with.
    pub model: Option<MessageModel>,
    /// The command.
    pub command: String,
}

/// A slash command as it was typed.
#[derive(Debug, Clone)]
pub struct CommandPrompt {
    /// The session.
    pub session: SessionId,
    /// The command, without the slash.
    pub name: String,
    /// What stands behind it.
    pub arguments: String,
    /// The agent they are with.
    pub agent: Option<String>,
    /// The model they are with.
    pub model: Option<MessageModel>,
    /// What they attached.
    pub parts: Vec<PromptPart>,
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
    pub(crate) hooks: Vec<Arc<dyn SessionHooks>>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    /// Runs, and what goes on beside them.
    pub(crate) tasks: TaskTracker,
    /// Ends what goes on beside runs.
    pub(crate) closing: CancellationToken,
    clock: Clock,
    slots: Arc<Slots>,
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
        for hook in &self.hooks {
            if let Some(choice) = hook.small_model(&beside.provider).await {
                return Some(choice);
            }
        }
        self.models.small(beside)
    }
}

impl Engine {
    /// Opens the sessions of a project. Starts nothing.
    pub fn open(parts: EngineParts) -> Self {
        let EngineParts { workbench, store, models, hooks, snapshots, clock } = parts;
        let models = models.with_scripts_of(&workbench.loaded.config, workbench.instance.root());
        workbench.todos.keep_in(Arc::clone(&store));
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

    /// Stores what the user said and has it answered; where a run is under way, it answers this too.
    ///
    /// Gives what the run came to, which is the same for all who wait for it. Dropping the future does not stop the
    /// run: [`Engine::cancel`] does.
    pub async fn prompt(&self, input: PromptInput, limits: Limits) -> Result<Outcome, EngineError> {
        let (session, no_reply) = (input.session.clone(), input.no_reply);
        let held = self.inner.slots.hold(&session);
        let drafted = self.draft(input).await?;
        let mut door = held.slot().door.lock().await;
        let record = self.record(&held, &mut door).await?;
        let Drafted { mut message, parts, .. } = drafted;
        // Attachments take their time to read; what counts is when the message was said to the session.
        message.time.created = record.now();
        record.user(message.clone(), &parts).await?;
        if no_reply {
            let message = None;
            return Ok(Outcome { message, ended: Ended::Done, steps: 0, cost: 0.0 });
        }
        let told = MessageWithParts { info: praxis_proto::Message::User(message), parts };
        let ending = self.answered(&held, &mut door, record, Some(told), limits);
        drop(door);
        ended(ending, &session).await
    }

    /// Answers what is still unanswered, for example after a crash; joins a run that is under way.
    pub async fn resume(&self, session: &SessionId, limits: Limits) -> Result<Outcome, EngineError> {
        let held = self.inner.slots.hold(session);
        let mut door = held.slot().door.lock().await;
        let record = self.record(&held, &mut door).await?;
        let ending = self.answered(&held, &mut door, record, None, limits);
        drop(door);
        ended(ending, session).await
    }

    /// Runs a slash command: it becomes a prompt.
    pub async fn command(&self, prompt: CommandPrompt, limits: Limits) -> Result<Outcome, EngineError> {
        let CommandPrompt { session, name, arguments, agent, model, parts } = prompt;
        let workbench = &self.inner.workbench;
        let command = workbench.commands.get(&name)?;
        let cancel = self.inner.closing.child_token();
        let caller = Caller { session: session.clone(), agent, model, parts, cancel };
        let mut input = prepare(workbench, command, &arguments, caller).await?.into_prompt(session.clone());
        for hook in &self.inner.hooks {
            hook.command(&session, &name, &arguments, &mut input.parts).await;
        }
        let message = input.message.get_or_insert_with(|| workbench.mint.message()).clone();
        let outcome = self.prompt(input, limits).await?;
        workbench.bus.publish(Event::CommandExecuted { name, session, arguments, message });
        Ok(outcome)
    }

    /// Runs a command of the user's own; no model is asked, and the next prompt tells it.
    pub async fn shell(&self, prompt: ShellPrompt) -> Result<MessageWithParts, EngineError> {
        let ShellPrompt { session, agent, model, command } = prompt;
        let held = self.inner.slots.hold(&session);
        let known = self.inner.store.session(&session).await?;
        let agent = self.inner.workbench.agents.get(agent.as_deref().or(known.agent.as_deref()))?;
        let model = self.inner.models.choose(model.as_ref(), None, agent, &known)?;
        let mut door = held.slot().door.lock().await;
        if door.work().is_some() {
            return Err(EngineError::Busy(session));
        }
        let record = self.record(&held, &mut door).await?;
        let input = ShellInput { session: session.clone(), message: None, agent, model, command };
        let drafted = UserShell::draft(&self.inner.workbench, input, record.now());
        record.user(drafted.user.clone(), std::slice::from_ref(&drafted.note)).await?;
        record.answer(&drafted.answer).await?;
        record.part(&drafted.call).await?;
        let stop = Stop::default();
        let (sender, ending) = watch::channel(None);
        let kind = Kind::Shell { next: None };
        door.work = Some(Work { kind, stop: stop.clone(), ending });
        drop(door);

        let (engine, agent) = (self.clone(), agent.clone());
        let working = self
            .inner
            .tasks
            .spawn(async move { engine.run_shell(held, record, drafted, &agent, stop, sender).await });
        working.await.map_err(|_| EngineError::Crashed(session))?
    }

    async fn run_shell(
        &self,
        held: Held,
        record: Record,
        drafted: UserShell,
        agent: &crate::Agent,
        stop: Stop,
        sender: watch::Sender<Option<Finished>>,
    ) -> Result<MessageWithParts, EngineError> {
        held.slot().status.send_replace(SessionStatus::Busy);
        record.status(SessionStatus::Busy);
        let seen = |part: &Part| record.show(part);
        let done = drafted.run(&self.inner.workbench, agent, &self.inner.clock, &stop.token, seen).await;
        let stored = async {
            record.part(&done.call).await?;
            record.answer(&done.answer).await
        };
        let stored = stored.await;
        let mut door = held.slot().door.lock().await;
        let next = match door.work.take() {
            Some(Work { kind: Kind::Shell { next }, .. }) => next,
            _ => None,
        };
        held.slot().status.send_replace(SessionStatus::Idle);
        record.status(SessionStatus::Idle);
        match next {
            Some(next) if stop.why().is_some() => {
                let cancelled = Outcome { message: None, ended: Ended::Cancelled, steps: 0, cost: 0.0 };
                next.sender.send_replace(Some(Ok(cancelled)));
                door.inbox.clear();
            }
            Some(next) => self.start(&held, &mut door, record.clone(), next.sender, next.ending, next.limits),
            None => {}
        }
        drop(door);
        sender.send_replace(Some(Ok(Outcome { message: None, ended: Ended::Done, steps: 0, cost: 0.0 })));
        stored?;
        let info = praxis_proto::Message::Assistant(done.answer);
        Ok(MessageWithParts { info, parts: vec![done.call] })
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

    /// Waits until a session is idle; gives what its run came to, if one was under way.
    pub async fn wait(&self, session: &SessionId) -> Result<Option<Outcome>, EngineError> {
        let Some(held) = self.inner.slots.find(session) else { return Ok(None) };
        let mut door = held.slot().door.lock().await;
        let Some(ending) = door.work().map(|work| work.ending.clone()) else { return Ok(None) };
        drop(door);
        ended(ending, session).await.map(Some)
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
        if let Err(error) = self.inner.store.flush().await {
            tracing::warn!(%error, "the last words could not be stored");
        }
    }

    /// Makes the user message of a prompt, and brings the session's agent, model and rules up to date.
    async fn draft(&self, input: PromptInput) -> Result<Drafted, EngineError> {
        let Inner { workbench, store, models, clock, .. } = &*self.inner;
        let session = store.session(&input.session).await?;
        let agent = workbench.agents.get(input.agent.as_deref().or(session.agent.as_deref()));
        let agent = agent.inspect_err(|error| self.told(&session.id, error))?;
        let model = models.choose(input.model.as_ref(), input.variant.as_deref(), agent, &session);
        let model = model.inspect_err(|error| self.told(&session.id, error))?;
        let cancel = self.inner.closing.child_token();
        let standing = Standing { agent, model, now: clock(), cancel };
        let mut drafted = Drafter::new(workbench).draft(input, standing).await?;
        for hook in &self.inner.hooks {
            hook.message(&mut drafted.message, &mut drafted.parts).await;
        }
        for problem in &drafted.problems {
            self.told(&session.id, problem);
        }
        self.keep_up(&session, &drafted).await?;
        Ok(drafted)
    }

    async fn keep_up(&self, session: &Session, drafted: &Drafted) -> Result<(), EngineError> {
        let MessageModel { provider, model, variant } = drafted.message.model.clone();
        let model = Some(SessionModel { id: model, provider, variant });
        let agent = Some(drafted.message.agent.clone());
        let mut changes = Vec::new();
        if session.model != model {
            changes.push(Change::Model(model));
        }
        if session.agent != agent {
            changes.push(Change::Agent(agent));
        }
        changes.extend(drafted.rules.clone().map(|rules| Change::Permission(Some(rules))));
        if changes.is_empty() {
            return Ok(());
        }
        let changed = self.inner.store.change(&session.id, changes).await?;
        self.inner.workbench.bus.publish(Event::SessionUpdated(changed.into()));
        Ok(())
    }

    fn told(&self, session: &SessionId, problem: &dyn ToString) {
        let failure = praxis_proto::Failure::Unknown { message: problem.to_string(), reference: None };
        let (session, error) = (Some(session.clone()), Some(Box::new(failure)));
        self.inner.workbench.bus.publish(Event::SessionError { session, error });
    }

    async fn record(&self, held: &Held, door: &mut Door) -> Result<Record, EngineError> {
        let Inner { workbench, store, clock, .. } = &*self.inner;
        let mint = Arc::clone(&workbench.mint);
        let lease = door.lease(&**store, &held.slot().session, |id| mint.stay_behind(id)).await?;
        Ok(Record {
            store: Arc::clone(store),
            lease,
            bus: workbench.bus.clone(),
            mint: Arc::clone(&workbench.mint),
            clock: Arc::clone(clock),
        })
    }

    /// Begins a run, joins the one that is under way, or waits behind the user's command.
    fn answered(
        &self,
        held: &Held,
        door: &mut Door,
        record: Record,
        told: Option<MessageWithParts>,
        limits: Limits,
    ) -> Ending {
        if door.work().is_some() {
            door.inbox.extend(told);
        }
        if let Some(work) = door.work() {
            let Kind::Shell { next } = &mut work.kind else { return work.ending.clone() };
            let new = || {
                let (sender, ending) = watch::channel(None);
                Next { sender, ending, limits }
            };
            return next.get_or_insert_with(new).ending.clone();
        }
        let (sender, ending) = watch::channel(None);
        self.start(held, door, record, sender, ending.clone(), limits);
        ending
    }

    fn start(
        &self,
        held: &Held,
        door: &mut Door,
        record: Record,
        sender: watch::Sender<Option<Finished>>,
        ending: Ending,
        limits: Limits,
    ) {
        let stop = Stop::default();
        door.work = Some(Work { kind: Kind::Run, stop: stop.clone(), ending });
        let run = Run { engine: Arc::clone(&self.inner), held: held.clone(), record, limits, stop };
        self.inner.tasks.spawn(run.go(sender));
    }
}

/// The text of an answer: its last text part.
pub fn answer_text(parts: &[Part]) -> Option<&str> {
    parts.iter().rev().find_map(|part| match &part.body {
        PartBody::Text(text) => Some(text.text.as_str()),
        _ => None,
    })
}
