//! Whether and when a failed request is made again. Pure: the clock and the dice are the caller's.

use std::time::{Duration, SystemTime};

use crate::failure::{Class, Failure};

/// How often and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The most retries.
    pub most: u32,
    /// The first wait, where the provider names none; each further one is twice as long.
    pub first: Duration,
    /// The longest of these waits.
    pub longest: Duration,
    /// The longest wait that a provider can ask for.
    pub longest_told: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            most: 5,
            first: Duration::from_secs(2),
            longest: Duration::from_secs(30),
            longest_told: Duration::from_secs(600),
        }
    }
}

/// A wait before the next try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// How long.
    pub delay: Duration,
    /// Until when, for whoever looks at a clock.
    pub until: SystemTime,
    /// Why, for people.
    pub reason: String,
}

impl Policy {
    /// The wait before retry number `attempt`, from 1; none if there is to be no retry. `random` is from 0 to 1 and
    /// spreads clients that failed together.
    pub fn next(&self, attempt: u32, failure: &Failure, now: SystemTime, random: f64) -> Option<Wait> {
        if !failure.retryable || attempt == 0 || attempt > self.most {
            return None;
        }
        let told = failure.retry_after.and_then(|after| after.from_now(now));
        let delay = match told {
            Some(told) => told.min(self.longest_told),
            None => self.grown(attempt, random),
        };
        Some(Wait { delay, until: now.checked_add(delay)?, reason: reason(failure) })
    }

    /// Twice as long for each attempt, and up to a quarter more.
    fn grown(&self, attempt: u32, random: f64) -> Duration {
        let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let grown = self.first.saturating_mul(factor).min(self.longest);
        let more = if random.is_finite() { random.clamp(0.0, 1.0) / 4.0 } else { 0.0 };
        grown.mul_f64(1.0 + more).min(self.longest)
    }
}

fn reason(failure: &Failure) -> String {
    match failure.class {
        Class::Overload => format!("`{}` is overloaded", failure.provider),
        Class::Rate => format!("`{}` limits how often it may be asked", failure.provider),
        Class::Auth
        | Class::Quota
        | Class::Overflow
        | Class::ContentFilter
        | Class::BadRequest
        | Class::Network
        | Class::Timeout
        | Class::Cancelled
        | Class::Protocol
        | Class::Unknown => failure.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::failure::RetryAfter;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn failure(retry_after: Option<RetryAfter>) -> Failure {
        Failure { retry_after, ..Failure::new(Class::Rate, "p", "slow down") }
    }

    fn delay(attempt: u32, failure: &Failure, random: f64) -> Option<Duration> {
        Policy::default().next(attempt, failure, NOW, random).map(|wait| wait.delay)
    }

    fn seconds(seconds: f64) -> Option<Duration> {
        Some(Duration::from_secs_f64(seconds))
    }

    #[test]
    fn waits_grow_up_to_a_cap_and_then_there_are_no_more() {
        let waits: Vec<_> = (0..=6).map(|attempt| delay(attempt, &failure(None), 0.0)).collect();
        let expected = [None, seconds(2.0), seconds(4.0), seconds(8.0), seconds(16.0), seconds(30.0), None];
        assert_eq!(waits, expected);
        assert_eq!(delay(1, &failure(None), 1.0), seconds(2.5));
        assert_eq!(delay(5, &failure(None), 1.0), seconds(30.0));
    }

    #[test]
    fn what_the_provider_says_counts_up_to_a_cap() {
        let told = |after| delay(1, &failure(Some(after)), 0.5);
        assert_eq!(told(RetryAfter::In(Duration::ZERO)), seconds(0.0));
        assert_eq!(told(RetryAfter::In(Duration::from_secs(600))), seconds(600.0));
        assert_eq!(told(RetryAfter::In(Duration::from_secs(601))), seconds(600.0));
        assert_eq!(told(RetryAfter::At(NOW + Duration::from_secs(7))), seconds(7.0));
        // A date that has passed says nothing.
        assert_eq!(told(RetryAfter::At(NOW - Duration::from_secs(7))), seconds(2.25));
    }

    #[test]
    fn the_wait_says_until_when_and_why() {
        let wait = Policy::default().next(1, &failure(None), NOW, 0.0);
        let expected = Wait {
            delay: Duration::from_secs(2),
            until: NOW + Duration::from_secs(2),
            reason: "`p` limits how often it may be asked".into(),
        };
        assert_eq!(wait, Some(expected));
    }

    proptest! {
        #[test]
        fn no_wait_is_longer_than_its_cap(attempt: u32, random: f64, told: Option<u64>, date: bool) {
            let after = told.map(|told| match date {
                true => RetryAfter::At(NOW + Duration::from_secs(told >> 4)),
                false => RetryAfter::In(Duration::from_secs(told)),
            });
            let policy = Policy::default();
            match policy.next(attempt, &failure(after), NOW, random) {
                None => prop_assert!(attempt == 0 || attempt > policy.most),
                Some(wait) => {
                    let cap = if told.is_some() { policy.longest_told } else { policy.longest };
                    prop_assert!(wait.delay <= cap && wait.until == NOW + wait.delay);
                    prop_assert!(told.is_some() || wait.delay >= policy.first);
                }
            }
        }

        #[test]
        fn what_cannot_help_is_not_tried(attempt in 0_u32..9, random in 0.0..1.0) {
            for class in [Class::Auth, Class::Quota, Class::Overflow, Class::ContentFilter, Class::Cancelled] {
                let failure = Failure::new(class, "p", "no");
                prop_assert_eq!(Policy::default().next(attempt, &failure, NOW, random), None);
            }
        }
    }
}
