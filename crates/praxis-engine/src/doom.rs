//! Calls that lead nowhere: the same one again and again, through all steps of a run.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// How often the same call, or the same round of up to [`LONGEST_ROUND`] calls, is made before somebody is asked.
pub(crate) const ASK_AT: usize = 3;
/// How often the same call or round with the same results is made before the run stops by itself.
pub(crate) const STOP_AT: usize = 5;
/// The longest round that counts as going in circles.
const LONGEST_ROUND: usize = 3;
/// Calls that are remembered: enough for every comparison below.
const REMEMBERED: usize = 64;

/// What the calls of a run so far say about the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    Fresh,
    /// It was made often enough to ask whether that is meant.
    Ask,
    /// It was made so often, always with the same result, that one more would change nothing.
    Stop,
}

/// Names one call of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// The calls of one run, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Doom {
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    next: u64,
    entries: VecDeque<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    ticket: u64,
    call: u64,
    /// None while it runs.
    result: Option<u64>,
}

impl Doom {
    /// A call begins.
    pub(crate) fn enter(&self, tool: &str, input: &Value) -> (Ticket, Verdict) {
        let call = fingerprint(tool, input);
        let mut ring = self.lock();
        let ticket = ring.next;
        ring.next += 1;
        if ring.entries.len() == REMEMBERED {
            ring.entries.pop_front();
        }
        ring.entries.push_back(Entry { ticket, call, result: None });
        (Ticket(ticket), ring.verdict())
    }

    /// A call has its result. One that never ran has that of the same call before it: nothing has changed since.
    pub(crate) fn leave(&self, ticket: Ticket, result: Option<&str>) {
        let mut ring = self.lock();
        let Some(at) = ring.entries.iter().position(|entry| entry.ticket == ticket.0) else { return };
        let call = ring.entries[at].call;
        let before = ring.entries.range(..at).rev().find(|entry| entry.call == call);
        let result = match result {
            Some(text) => Some(hash(|hasher| text.hash(hasher))),
            None => before.and_then(|entry| entry.result),
        };
        ring.entries[at].result = result;
    }

