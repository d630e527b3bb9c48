//! A run: step after step, from a prompt until the session is idle again.

mod stage;

use std::sync::Arc;
use std::time::SystemTime;

use praxis_llm::cost::Money;
use praxis_llm::failure::Failure as Refused;
use praxis_llm::provider::Choice;
use praxis_llm::{Message as Said, Request, UserPart};
use praxis_proto::{
    AnswerPath, AnswerTime, AssistantMessage, Failure, Message, MessageWithParts, SessionStatus, Tokens,
    UserMessage,
};
use serde_json::Map;
use tokio::sync::{OwnedMutexGuard, watch};
use tokio::task::JoinSet;

use self::stage::Stage;
use crate::doom::Doom;
use crate::engine::Inner;
use crate::history::{self, History};
use crate::outcome::{Ended, EngineError, Limit, Limits, Outcome, Why};
use crate::processor::{Bench, Processor, Step};
use crate::record::Record;
use crate::runner::{Door, Finished, Held, Stop};
use crate::structured::Structured;
use crate::{failures, prompts};

/// A run that is about to begin.
pub(crate) struct Run {
    pub(crate) engine: Arc<Inner>,
    pub(crate) held: Held,
    pub(crate) record: Record,
    pub(crate) limits: Limits,
    pub(crate) stop: Stop,
}

/// How far a run is.
struct State {
    history: History,
    stage: Option<Stage>,
    doom: Arc<Doom>,
    /// Steps since the user last said something.
    steps: u32,
    total: u32,
    spent: Money,
    /// Answers in a row that broke off.
    broken: u32,
    /// Why the run ends, unless there is something new.
    ended: Option<Ended>,
}

type Exit = (Outcome, OwnedMutexGuard<Door>);

impl Run {
    /// Answers everything there is to answer, then leaves the session idle.
    pub(crate) async fn go(mut self, sender: watch::Sender<Option<Finished>>) {
        self.status(SessionStatus::Busy);
        let mut timer = JoinSet::new();
        if let Some(time) = self.limits.deadline {
            let stop = self.stop.clone();
            timer.spawn(async move {
                tokio::time::sleep(time).await;
                stop.stop(Why::Deadline(time));
            });
        }
        let (finished, mut door) = match self.answer_all().await {
            Ok((outcome, door)) => (Ok(outcome), door),
            Err(error) => {
                let message = error.to_string();
                self.record.failed(&Failure::Unknown { message, reference: None });
                (Err(error), self.door().await)
            }
        };
        door.work = None;
        door.inbox.clear();
        self.status(SessionStatus::Idle);
        // The right to write goes first, so that whoever hears of the end can take it.
        let Self { record, held, .. } = self;
        drop(record);
        drop(door);
        sender.send_replace(Some(finished));
        drop(held);
    }

    async fn answer_all(&mut self) -> Result<Exit, EngineError> {
        let mut state = self.load().await?;
        loop {
            if let Some(exit) = self.receive(&mut state).await {
                return Ok(exit);
            }
            let token = self.stop.token.clone();
            let prepared = tokio::select! {
                biased;
                () = token.cancelled() => None,
                prepared = self.prepare(&mut state) => Some(prepared),
            };
            let Some(prepared) = prepared else { continue };
            prepared?;
            let Some(message) = self.begin(&state).await? else { continue };
            let step = self.step(&mut state, message).await?;
            self.judge(&mut state, step).await?;
        }
    }

    async fn load(&self) -> Result<State, EngineError> {
        let mut door = self.door().await;
        let history = History::load(&*self.record.store, self.record.session(), None).await?;
        // What waits there was stored before and is among what was read.
        door.inbox.clear();
        let ended = history.settled().is_some().then_some(Ended::Done);
        if history.user.is_none() {
            return Err(EngineError::Empty(self.record.session().clone()));
        }
        Ok(State {
            history,
            stage: None,
            doom: Arc::default(),
            steps: 0,
            total: 0,
            spent: Money::default(),
            broken: 0,
            ended,
        })
    }

    /// Takes in what the user said meanwhile, or leaves. Nobody can say something in between.
    async fn receive(&self, state: &mut State) -> Option<Exit> {
        let mut door = self.door().await;
        if let Some(why) = self.stop.why() {
            state.ended = Some(why.ended());
        }
        let goes = matches!(state.ended, Some(Ended::Cancelled | Ended::Limit(_)));
        if !door.inbox.is_empty() && !goes {
            for message in std::mem::take(&mut door.inbox) {
                state.history.push(&message);
            }
            state.doom.reset();
            (state.steps, state.broken, state.ended) = (0, 0, None);
        }
        let ended = state.ended.take()?;
        let message = state.history.answer.as_ref().map(|(answer, _)| answer.clone());
        let (steps, cost) = (state.total, state.spent.dollars());
        Some((Outcome { message, ended, steps, cost }, door))
    }

