//! Follows a run: hears what happens, shows it, and has questions answered.

use std::io;
use std::time::Duration;

use praxis_engine::{Engine, EngineError, Outcome};
use praxis_proto::{Event, Failure as Trouble, Part, PartBody, Session, SessionId};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::answer::{Desk, Settled};
use super::ledger::Ledger;
use super::view::{Ending, Sums, View};
use crate::screen::Failure;
use crate::shelf::told;

/// How often a view is told that time has passed.
const TICK: Duration = Duration::from_millis(100);
/// How long events are let come together before they are shown: nobody reads faster, and to be woken for every word of an
/// answer costs more than the word.
const FRAME: Duration = Duration::from_millis(1);

/// Follows one run.
pub(super) struct Driver {
    engine: Engine,
    session: SessionId,
    view: Box<dyn View>,
    desk: Desk,
    ledger: Ledger,
    sums: Sums,
    events: Receiver<Event>,
}

impl Driver {
    /// Hears everything from now on.
    pub(super) fn new(engine: Engine, session: SessionId, view: Box<dyn View>, desk: Desk) -> Self {
        let events = engine.subscribe();
        Self { engine, session, view, desk, ledger: Ledger::default(), sums: Sums::default(), events }
    }

    pub(super) fn begin(&mut self, session: &Session) -> io::Result<()> {
        self.view.begin(session)
    }

    /// Shows what happens until the work is done; gives what it came to.
    pub(super) async fn see_through(
        &mut self,
        mut working: JoinHandle<Result<Outcome, EngineError>>,
    ) -> Result<Result<Outcome, EngineError>, Failure> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut next = Instant::now();
        let came = loop {
            tokio::select! {
                biased;
                settled = self.desk.answered(), if self.desk.is_busy() => self.answered(settled)?,
                // While somebody is being asked, the screen stays as it is.
                event = heard(next, &mut self.events), if !self.desk.is_busy() => {
                    self.hear(event).await?;
                    next = Instant::now() + FRAME;
                }
                came = &mut working => break came,
                _ = ticks.tick(), if self.view.is_animated() && !self.desk.is_busy() => self.view.tick()?,
            }
        };
        // Whoever is still being asked is asked in vain.
        self.desk.leave();
        let rest = self.events.try_recv();
        self.take(rest).await?;
        Ok(came.unwrap_or_else(|_| Err(EngineError::Crashed(self.session.clone()))))
    }

    /// The run could not even begin.
    pub(super) fn refused(&mut self, why: &str, code: u8) -> io::Result<()> {
        let trouble = Trouble::Unknown { message: why.to_owned(), reference: None };
        self.view.refused(&trouble, code)?;
        self.view.flush()
    }

    pub(super) fn end(&mut self, ending: Ending<'_>) -> io::Result<()> {
        self.view.end(ending, &self.sums)?;
        self.view.flush()
    }

    /// Takes an event and all that wait behind it, then lets the view catch its breath.
    async fn hear(&mut self, first: Result<Event, RecvError>) -> Result<(), Failure> {
        let first = first.map_err(|error| match error {
            RecvError::Lagged(count) => TryRecvError::Lagged(count),
            RecvError::Closed => TryRecvError::Closed,
        });
        self.take(first).await
    }

    async fn take(&mut self, mut next: Result<Event, TryRecvError>) -> Result<(), Failure> {
        loop {
            match next {
                Ok(event) => self.one(&event)?,
                Err(TryRecvError::Lagged(_)) => self.catch_up().await?,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
            if self.desk.is_busy() {
                break;
            }
            next = self.events.try_recv();
        }
        Ok(self.view.flush()?)
    }

    fn one(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::PermissionAsked(_) | Event::QuestionAsked(_) => self.attend(),
            Event::PartDelta { session, part, field, delta, .. }
                if *session == self.session && field == "text" =>
            {
                self.view.grown(part, delta)
            }
            Event::PartUpdated { session, part, .. } if *session == self.session => self.part(part),
            Event::PartRemoved { session, part, .. } if *session == self.session => self.view.removed(part),
            Event::SessionStatus { session, status } if *session == self.session => self.view.status(status),
            // What goes wrong in the project as a whole concerns the run too.
            Event::SessionError { session, error: Some(error) }
                if session.as_ref().is_none_or(|session| *session == self.session) =>
            {
                self.view.trouble(error)
            }
            // Other sessions, and what a run does not show.
            _ => Ok(()),
        }
    }

    fn part(&mut self, part: &Part) -> io::Result<()> {
        if part.body.is_open() {
            return self.view.open(part);
        }
        if !self.ledger.enter(part) {
            return Ok(());
        }
        match &part.body {
            PartBody::StepFinish(step) => self.sums.add(&step.tokens),
            PartBody::Text(text) => self.sums.text.clone_from(&text.text),
            _ => {}
        }
        self.view.settled(part)
    }

    /// Shows what was missed, from the store. What still waits on the bus is told apart by the ledger.
    async fn catch_up(&mut self) -> Result<(), Failure> {
        self.view.missed();
        let store = self.engine.store();
        for part in self.ledger.stored(&**store, &self.session).await.map_err(told)? {
            self.part(&part)?;
        }
        Ok(self.attend()?)
    }

    fn attend(&mut self) -> io::Result<()> {
        if !self.desk.is_wanted() {
            return Ok(());
        }
        if self.desk.needs_the_screen() {
            self.view.make_room()?;
        }
        self.desk.attend();
        Ok(())
    }

    fn answered(&mut self, settled: Option<Settled>) -> io::Result<()> {
        if let Some(Settled { request, reply, by }) = settled {
            self.view.answered(&request, reply, by)?;
        }
        self.attend()
    }
}

/// The next event, from some time on.
async fn heard(from: Instant, events: &mut Receiver<Event>) -> Result<Event, RecvError> {
    if Instant::now() < from {
        sleep_until(from).await;
    }
    events.recv().await
}