    /// The user has said something new.
    pub(crate) fn reset(&self) {
        self.lock().entries.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    /// Judges the newest call.
    fn verdict(&self) -> Verdict {
        let newest_first: Vec<Entry> = self.entries.iter().rev().copied().collect();
        let rounds = 1..=LONGEST_ROUND;
        if rounds.clone().any(|round| is_stuck(&newest_first, round)) {
            return Verdict::Stop;
        }
        let circles = |round: usize| repeats(&newest_first, round, ASK_AT, |entry| entry.call);
        if rounds.clone().any(circles) { Verdict::Ask } else { Verdict::Fresh }
    }
}

/// Whether the newest calls are the same round so many times over, as far as `what` tells them apart.
fn repeats<T: PartialEq>(newest: &[Entry], round: usize, times: usize, what: impl Fn(&Entry) -> T) -> bool {
    let Some(seen) = newest.get(..round * times) else { return false };
    seen.iter().zip(&seen[round..]).all(|(newer, older)| what(newer) == what(older))
}

/// Whether the round was made often enough, and before the newest call always with the same results.
fn is_stuck(newest: &[Entry], round: usize) -> bool {
    let Some((_, before)) = newest.split_first() else { return false };
    let known = before.get(..round * (STOP_AT - 1)).is_some_and(|all| all.iter().all(|e| e.result.is_some()));
    known
        && repeats(newest, round, STOP_AT, |entry| entry.call)
        && repeats(before, round, STOP_AT - 1, |entry| entry.result)
}

/// The same for the same arguments, in whatever order their keys come.
pub(crate) fn fingerprint(tool: &str, input: &Value) -> u64 {
    hash(|hasher| {
        tool.hash(hasher);
        canonical(input, hasher);
    })
}

fn hash(feed: impl FnOnce(&mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    feed(&mut hasher);
    hasher.finish()
}

fn canonical(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(value) => (1_u8, value).hash(hasher),
        Value::Number(number) => (2_u8, number.to_string()).hash(hasher),
        Value::String(text) => (3_u8, text).hash(hasher),
        Value::Array(items) => {
            (4_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| canonical(item, hasher));
        }
        Value::Object(fields) => {
            (5_u8, fields.len()).hash(hasher);
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in sorted {
                name.hash(hasher);
                canonical(value, hasher);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is said of each call of a row; a call is a letter, its result the text behind it.
    fn verdicts(calls: &[(&str, &str)]) -> Vec<Verdict> {
        let doom = Doom::default();
        let call = |(input, result): &(&str, &str)| {
            let (ticket, verdict) = doom.enter("read", &json!(input));
            doom.leave(ticket, Some(result));
            verdict
        };
        calls.iter().map(call).collect()
    }

    use Verdict::{Ask, Fresh, Stop};

    #[test]
    fn the_third_same_call_is_a_question_and_the_fifth_with_the_same_result_the_end() {
        assert_eq!(verdicts(&[("a", "1"); 6]), [Fresh, Fresh, Ask, Ask, Stop, Stop]);
        let changing = [("a", "1"), ("a", "2"), ("a", "3"), ("a", "4"), ("a", "5")];
        assert_eq!(verdicts(&changing), [Fresh, Fresh, Ask, Ask, Ask]);
        assert_eq!(verdicts(&[("a", "1"), ("b", "1"), ("a", "1"), ("a", "1")]), [Fresh; 4]);
    }

    #[test]
    fn rounds_of_two_and_three_count_when_they_come_three_times() {
        let (a, b, c) = (("a", "1"), ("b", "1"), ("c", "1"));
        assert_eq!(verdicts(&[a, b, a, b, a, b]), [Fresh, Fresh, Fresh, Fresh, Fresh, Ask]);
        let mut three = vec![Fresh; 8];
        three.push(Ask);
        assert_eq!(verdicts(&[a, b, c, a, b, c, a, b, c]), three);
        // Five times with the same results is the end, for rounds as for single calls.
        let rounds: Vec<_> = [a, b].into_iter().cycle().take(11).collect();
        let mut said = vec![Fresh; 5];
        said.extend([Ask, Ask, Ask, Ask, Stop, Stop]);
        assert_eq!(verdicts(&rounds), said);
        let changing: Vec<(String, String)> =
            (0..12).map(|n| (["a", "b"][n % 2].to_owned(), n.to_string())).collect();
        let changing: Vec<(&str, &str)> = changing.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert!(!verdicts(&changing).contains(&Stop));
    }

    #[test]
    fn the_order_of_keys_means_nothing_and_that_of_items_does() {
        let same = fingerprint("t", &json!({"a": 1, "b": {"c": [1, 2], "d": null}}));
        assert_eq!(same, fingerprint("t", &json!({"b": {"d": null, "c": [1, 2]}, "a": 1})));
        assert_ne!(same, fingerprint("t", &json!({"a": 1, "b": {"c": [2, 1], "d": null}})));
        assert_ne!(same, fingerprint("u", &json!({"a": 1, "b": {"c": [1, 2], "d": null}})));
        assert_ne!(fingerprint("t", &json!(["ab"])), fingerprint("t", &json!(["a", "b"])));
    }

    #[test]
    fn a_call_that_was_refused_is_one_more_of_the_same_and_a_running_one_is_not() {
        let doom = Doom::default();
        let mut said = Vec::new();
        for result in [Some("1"), Some("1"), None, None, None] {
            let (ticket, verdict) = doom.enter("t", &json!({}));
            doom.leave(ticket, result);
            said.push(verdict);
        }
        assert_eq!(said, [Fresh, Fresh, Ask, Ask, Stop]);
        doom.reset();
        let running: Vec<Verdict> = (0..6).map(|_| doom.enter("t", &json!({})).1).collect();
        assert_eq!(running, [Fresh, Fresh, Ask, Ask, Ask, Ask]);
    }
}
