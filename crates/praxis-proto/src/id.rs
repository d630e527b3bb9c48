//! Time-ordered identifiers: `<prefix>_`, 15 hex digits of time and counter, 11 random characters.

use std::fmt;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS: usize = 11;
const TIME_DIGITS: usize = 15;
/// Ids made within one millisecond before the counter borrows from the next one.
const PER_MILLISECOND: u64 = 4096;
/// The time field is 60 bits wide; it does not wrap before the year 10000.
const TIME_BITS: u64 = (1 << 60) - 1;

/// What an id names; decides its prefix and whether newer ids sort first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    /// A session; newest sorts first.
    Session,
    /// A message.
    Message,
    /// A part of a message.
    Part,
    /// An event on the bus.
    Event,
    /// A permission request.
    Permission,
    /// A question to the user.
    Question,
    /// A saved tool output.
    ToolOutput,
    /// A tool call made without a provider's id.
    Call,
}

impl Prefix {
    /// The text before the underscore.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "ses",
            Self::Message => "msg",
            Self::Part => "prt",
            Self::Event => "evt",
            Self::Permission => "per",
            Self::Question => "que",
            Self::ToolOutput => "tool",
            Self::Call => "call",
        }
    }

    fn newest_first(self) -> bool {
        matches!(self, Self::Session)
    }
}

/// Makes ids that sort in the order in which they were made, even when the clock stands still or goes back.
pub struct Mint {
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    state: Mutex<State>,
}

struct State {
    last: u64,
    random: fastrand::Rng,
}

impl Mint {
    /// A mint on the given clock (milliseconds since the Unix epoch) with random tails.
    pub fn new(clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self::with(clock, fastrand::Rng::new())
    }

    /// A mint whose ids can be repeated, for tests.
    pub fn seeded(clock: impl Fn() -> u64 + Send + Sync + 'static, seed: u64) -> Self {
        Self::with(clock, fastrand::Rng::with_seed(seed))
    }

    fn with(clock: impl Fn() -> u64 + Send + Sync + 'static, random: fastrand::Rng) -> Self {
        Self { clock: Box::new(clock), state: Mutex::new(State { last: 0, random }) }
    }

    /// The next id with this prefix.
    pub fn next(&self, prefix: Prefix) -> String {
        let now = (self.clock)().saturating_mul(PER_MILLISECOND) + 1;
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.last = now.max(state.last + 1);
        let time = if prefix.newest_first() { !state.last & TIME_BITS } else { state.last & TIME_BITS };
        let tail: String =
            (0..RANDOM_CHARS).map(|_| char::from(BASE62[state.random.usize(..BASE62.len())])).collect();
        format!("{}_{time:015x}{tail}", prefix.as_str())
    }

    /// The next session id.
    pub fn session(&self) -> SessionId {
        SessionId(self.next(Prefix::Session))
    }

    /// The next message id.
    pub fn message(&self) -> MessageId {
        MessageId(self.next(Prefix::Message))
    }

    /// The next part id.
    pub fn part(&self) -> PartId {
        PartId(self.next(Prefix::Part))
    }

    /// Makes every later id sort behind this one, which another process made, perhaps on a clock that was ahead.
    ///
    /// An id of another program is taken by the hexadecimal digits it begins with. Session ids, which sort the other
    /// way round, are left alone.
    pub fn stay_behind(&self, id: &str) {
        let Some((prefix, rest)) = id.split_once('_') else { return };
        if prefix == Prefix::Session.as_str() {
            return;
        }
        let digits =
            rest.bytes().take(TIME_DIGITS).take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
        let Ok(time) = u64::from_str_radix(&rest[..digits], 16) else { return };
        // What the id does not tell is taken as the highest it could be.
        let unknown = 4 * (TIME_DIGITS - digits) as u32;
        let time = (time << unknown) | ((1 << unknown) - 1);
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.last = state.last.max(time.min(TIME_BITS - 1));
    }

    /// A call id, for calls that no provider numbered.
    pub fn call(&self) -> CallId {
        CallId(self.next(Prefix::Call))
    }
}

impl fmt::Debug for Mint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mint").finish_non_exhaustive()
    }
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes an id made elsewhere, as it is.
            pub fn from_raw(raw: impl Into<String>) -> Self {
                Self(raw.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type!(
    /// One conversation.
    SessionId
);
id_type!(
    /// One message of a session.
    MessageId
);
id_type!(
    /// One part of a message.
    PartId
);
id_type!(
    /// One use of a tool, as the provider numbered it.
    CallId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_documented_form() {
        let mint = Mint::seeded(|| 1_790_000_000_000, 1);
        let id = mint.next(Prefix::Message);
        let (prefix, rest) = id.split_once('_').unwrap();
        assert_eq!(prefix, "msg");
        assert_eq!(rest.len(), 26);
        assert!(rest[..15].bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
        assert_eq!(u64::from_str_radix(&rest[..15], 16).unwrap() >> 12, 1_790_000_000_000);
    }

    #[test]
    fn order_survives_a_clock_that_goes_back() {
        let times = Mutex::new(vec![5_u64, 9, 9, 3].into_iter());
        let mint = Mint::seeded(move || times.lock().unwrap().next().unwrap(), 1);
        let ids: Vec<_> = (0..4).map(|_| mint.next(Prefix::Message)).collect();
        assert!(ids.is_sorted(), "{ids:?}");
    }

    #[test]
    fn order_survives_a_new_process_on_a_clock_that_went_back() {
        let before = Mint::seeded(|| 1_790_000_000_000, 1).message();
        let mint = Mint::seeded(|| 1_000, 2);
        mint.stay_behind(before.as_str());
        assert!(before < mint.message());
        for foreign in ["msg_b3f0c2d4e5f6XyZabcdefghijk", "msg_b3f", "msg_", "none", "msg_ü"] {
            mint.stay_behind(foreign);
        }
        assert!(mint.message().as_str() > "msg_b3f0c2d4e5f6XyZabcdefghijk");
    }

    #[test]
    fn newer_sessions_sort_first() {
        let mint = Mint::seeded(|| 42, 1);
        assert!(mint.session() > mint.session());
    }

    #[test]
    fn more_ids_than_a_millisecond_holds_stay_ordered() {
        let mint = Mint::seeded(|| 1_000, 1);
        let ids: Vec<_> = (0..10_000).map(|_| mint.next(Prefix::ToolOutput)).collect();
        assert!(ids.is_sorted());
    }
}
