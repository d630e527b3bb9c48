//! What users say, and who answers it.

use std::sync::Arc;

use praxis_proto::{
    Event, Failure, Message, MessageModel, MessageWithParts, Session, SessionId, SessionModel,
};
use praxis_store::Change;
use tokio::sync::watch;

use super::{Engine, Inner};
use crate::command::{Caller, prepare};
use crate::outcome::{Ended, EngineError, Limits, Outcome};
use crate::prompt::{Drafted, Drafter, PromptInput, PromptPart, Standing};
use crate::record::Record;
use crate::run::Run;
use crate::runner::{Door, Ending, Finished, Held, Kind, Next, Stop, Work, ended};

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

impl Engine {
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
        let told = MessageWithParts { info: Message::User(message), parts };
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
        let failure = Failure::Unknown { message: problem.to_string(), reference: None };
        let (session, error) = (Some(session.clone()), Some(Box::new(failure)));
        self.inner.workbench.bus.publish(Event::SessionError { session, error });
    }

    pub(super) async fn record(&self, held: &Held, door: &mut Door) -> Result<Record, EngineError> {
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

    pub(super) fn start(
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
