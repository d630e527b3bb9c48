//! What users say, and who answers it.

use std::sync::Arc;

use praxis_proto::{Event, Message, MessageModel, MessageWithParts, SessionId};

use super::{Engine, Inner};
use crate::command::{Caller, prepare};
use crate::outcome::{Ended, EngineError, Limits, Outcome};
use crate::prompt::{Delivery, Drafted, PromptInput, PromptPart};
use crate::record::Record;
use crate::run::Run;
use crate::runner::{Door, Ending, Held, Kind, Next, Queued, Told, ended};

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

/// What became of a prompt.
enum Admitted {
    /// It is answered.
    Answered(Ending),
    /// It is stored, and nobody answers it.
    Stored(Ended),
}

impl Engine {
    /// Stores what the user said and has it answered; where a run is under way, it answers this too, unless the prompt
    /// says that it waits for a run of its own.
    ///
    /// Gives what the run came to, which is the same for all who wait for it. Dropping the future stops nothing:
    /// [`Engine::cancel`] does.
    pub async fn prompt(&self, input: PromptInput, limits: Limits) -> Result<Outcome, EngineError> {
        let (engine, session) = (self.clone(), input.session.clone());
        // On a task of its own: whoever loses interest meanwhile must not leave half a message behind.
        let admitting = self.inner.tasks.spawn(async move { engine.admit(input, limits).await });
        match admitting.await.map_err(|_| EngineError::Crashed(session.clone()))?? {
            Admitted::Answered(ending) => ended(ending, &session).await,
            Admitted::Stored(ended) => Ok(Outcome { message: None, ended, steps: 0, cost: 0.0 }),
        }
    }

    async fn admit(&self, input: PromptInput, limits: Limits) -> Result<Admitted, EngineError> {
        let (session, no_reply, delivery) = (input.session.clone(), input.no_reply, input.delivery);
        let own = input.message.clone();
        let held = self.inner.slots.hold(&session);
        let cancel = held.slot().drafting();
        // Before anything gets an id: whatever the clock says, new ids come behind those that are stored.
        let record = self.record(&held, &mut *held.slot().door.lock().await).await?;
        let Drafted { mut message, parts, .. } = self.draft(input, cancel.clone()).await?;
        let mut door = held.slot().door.lock().await;
        if door.is_full() {
            return Err(EngineError::Full(session));
        }
        self.check_ids(&session, own.as_ref()).await?;
        let busy = door.work().is_some();
        let stays = no_reply || cancel.is_cancelled();
        let waits = busy && !stays && delivery == Delivery::Queue;
        // Attachments take their time to read; what counts is when the message was said to the session.
        message.time.created = record.now();
        message.set_queued(waits);
        record.user(message.clone(), &parts).await?;
        if waits {
            let next = Next::new(limits);
            let ending = next.ending.clone();
            door.queue.push_back(Queued { message: message.id, next });
            return Ok(Admitted::Answered(ending));
        }
        let message = MessageWithParts { info: Message::User(message), parts };
        if busy {
            door.inbox.push(Told { message, wants_answer: !stays });
        }
        if stays {
            let ended = if cancel.is_cancelled() { Ended::Cancelled } else { Ended::Done };
            return Ok(Admitted::Stored(ended));
        }
        Ok(Admitted::Answered(self.answered(&held, &mut door, record, limits)))
    }

    /// Answers what is still unanswered, for example after a crash; joins a run that is under way. Prompts that were
    /// waiting in a queue follow, each in a run of its own: [`Engine::wait`] waits for them.
    pub async fn resume(&self, session: &SessionId, limits: Limits) -> Result<Outcome, EngineError> {
        let held = self.inner.slots.hold(session);
        let mut door = held.slot().door.lock().await;
        let record = self.record(&held, &mut door).await?;
        let ending = self.answered(&held, &mut door, record, limits);
        drop(door);
        ended(ending, session).await
    }

    /// Runs a slash command: it becomes a prompt.
    pub async fn command(&self, prompt: CommandPrompt, limits: Limits) -> Result<Outcome, EngineError> {
        let CommandPrompt { session, name, arguments, agent, model, parts } = prompt;
        let workbench = &self.inner.workbench;
        let command = workbench.commands.get(&name)?;
        let held = self.inner.slots.hold(&session);
        let cancel = held.slot().drafting();
        let caller = Caller { session: session.clone(), agent, model, parts, cancel };
        let mut input = prepare(workbench, command, &arguments, caller).await?.into_prompt(session.clone());
        self.inner.hooks.command(&session, &name, &arguments, &mut input.parts).await;
        // As in a prompt: the id comes behind those that are stored.
        let held = self.inner.slots.hold(&session);
        let _record = self.record(&held, &mut *held.slot().door.lock().await).await?;
        let message = input.message.get_or_insert_with(|| workbench.mint.message()).clone();
        let outcome = self.prompt(input, limits).await?;
        workbench.bus.publish(Event::CommandExecuted { name, session, arguments, message });
        Ok(outcome)
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
    fn answered(&self, held: &Held, door: &mut Door, record: Record, limits: Limits) -> Ending {
        if let Some(work) = door.work() {
            let Kind::Shell { next } = &mut work.kind else { return work.ending.clone() };
            return next.get_or_insert_with(|| Next::new(limits)).ending.clone();
        }
        let next = Next::new(limits);
        let ending = next.ending.clone();
        Run::start(&self.inner, held, door, record, next);
        ending
    }
}
