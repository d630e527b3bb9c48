//! A run: step after step, from a prompt until the session is idle again.

mod crash;
mod stage;
mod verdict;

use std::sync::Arc;

use praxis_llm::cost::Money;
use praxis_llm::provider::Choice;
use praxis_llm::turn::{Chain, Told};
use praxis_llm::{Message as Said, Request, UserPart};
use praxis_proto::{
    AnswerPath, AnswerTime, AssistantMessage, Event, Failure, Message, MessageWithParts, SessionStatus,
    Tokens, UserMessage,
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
use crate::runner::{Door, Finished, Held, Kind, Next, Stop, Work};
use crate::structured::Structured;
use crate::{prompts, queue};

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
    /// Begins a run, behind the door.
    pub(crate) fn start(engine: &Arc<Inner>, held: &Held, door: &mut Door, record: Record, next: Next) {
        let Next { sender, ending, limits } = next;
        let stop = Stop::default();
        door.work = Some(Work { kind: Kind::Run, stop: stop.clone(), ending });
        let run = Self { engine: Arc::clone(engine), held: held.clone(), record, limits, stop };
        let (engine, session) = (Arc::clone(engine), held.slot().session.clone());
        let tasks = engine.tasks.clone();
        tasks.spawn(async move {
            // On a task of its own: an extension that panics in it must not leave the session busy for ever.
            if tokio::spawn(run.go(sender)).await.is_err() {
                crash::tidy(&engine, &session).await;
            }
        });
    }

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
        self.tell_totals().await;
        door.work = None;
        door.inbox.clear();
        let ended = finished.as_ref().map_or(&Ended::Done, |outcome| &outcome.ended);
        if !queue::follow(&self.engine, &self.held, &mut door, &self.record, ended).await {
            self.status(SessionStatus::Idle);
        }
        // The right to write goes first, so that whoever hears of the end can take it.
        drop(self);
        drop(door);
        sender.send_replace(Some(finished));
    }

    /// What the session has used by now.
    async fn tell_totals(&self) {
        if let Ok(session) = self.record.store.session(self.record.session()).await {
            self.record.bus.publish(Event::SessionUpdated(session.into()));
        }
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
        queue::recall(&mut door, &history.queued, self.limits);
        let nothing = history.user.is_none();
        let ended = (nothing || history.settled().is_some()).then_some(Ended::Done);
        if nothing && door.queue.is_empty() {
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
        // Going in circles is over when the user says something new; other limits are not.
        let goes = match &state.ended {
            Some(Ended::Cancelled) => true,
            Some(Ended::Limit(limit)) => !matches!(limit, Limit::Loop { .. }),
            Some(Ended::Done | Ended::Failed(_) | Ended::Blocked) | None => false,
        };
        if !door.inbox.is_empty() && !goes {
            let told = std::mem::take(&mut door.inbox);
            told.iter().for_each(|told| state.history.push(&told.message));
            if told.iter().any(|told| told.wants_answer) {
                state.doom.reset();
                (state.steps, state.broken, state.ended) = (0, 0, None);
            }
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
        if let Some(before) = &state.stage {
            // The user has said something new: what came of the words before is complete.
            let (changes, snapshots) = (&mut state.history.changes, &*self.engine.snapshots);
            changes.tell(before.user(), snapshots, &self.record).await?;
        }
        let reader = Choice { provider: user.model.provider.clone(), model: user.model.model.clone() };
        let changed = *state.history.reader() != reader;
        let stage = Stage::set(&self.engine, session, user).await?;
        if changed || state.history.told.as_ref().is_some_and(|told| !stage.goes_on_with(told)) {
            let mut door = self.door().await;
            state.history = History::load(&*self.record.store, session, Some(reader)).await?;
            door.inbox.clear();
        }
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
        let (answerer, user) = (stage.answerer.clone(), stage.user.clone());
        let token = self.engine.closing.child_token();
        self.engine.tasks.spawn(async move {
            let said = said.into_iter().collect();
            crate::title::make(&engine, &session, &user, said, &answerer, token).await;
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
        let chain = stage.chain(&self.engine).await;
        let mut told = self.told(&mut state.history, &chain, &mut request).await?;
        if last {
            request.messages.push(note(prompts::STEP_LIMIT.trim_end()));
        }
        let bench = Arc::new(Bench {
            offer: stage.offer.clone(),
            cx: stage.cx.clone(),
            answerer: stage.answerer.clone(),
            hooks: Arc::clone(&self.engine.hooks),
            snapshots: Arc::clone(&self.engine.snapshots),
            doom: Arc::clone(&state.doom),
            lanes: Arc::clone(&stage.lanes),
            images: self.engine.workbench.images,
            last,
            shape: stage.structured.as_ref().map(|structured| Arc::clone(&structured.shape)),
            continues: self.engine.workbench.loaded.config.experimental.continue_loop_on_deny == Some(true),
            stop: self.stop.clone(),
            state: self.held.slot().status.clone(),
        });
        let processor = Processor::begin(self.record.clone(), bench, message).await;
        let step = processor.run(&chain, &mut told, &request).await?;
        if !self.changes_messages() {
            state.history.told = Some(told);
        }
        if !last {
            stage.give_back(request.system, request.tools);
        }
        Ok(step)
    }

    /// What the model is told of the conversation: only what is new, unless an extension wants to change all of it.
    async fn told(
        &self,
        history: &mut History,
        chain: &Chain,
        request: &mut Request,
    ) -> Result<Told, EngineError> {
        if !self.changes_messages() {
            let mut told = history.told.take().unwrap_or_else(|| begun(chain, history.called));
            told.say(history.said.drain(..));
            return Ok(told);
        }
        let mut messages = history::told(&*self.record.store, self.record.session()).await?.messages;
        // The answer that has just begun has nothing to say yet.
        messages.pop();
        self.engine.hooks.messages(self.record.session(), &mut messages).await;
        let mut changed = History::empty(history.reader().clone());
        messages.iter().for_each(|message| changed.push(message));
        request.messages = changed.said;
        Ok(begun(chain, history.called))
    }

    fn changes_messages(&self) -> bool {
        self.engine.hooks.change_messages()
    }

    /// Decides whether another step follows.
    async fn judge(&self, state: &mut State, mut step: Step) -> Result<(), EngineError> {
        state.spent = state.spent + step.cost;
        let ended = self.verdict(state, &mut step).await?;
        state.history.changes.step(&step.message.parent, &step.parts);
        if let Some(stage) = state.stage.as_ref().filter(|_| ended.is_some()) {
            let (changes, snapshots) = (&mut state.history.changes, &*self.engine.snapshots);
            changes.tell(stage.user(), snapshots, &self.record).await?;
        }
        let info = Message::Assistant(step.message);
        state.history.push(&MessageWithParts { info, parts: step.parts });
        if state.stage.as_ref().is_some_and(|stage| stage.reminded) {
            state.history.said.push(note(&Structured::reminder()));
        }
        state.ended = ended;
        Ok(())
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

/// A conversation with a model; `called` if calls were made in it that may not be said any more.
fn begun(chain: &Chain, called: bool) -> Told {
    let mut told = chain.told();
    if called {
        told.had_native_calls();
    }
    told
}
