//! Calls whose arguments come in pieces.

use std::collections::HashMap;
use std::hash::Hash;

use crate::json::{Arguments, Trust, arguments};
use crate::{Event, Metadata};

/// The most argument text that all open calls of an answer may hold.
const TEXT_CAP: usize = 64 << 20;

/// The most calls that may be open at once.
const OPEN_CAP: usize = 1_024;

/// The calls of one answer, by the key that the stream gives them: an index or an item id.
///
/// A call is raised once its arguments are whole. Text that may have been cut is held until the provider has said why the
/// answer ended ([`Calls::settle`]); what is still open then was cut and is never raised.
#[derive(Debug)]
pub(crate) struct Calls<K> {
    open: HashMap<K, Call>,
    /// Ended by the stream, but not readable; in the order of their ends.
    doubtful: Vec<Call>,
    held: usize,
    raised: bool,
}

/// An answer has more calls or longer arguments than we are willing to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TooMuch {
    #[error("the model's call has more than {} MiB of arguments; ask for less in one call", TEXT_CAP >> 20)]
    Text,
    #[error("the model opened more than {OPEN_CAP} calls at once; ask for fewer in one answer")]
    Calls,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    text: String,
    metadata: Metadata,
}

impl<K> Default for Calls<K> {
    fn default() -> Self {
        Self { open: HashMap::new(), doubtful: Vec::new(), held: 0, raised: false }
    }
}

impl<K: Eq + Hash> Calls<K> {
    /// A call begins. If the key is taken, the call that had it ends first.
    pub(crate) fn start(
        &mut self,
        key: K,
        id: &str,
        name: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), TooMuch> {
        self.finish(&key, out);
        if self.open.len() + self.doubtful.len() >= OPEN_CAP {
            return Err(TooMuch::Calls);
        }
        out.push(Event::ToolInputStart { id: id.to_owned(), tool_name: name.to_owned() });
        let call = Call {
            id: id.to_owned(),
            name: name.to_owned(),
            text: String::new(),
            metadata: Metadata::default(),
        };
        self.open.insert(key, call);
        Ok(())
    }

    /// More argument text. False if no such call is open; the text is then lost.
    pub(crate) fn push(&mut self, key: &K, delta: &str, out: &mut Vec<Event>) -> Result<bool, TooMuch> {
        let Some(call) = self.open.get_mut(key) else { return Ok(false) };
        if delta.is_empty() {
            return Ok(true);
        }
        self.held += delta.len();
        if self.held > TEXT_CAP {
            return Err(TooMuch::Text);
        }
        call.text.push_str(delta);
        out.push(Event::ToolInputDelta { id: call.id.clone(), delta: delta.to_owned() });
        Ok(true)
    }

    /// Gives the argument text that counts, where a stream repeats it whole at the end. What the deltas lacked of it is
    /// raised as one more delta, so that whoever listens has the same text.
    pub(crate) fn correct(&mut self, key: &K, text: &str, out: &mut Vec<Event>) -> Result<bool, TooMuch> {
        let Some(call) = self.open.get_mut(key) else { return Ok(false) };
        if let Some(rest) = text.strip_prefix(call.text.as_str()) {
            return self.push(key, rest, out);
        }
        self.held = self.held - call.text.len() + text.len();
        if self.held > TEXT_CAP {
            return Err(TooMuch::Text);
        }
        text.clone_into(&mut call.text);
        Ok(true)
    }

    /// Sets what the provider wants back with a call.
    pub(crate) fn annotate(&mut self, key: &K, metadata: Metadata) {
        if let Some(call) = self.open.get_mut(key) {
            call.metadata = metadata;
        }
    }

    /// The stream says that a call has all its text. It is raised if the text can be read, else it waits for
    /// [`Calls::settle`]. False if no such call is open.
    pub(crate) fn finish(&mut self, key: &K, out: &mut Vec<Event>) -> bool {
        let Some(call) = self.open.remove(key) else { return false };
        out.push(Event::ToolInputEnd { id: call.id.clone() });
        match arguments(&call.text, Trust::Unknown) {
            Arguments::Whole(input) => {
                self.held -= call.text.len();
                self.raise(call, input, out);
            }
            Arguments::Doubtful => self.doubtful.push(call),
        }
        true
    }

    /// The provider has said why the answer ended. If every call that had its end is complete, the doubtful ones are raised
    /// too, as text where they cannot be mended; else they are dropped. Calls without an end are dropped in any case.
    pub(crate) fn settle(&mut self, trust: Trust, out: &mut Vec<Event>) {
        self.open.clear();
        self.held = 0;
        let doubtful = std::mem::take(&mut self.doubtful);
        if trust == Trust::Unknown {
            return;
        }
        for call in doubtful {
            if let Arguments::Whole(input) = arguments(&call.text, trust) {
                self.raise(call, input, out);
            }
        }
    }

    /// The argument text of an open call so far.
    pub(crate) fn text(&self, key: &K) -> Option<&str> {
        self.open.get(key).map(|call| call.text.as_str())
    }

    /// Whether a call is open under a key.
    pub(crate) fn is_open(&self, key: &K) -> bool {
        self.open.contains_key(key)
    }

