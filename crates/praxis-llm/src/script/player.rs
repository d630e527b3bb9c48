//! Who answers requests from a script.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::condition::shown;
use super::{After, Difference, Fault, Played, Script, Seen, Turn};

/// The code of an answer to a request that was not what the script expected.
pub const MISMATCH: &str = "script_mismatch";
/// The code of an answer for which the script has no turn left.
pub const ENDED: &str = "script_ended";

/// Answers requests from a script; several sessions may ask at once.
#[derive(Debug)]
pub struct Player {
    script: Script,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The turn to be played next, counted over all of them.
    next: usize,
    /// How often each turn has been played.
    played: Vec<u64>,
    /// How many requests have been answered.
    answered: u64,
    complaint: Option<String>,
}

impl Player {
    /// Plays a script from its beginning.
    pub fn new(script: Script) -> Self {
        let state = State { played: vec![0; script.turns.len()], ..State::default() };
        Self { script, state: Mutex::new(state) }
    }

    /// The answer to a request. A turn whose expectations are not met is not used up: it fails again until they are.
    pub fn turn(&self, seen: &Seen) -> Played {
        let mut state = self.state();
        state.answered += 1;
        // With the number of messages, ids stay apart when another player goes on with a session.
        let key = format!("{}_{}", seen.messages.len(), state.answered);
        let Some(index) = self.choose(&mut state, seen) else {
            drop(state);
            return self.past_the_end(seen, key);
        };
        let turn = &self.script.turns[index];
        let differences = turn.expect.differences(seen);
        if !differences.is_empty() {
            let message = self.mismatch(index, &differences);
            state.complaint.get_or_insert_with(|| message.clone());
            return Played::new(&Turn::fails(Fault::error(message, MISMATCH)), key);
        }
        state.played[index] += 1;
        if turn.when.is_none() {
            state.next = index + 1;
        }
        Played::new(turn, key)
    }

    /// How many turns that are played in order are still to come; those that repeat count once.
    pub fn left(&self) -> usize {
        let next = self.state().next;
        self.script.turns.iter().skip(next).filter(|turn| turn.when.is_none()).count()
    }

    /// How often each turn has been played, in the order of the script.
    pub fn played(&self) -> Vec<u64> {
        self.state().played.clone()
    }

    /// The first mismatch, so that it is not lost if whoever asked has hidden it.
    pub fn complaint(&self) -> Option<String> {
        self.state().complaint.clone()
    }

    /// The turn for a request: the first whose `when` fits, else the next in order.
    fn choose(&self, state: &mut State, seen: &Seen) -> Option<usize> {
        let turns = &self.script.turns;
        let fits = |(index, turn): (usize, &Turn)| {
            let when = turn.when.as_ref()?;
            let is_left = turn.times.is_none_or(|times| state.played[index] < times);
            (is_left && when.fits(seen)).then_some(index)
        };
        if let Some(index) = turns.iter().enumerate().find_map(fits) {
            return Some(index);
        }
        let next = |from: usize| (from..turns.len()).find(|&index| turns[index].when.is_none());
        match next(state.next) {
            None if self.script.after == After::Repeat => next(0),
            next => next,
        }
    }

    fn past_the_end(&self, seen: &Seen, key: String) -> Played {
        if self.script.after == After::Stop {
            return Played::new(&Turn::default(), key);
        }
        let Script { name, turns, .. } = &self.script;
        let message = format!(
            "the script `{name}` has no turn left for this request: its {} turns are played or do not fit; \
             add a turn, or say `after: stop` or `after: repeat`\n  the last user text is {}",
            turns.len(),
            shown(seen.last_user()),
        );
        self.state().complaint.get_or_insert_with(|| message.clone());
        Played::new(&Turn::fails(Fault::error(message, ENDED)), key)
    }

    fn mismatch(&self, index: usize, differences: &[Difference]) -> String {
        let place = match &self.script.turns[index].place {
            Some(place) => format!("turn {} ({place})", index + 1),
            None => format!("turn {} of `{}`", index + 1, self.script.name),
        };
        let lines: Vec<String> = differences.iter().map(Difference::to_string).collect();
        format!("the request is not what the script expects at {place}\n{}", lines.join("\n"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
