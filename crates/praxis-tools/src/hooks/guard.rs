//! What keeps an extension from harming the work it takes part in: a deadline, a caught panic, and an end of patience.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use praxis_proto::{Event, Failure, SessionId};
use tokio::time::Instant;

use super::{Extension, HookFailure, Hooked};
use crate::Bus;
use crate::lock::lock;

/// The longest deadline that an extension may ask for.
const LONGEST: Duration = Duration::from_secs(60);
/// Deadlines that may be missed in a row.
const MOST_MISSED: u32 = 3;
/// How long an extension that missed so many is left alone.
const REST: Duration = Duration::from_secs(60);

/// Why a hook had no effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HookTrouble {
    /// It says so itself.
    #[error("{failure}")]
    Failed {
        /// In its own words.
        failure: HookFailure,
    },
    /// It took too long.
    #[error("it took longer than {after:?}")]
    TimedOut {
        /// The deadline.
        after: Duration,
    },
    /// It took too long again and again, and is left alone for a while.
    #[error("it did not answer {MOST_MISSED} times in a row, and is not asked for a minute")]
    Resting,
    /// It is broken.
    #[error("it panicked: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
    },
}

/// An extension under guard: whatever it does, the work around it goes on.
pub struct Guard<H: ?Sized> {
    missed: Mutex<Missed>,
    bus: Bus,
    hooks: Arc<H>,
}

#[derive(Default)]
struct Missed {
    in_a_row: u32,
    until: Option<Instant>,
}

impl<H: Extension + ?Sized> Guard<H> {
    /// Guards an extension; what goes wrong with it is told on the bus.
    pub fn new(hooks: Arc<H>, bus: Bus) -> Self {
        Self { missed: Mutex::default(), bus, hooks }
    }

    /// The extension itself, for what needs no guard.
    pub fn hooks(&self) -> &H {
        &self.hooks
    }

    /// Runs one hook. What it changes should be a draft, for it may be left in the middle.
    pub async fn run<'a, T>(&'a self, work: impl FnOnce(&'a H) -> Hooked<'a, T>) -> Result<T, HookTrouble> {
        if self.is_resting() {
            return Err(HookTrouble::Resting);
        }
        let after = self.hooks.deadline().min(LONGEST);
        match tokio::time::timeout(after, caught(|| work(&self.hooks))).await {
            Ok(ended) => {
                *lock(&self.missed) = Missed::default();
                ended
            }
            Err(_) if self.misses() => Err(HookTrouble::Resting),
            Err(_) => Err(HookTrouble::TimedOut { after }),
        }
    }

    /// Runs one hook and tells people if it had no effect.
    pub async fn attempt<'a, T>(
        &'a self,
        point: &str,
        session: Option<&SessionId>,
        work: impl FnOnce(&'a H) -> Hooked<'a, T>,
    ) -> Option<T> {
        // That it rests was told when it began to.
        let was_resting = self.is_resting();
        match self.run(work).await {
            Ok(value) => Some(value),
            Err(trouble) => {
                if !was_resting {
                    self.tell(point, session, &trouble);
                }
                None
            }
        }
    }

    /// Tells people that a hook had no effect.
    pub fn tell(&self, point: &str, session: Option<&SessionId>, trouble: &HookTrouble) {
        let message = self.told(point, trouble);
        tracing::debug!(message);
        let error = Some(Box::new(Failure::Unknown { message, reference: None }));
        self.bus.publish(Event::SessionError { session: session.cloned(), error });
    }

    /// The trouble in words.
    pub fn told(&self, point: &str, trouble: &HookTrouble) -> String {
        format!("the extension `{}` had no effect at `{point}`: {trouble}", self.hooks.name())
    }

    fn is_resting(&self) -> bool {
        lock(&self.missed).until.is_some_and(|until| Instant::now() < until)
    }

    /// Counts a missed deadline; says whether it was one too many.
    fn misses(&self) -> bool {
        let mut missed = lock(&self.missed);
        missed.in_a_row += 1;
        if missed.in_a_row < MOST_MISSED {
            return false;
        }
        *missed = Missed { in_a_row: 0, until: Some(Instant::now() + REST) };
        true
    }
}

/// Turns a panic, in making the future or in running it, into trouble.
async fn caught<'a, T>(work: impl FnOnce() -> Hooked<'a, T>) -> Result<T, HookTrouble> {
    let mut future = catch_unwind(AssertUnwindSafe(work)).map_err(panicked)?;
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(ended)) => Poll::Ready(ended.map_err(|failure| HookTrouble::Failed { failure })),
        Err(panic) => Poll::Ready(Err(panicked(panic))),
    })
    .await
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> HookTrouble {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = text.or_else(|| panic.downcast_ref::<String>().cloned());
    HookTrouble::Panicked { message: message.unwrap_or_else(|| "no message".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does what it is told to.
    struct Foreign;

    impl Extension for Foreign {
        fn name(&self) -> &str {
            "foreign"
        }

        fn deadline(&self) -> Duration {
            Duration::from_secs(2)
        }
    }

    fn guard() -> Guard<Foreign> {
        Guard::new(Arc::new(Foreign), Bus::default())
    }

    fn never<'a>(_: &'a Foreign) -> Hooked<'a> {
        Box::pin(std::future::pending())
    }

    #[tokio::test]
    async fn a_panic_and_a_failure_are_trouble_of_their_own() {
        let guard = guard();
        let failed = guard.run::<()>(|_| Box::pin(async { Err(HookFailure("no".into())) })).await;
        assert_eq!(failed, Err(HookTrouble::Failed { failure: HookFailure("no".into()) }));
        let late = guard.run::<()>(|_| Box::pin(async { panic!("late {}", 1) })).await;
        assert_eq!(late, Err(HookTrouble::Panicked { message: "late 1".into() }));
        let early = guard.run::<()>(|_| panic!("early")).await;
        assert_eq!(early, Err(HookTrouble::Panicked { message: "early".into() }));
        assert_eq!(guard.run(|_| Box::pin(async { Ok(7) })).await, Ok(7));
    }

    #[tokio::test(start_paused = true)]
    async fn who_misses_three_deadlines_in_a_row_is_left_alone_and_told_once() {
        let guard = guard();
        let mut heard = guard.bus.subscribe();
        let timed_out = Err(HookTrouble::TimedOut { after: Duration::from_secs(2) });
        assert_eq!(guard.run(never).await, timed_out);
        assert_eq!(guard.run(|_| Box::pin(async { Ok(()) })).await, Ok(()));
        assert_eq!([guard.run(never).await, guard.run(never).await], [timed_out.clone(), timed_out]);

        let session = SessionId::from_raw("ses_1");
        for _ in 0..3 {
            assert_eq!(guard.attempt("chat.params", Some(&session), never).await, None);
        }
        let Ok(Event::SessionError { session: Some(told), error: Some(error) }) = heard.try_recv() else {
            panic!("nobody was told")
        };
        assert_eq!(told, session);
        insta::assert_snapshot!(error.message(), @"the extension `foreign` had no effect at `chat.params`: it did not answer 3 times in a row, and is not asked for a minute");
        assert!(heard.try_recv().is_err(), "it was told again");
    }
}