    /// Whether a call has text but no end.
    pub(crate) fn half(&self) -> bool {
        self.open.values().any(|call| !call.text.is_empty())
    }

    /// Whether a call has had its end and cannot be read.
    pub(crate) fn doubtful(&self) -> bool {
        !self.doubtful.is_empty()
    }

    /// Whether a call was raised.
    pub(crate) fn raised(&self) -> bool {
        self.raised
    }

    fn raise(&mut self, call: Call, input: serde_json::Value, out: &mut Vec<Event>) {
        self.raised = true;
        let Call { id, name, metadata, .. } = call;
        out.push(Event::ToolCall { tool_call_id: id, tool_name: name, input, metadata });
    }
}

impl<K: Eq + Hash + Clone + Ord> Calls<K> {
    /// Finishes every open call, in the order of their keys, for streams that give no end for each.
    pub(crate) fn finish_all(&mut self, out: &mut Vec<Event>) {
        let mut keys: Vec<K> = self.open.keys().cloned().collect();
        keys.sort_unstable();
        for key in keys {
            self.finish(&key, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn call(id: &str, input: Value) -> Event {
        let (tool_call_id, tool_name) = (id.to_owned(), "read".to_owned());
        Event::ToolCall { tool_call_id, tool_name, input, metadata: Metadata::default() }
    }

    fn begun(pieces: &[&str]) -> (Calls<u64>, Vec<Event>) {
        let (mut calls, mut out) = (Calls::default(), Vec::new());
        calls.start(0, "c1", "read", &mut out).unwrap();
        for piece in pieces {
            assert_eq!(calls.push(&0, piece, &mut out), Ok(true));
        }
        (calls, out)
    }

    #[test]
    fn pieces_become_one_call() {
        let (mut calls, mut out) = begun(&[r#"{"path""#, "", r#":"a"}"#]);
        assert!(calls.finish(&0, &mut out));
        let delta = |delta: &str| Event::ToolInputDelta { id: "c1".into(), delta: delta.into() };
        let expected = vec![
            Event::ToolInputStart { id: "c1".into(), tool_name: "read".into() },
            delta(r#"{"path""#),
            delta(r#":"a"}"#),
            Event::ToolInputEnd { id: "c1".into() },
            call("c1", json!({"path": "a"})),
        ];
        assert_eq!(out, expected);
        assert!(calls.raised());
    }

    #[test]
    fn a_call_without_an_end_is_never_raised() {
        let (mut calls, mut out) = begun(&[r#"{"path":"a"}"#]);
        let before = out.len();
        calls.settle(Trust::Complete, &mut out);
        assert_eq!(out.len(), before);
        assert!(!calls.raised() && !calls.half());
    }

    #[test]
    fn a_cut_call_is_raised_as_text_only_if_the_provider_calls_it_complete() {
        for (trust, raised) in
            [(Trust::Unknown, None), (Trust::Complete, Some(call("c1", json!(r#"{"path":"a"#))))]
        {
            let (mut calls, mut out) = begun(&[r#"{"path":"a"#]);
            calls.finish(&0, &mut out);
            assert_eq!(out.last(), Some(&Event::ToolInputEnd { id: "c1".into() }));
            let before = out.len();
            calls.settle(trust, &mut out);
            assert_eq!(out[before..].first(), raised.as_ref());
        }
    }

    #[test]
    fn a_key_used_again_ends_the_call_that_had_it() {
        let (mut calls, mut out) = begun(&["{}"]);
        calls.start(0, "c2", "read", &mut out).unwrap();
        calls.finish_all(&mut out);
        let raised: Vec<&Event> =
            out.iter().filter(|event| matches!(event, Event::ToolCall { .. })).collect();
        assert_eq!(raised, [&call("c1", json!({})), &call("c2", json!({}))]);
    }

    #[test]
    fn the_whole_text_at_the_end_counts() {
        let (mut calls, mut out) = begun(&[r#"{"path""#]);
        calls.correct(&0, r#"{"path":"b"}"#, &mut out).unwrap();
        assert_eq!(out.last(), Some(&Event::ToolInputDelta { id: "c1".into(), delta: r#":"b"}"#.into() }));
        calls.correct(&0, r#"{"path":"c"}"#, &mut out).unwrap();
        calls.finish(&0, &mut out);
        assert_eq!(out.last(), Some(&call("c1", json!({"path": "c"}))));
    }

    #[test]
    fn what_an_answer_may_hold_is_bounded() {
        let (mut calls, mut out) = begun(&[]);
        let half = "x".repeat(TEXT_CAP / 2);
        assert_eq!(calls.push(&0, &half, &mut out), Ok(true));
        assert_eq!(calls.push(&0, &half, &mut out), Ok(true));
        assert_eq!(calls.push(&0, "x", &mut out), Err(TooMuch::Text));

        let (mut calls, mut out) = (Calls::default(), Vec::new());
        for key in 0..OPEN_CAP {
            calls.start(key, "c", "read", &mut out).unwrap();
        }
        assert_eq!(calls.start(OPEN_CAP, "c", "read", &mut out), Err(TooMuch::Calls));
    }
}