    /// Makes ready for the newest user message: who answers, with which tools, told what.
    async fn prepare(&self, state: &mut State) -> Result<(), EngineError> {
        let session = self.record.session();
        let user = state.history.user.clone().ok_or_else(|| EngineError::Empty(session.clone()))?;
        if state.stage.as_ref().is_some_and(|stage| stage.user.id == user.id) {
            return Ok(());
        }
        let reader = Choice { provider: user.model.provider.clone(), model: user.model.model.clone() };
        if *state.history.reader() != reader {
            let mut door = self.door().await;
            state.history = History::load(&*self.record.store, session, Some(reader)).await?;
            door.inbox.clear();
        }
        let stage = Stage::set(&self.engine, session, user).await?;
        if state.total == 0 && stage.session.parent.is_none() && stage.session.has_default_title() {
            self.entitle(&state.history, &stage);
        }
        state.stage = Some(stage);
        Ok(())
    }

    /// Has a title made beside the first answer.
    fn entitle(&self, history: &History, stage: &Stage) {
        if history.written != 1 {
            return;
        }
        let said = history.said.iter().find(|said| matches!(said, Said::User(_))).cloned();
        let (engine, session) = (Arc::clone(&self.engine), self.record.session().clone());
        let answerer = stage.answerer.clone();
        let token = self.engine.closing.child_token();
        self.engine.tasks.spawn(async move {
            crate::title::make(&engine, &session, said.into_iter().collect(), &answerer, token).await;
        });
    }

    /// Stores the message of the next answer, unless the user has said something meanwhile.
    async fn begin(&self, state: &State) -> Result<Option<AssistantMessage>, EngineError> {
        let Some(stage) = &state.stage else { return Ok(None) };
        let door = self.door().await;
        if !door.inbox.is_empty() || self.stop.why().is_some() {
            return Ok(None);
        }
        let message = self.message(stage.user());
        self.record.answer(&message).await?;
        Ok(Some(message))
    }

    fn message(&self, user: &UserMessage) -> AssistantMessage {
        let instance = &self.engine.workbench.instance;
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        AssistantMessage {
            id: self.record.mint.message(),
            session: user.session.clone(),
            time: AnswerTime { created: self.record.now(), completed: None },
            error: None,
            parent: user.id.clone(),
            model: user.model.model.clone(),
            provider: user.model.provider.clone(),
            mode: user.agent.clone(),
            agent: user.agent.clone(),
            path: AnswerPath { cwd: text(instance.directory()), root: text(instance.root()) },
            summary: None,
            cost: 0.0,
            tokens: Tokens::default(),
            structured: None,
            variant: user.model.variant.clone(),
            finish: None,
            extra: Map::new(),
        }
    }

    async fn step(&self, state: &mut State, message: AssistantMessage) -> Result<Step, EngineError> {
        let Some(stage) = &mut state.stage else {
            return Err(EngineError::Empty(self.record.session().clone()));
        };
        state.steps += 1;
        state.total += 1;
        let last = stage.agent.steps.is_some_and(|most| state.steps >= most);
        let mut request = stage.request(last);
        stage.hooked(&self.engine, &mut request).await;
        request.messages = self.said(&mut state.history).await?;
        let told = request.messages.len();
        if last {
            request.messages.push(note(prompts::STEP_LIMIT.trim_end()));
        }
        let bench = Arc::new(Bench {
            offer: stage.offer.clone(),
            cx: stage.cx.clone(),
            answerer: stage.answerer.clone(),
            hooks: self.engine.hooks.clone(),
            snapshots: Arc::clone(&self.engine.snapshots),
            doom: Arc::clone(&state.doom),
            permits: Arc::clone(&stage.permits),
            last,
            shape: stage.structured.as_ref().map(|structured| Arc::clone(&structured.shape)),
            continues: self.engine.workbench.loaded.config.experimental.continue_loop_on_deny == Some(true),
            stop: self.stop.clone(),
            state: self.held.slot().status.clone(),
        });
        let processor = Processor::begin(self.record.clone(), bench, message).await;
        let chain = stage.chain(&self.engine).await;
        let step = processor.run(&chain, &request).await?;
        let Request { mut messages, system, tools, .. } = request;
        messages.truncate(told);
        if !self.changes_messages() {
            state.history.said = messages;
        }
        if !last {
            stage.give_back(system, tools);
        }
        Ok(step)
    }

    /// What the model is told of the conversation: moved and not copied, unless an extension wants to change it.
    async fn said(&self, history: &mut History) -> Result<Vec<Said>, EngineError> {
        if !self.changes_messages() {
            return Ok(std::mem::take(&mut history.said));
        }
        let mut messages = history::stored(&*self.record.store, self.record.session()).await?;
        // The answer that has just begun has nothing to say yet.
        messages.pop();
        for hook in &self.engine.hooks {
            hook.messages(&mut messages).await;
        }
        let mut changed = History::empty(history.reader().clone());
        messages.iter().for_each(|message| changed.push(message));
        Ok(changed.said)
    }

