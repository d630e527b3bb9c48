//! Commands of the user's own.

use praxis_proto::{Message, MessageModel, MessageWithParts, Part, SessionId, SessionStatus};
use tokio::sync::watch;

use super::Engine;
use crate::Agent;
use crate::outcome::{Ended, EngineError, Outcome, Why};
use crate::queue;
use crate::record::Record;
use crate::run::Run;
use crate::runner::{Finished, Held, Kind, Next, Stop, Work};
use crate::usershell::{ShellInput, UserShell};

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

impl Engine {
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
        agent: &Agent,
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
        let ended = stop.why().map_or(Ended::Done, Why::ended);
        let next = match ended {
            Ended::Cancelled => {
                next.into_iter().for_each(Next::cancel);
                door.inbox.clear();
                None
            }
            _ => next,
        };
        let follows = match next {
            Some(next) => {
                Run::start(&self.inner, &held, &mut door, record.clone(), next);
                true
            }
            None => queue::follow(&self.inner, &held, &mut door, &record, &ended).await,
        };
        if !follows {
            held.slot().status.send_replace(SessionStatus::Idle);
            record.status(SessionStatus::Idle);
        }
        // The right to write goes first, so that whoever hears of the end can take it.
        drop((record, door));
        drop(held);
        sender.send_replace(Some(Ok(Outcome { message: None, ended, steps: 0, cost: 0.0 })));
        stored?;
        let info = Message::Assistant(done.answer);
        Ok(MessageWithParts { info, parts: vec![done.call] })
    }
}
