//! Whether another step follows.

use std::time::SystemTime;

use praxis_llm::failure::Failure as Refused;
use praxis_proto::{Failure, SessionStatus};

use super::{Run, State};
use crate::failures;
use crate::outcome::{Ended, EngineError, Limit};
use crate::processor::Step;

impl Run {
    /// Why the run ends with this step, if it does.
    pub(super) async fn verdict(
        &self,
        state: &mut State,
        step: &mut Step,
    ) -> Result<Option<Ended>, EngineError> {
        if let Some(why) = self.stop.why() {
            return Ok(Some(why.ended()));
        }
        if let Some(failure) = &step.message.error {
            return Ok(Some(Ended::Failed(Box::new(failure.clone()))));
        }
        if let Some(refused) = step.broke_off.take().filter(|_| step.structured.is_none()) {
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
        if step.last {
            // It was told to answer in words, and would be told so for ever.
            return Ok(Some(self.limit(Limit::Steps(state.steps))));
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
}