    fn changes_messages(&self) -> bool {
        self.engine.hooks.iter().any(|hook| hook.changes_messages())
    }

    /// Decides whether another step follows.
    async fn judge(&self, state: &mut State, mut step: Step) -> Result<(), EngineError> {
        state.spent = state.spent + step.cost;
        let ended = self.verdict(state, &mut step).await?;
        let info = Message::Assistant(step.message);
        state.history.push(&MessageWithParts { info, parts: step.parts });
        if state.stage.as_ref().is_some_and(|stage| stage.reminded) {
            state.history.said.push(note(&Structured::reminder()));
        }
        state.ended = ended;
        Ok(())
    }

    async fn verdict(&self, state: &mut State, step: &mut Step) -> Result<Option<Ended>, EngineError> {
        if let Some(why) = self.stop.why() {
            return Ok(Some(why.ended()));
        }
        if let Some(failure) = &step.message.error {
            return Ok(Some(Ended::Failed(Box::new(failure.clone()))));
        }
        if let Some(refused) = step.broke_off.take() {
            return self.again(state, step, &refused).await;
        }
        state.broken = 0;
        if step.blocked {
            return Ok(Some(Ended::Blocked));
        }
        if let Some(tool) = step.stuck.take() {
            return Ok(Some(self.limit(Limit::Loop { tool })));
        }
        if let Some(ended) = self.structured(state, step).await? {
            return Ok(ended);
        }
        if !step.called {
            return Ok(Some(Ended::Done));
        }
        Ok(self.exhausted(state).map(|limit| self.limit(limit)))
    }

    /// The limit that forbids one more step.
    fn exhausted(&self, state: &State) -> Option<Limit> {
        let steps = self.limits.steps.filter(|most| state.total >= *most).map(Limit::Steps);
        let budget = self.limits.budget.filter(|most| state.spent.dollars() >= *most).map(Limit::Budget);
        steps.or(budget)
    }

    fn limit(&self, limit: Limit) -> Ended {
        self.record.failed(&Failure::Unknown { message: limit.to_string(), reference: None });
        Ended::Limit(limit)
    }

    /// An answer broke off behind calls that have run: waits, and goes on from their results.
    async fn again(
        &self,
        state: &mut State,
        step: &mut Step,
        refused: &Refused,
    ) -> Result<Option<Ended>, EngineError> {
        state.broken += 1;
        let policy = state.stage.as_ref().map(|stage| stage.answerer.policy()).unwrap_or_default();
        let Some(wait) = policy.next(state.broken, refused, SystemTime::now(), 0.5) else {
            let failure = failures::stored(refused);
            self.record.failed(&failure);
            step.message.error = Some(failure.clone());
            self.record.answer(&step.message).await?;
            return Ok(Some(Ended::Failed(Box::new(failure))));
        };
        let next = wait.until.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let next = u64::try_from(next.as_millis()).unwrap_or(u64::MAX);
        self.status(SessionStatus::Retry {
            attempt: state.broken.into(),
            message: wait.reason,
            action: None,
            next,
        });
        tokio::select! {
            () = self.stop.token.cancelled() => {}
            () = tokio::time::sleep(wait.delay) => {}
        }
        self.status(SessionStatus::Busy);
        Ok(None)
    }

    /// Looks after an answer that must fit a schema; the outer `None` means that none is waited for, or that the model is
    /// still at work.
    async fn structured(
        &self,
        state: &mut State,
        step: &mut Step,
    ) -> Result<Option<Option<Ended>>, EngineError> {
        let Some(stage) = &mut state.stage else { return Ok(None) };
        stage.reminded = false;
        let Some(structured) = &mut stage.structured else { return Ok(None) };
        if let Some(answer) = step.structured.take() {
            step.message.structured = Some(answer);
            step.message.finish = Some("stop".to_owned());
            self.record.answer(&step.message).await?;
            return Ok(Some(Some(Ended::Done)));
        }
        let (misses, why) = match step.misfits.last() {
            Some(why) => (step.misfits.len(), why.clone()),
            None if step.called => return Ok(None),
            None => (1, "the model did not give a structured answer".to_owned()),
        };
        let Some(failure) = structured.missed(misses, &why) else {
            stage.reminded = !step.called;
            return Ok(Some(self.exhausted(state).map(|limit| self.limit(limit))));
        };
        self.record.failed(&failure);
        step.message.error = Some(failure.clone());
        self.record.answer(&step.message).await?;
        Ok(Some(Some(Ended::Failed(Box::new(failure)))))
    }

    fn status(&self, status: SessionStatus) {
        self.held.slot().status.send_replace(status.clone());
        self.record.status(status);
    }

    async fn door(&self) -> OwnedMutexGuard<Door> {
        Arc::clone(&self.held.slot().door).lock_owned().await
    }
}

/// A word of the program's own, on the user's side of the conversation.
fn note(text: &str) -> Said {
    Said::User(vec![UserPart::Text(text.into())])
}
