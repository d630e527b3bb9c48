//! Which call a piece belongs to, for servers that agree on little.
//!
//! By the book each piece has an index, and the first piece of an index has an id and a name. In the wild the index is
//! missing, or 0 for every call; the id is missing, repeated, or new with each piece; the name comes in pieces or with each
//! piece. What decides then is whether the arguments so far are whole: a name behind whole arguments begins a new call.

use std::collections::HashSet;

use super::chunk::CallDelta;
use crate::Event;
use crate::calls::{Calls, TooMuch};
use crate::wire::ids::Ids;

/// The most calls of one answer.
const SLOT_CAP: usize = 1_024;

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    calls: Calls<usize>,
    ids: HashSet<String>,
    /// Makes ids for calls that have none.
    made: Ids,
}

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    /// As the server gave it.
    id: String,
    name: String,
    brackets: Brackets,
    started: bool,
}

/// Why the calls of an answer cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    #[error("the model's answer has more than {SLOT_CAP} calls; ask for fewer in one answer")]
    TooMany,
    #[error("the model called a tool without naming it; try again")]
    Unnamed,
}

impl Slots {
    pub(super) fn new(made: Ids) -> Self {
        Self { slots: Vec::new(), calls: Calls::default(), ids: HashSet::new(), made }
    }

    /// Takes one piece.
    pub(super) fn push(&mut self, delta: &CallDelta<'_>, out: &mut Vec<Event>) -> Result<(), Trouble> {
        let piece = Piece::of(delta);
        let at = match self.find(&piece) {
            Some(at) => at,
            None => self.open(&piece)?,
        };
        let slot = &mut self.slots[at];
        slot.learn(&piece);
        if piece.arguments.is_empty() {
            return Ok(());
        }
        if slot.brackets.closed() {
            return self.push_behind(at, piece.arguments, out);
        }
        slot.brackets.read(piece.arguments);
        if !slot.started {
            self.start(at, out)?;
        }
        self.calls.push(&at, piece.arguments, out)?;
        Ok(())
    }

    /// More text for arguments that are whole already. Some servers send the whole again, some an empty object before the
    /// real one; anything else makes the arguments unreadable, which is better than running half of them.
    fn push_behind(&mut self, at: usize, more: &str, out: &mut Vec<Event>) -> Result<(), Trouble> {
        let before = self.calls.text(&at).unwrap_or_default();
        if before == more {
            return Ok(());
        }
        if before.trim() != "{}" || !more.trim_start().starts_with('{') {
            self.calls.push(&at, more, out)?;
            return Ok(());
        }
        let brackets = &mut self.slots[at].brackets;
        *brackets = Brackets::default();
        brackets.read(more);
        self.calls.correct(&at, more, out)?;
        Ok(())
    }

    /// The answer is over. Calls whose arguments never came are whole only if the server says so.
    pub(super) fn finish(&mut self, complete: bool, out: &mut Vec<Event>) -> Result<(), Trouble> {
        for at in 0..self.slots.len() {
            if !self.slots[at].started && complete {
                self.start(at, out)?;
            }
        }
        self.calls.finish_all(out);
        Ok(())
    }

    pub(super) fn calls(&mut self) -> &mut Calls<usize> {
        &mut self.calls
    }

    fn start(&mut self, at: usize, out: &mut Vec<Event>) -> Result<(), Trouble> {
        let slot = &mut self.slots[at];
        if slot.name.is_empty() {
            return Err(Trouble::Unnamed);
        }
        slot.started = true;
        let mut id = slot.id.clone();
        // An id names one call; a second call with it would be answered with the first one's result.
        while id.is_empty() || self.ids.contains(&id) {
            id = self.made.make();
        }
        self.ids.insert(id.clone());
        self.calls.start(at, &id, &self.slots[at].name, out)?;
        Ok(())
    }

    fn open(&mut self, piece: &Piece<'_>) -> Result<usize, Trouble> {
        if self.slots.len() >= SLOT_CAP {
            return Err(Trouble::TooMany);
        }
        self.slots.push(Slot { index: piece.index, ..Slot::default() });
        Ok(self.slots.len() - 1)
    }

    /// The call that a piece continues; none if it begins one.
    fn find(&self, piece: &Piece<'_>) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        let by_id = || self.slots.iter().rposition(|slot| !piece.id.is_empty() && slot.id == piece.id);
        if let Some(index) = piece.index {
            let Some(at) = self.slots.iter().rposition(|slot| slot.index == Some(index)) else {
                // A piece without a name begins nothing, whatever its index.
                return by_id().or(Some(last)).filter(|_| piece.name.is_empty());
            };
            return (!self.slots[at].ends_before(piece)).then_some(at);
        }
        if piece.id.is_empty() {
            return (!self.slots[last].ends_before(piece)).then_some(last);
        }
        by_id().filter(|at| !self.is_another(*at, piece))
    }

    /// Whether a piece without an index, with the id of a call, is a whole call of its own all the same.
    fn is_another(&self, at: usize, piece: &Piece<'_>) -> bool {
        let slot = &self.slots[at];
        let again = piece.name == slot.name && self.calls.text(&at) == Some(piece.arguments);
        slot.brackets.closed() && !piece.name.is_empty() && !piece.arguments.is_empty() && !again
    }
}

impl Slot {
    /// Whether a piece that could belong to this call begins another one.
    fn ends_before(&self, piece: &Piece<'_>) -> bool {
        if piece.name.is_empty() {
            return false;
        }
        let same_id = !piece.id.is_empty() && piece.id == self.id;
        if same_id {
            return false;
        }
        if self.brackets.closed() {
            return true;
        }
        let other_id = !piece.id.is_empty() && !self.id.is_empty();
        let other_name = !self.name.is_empty() && piece.name != self.name;
        // A name in pieces: nothing else has come yet.
        let growing = !self.brackets.begun() && !other_id && piece.arguments.is_empty();
        other_name && !growing
    }

    fn learn(&mut self, piece: &Piece<'_>) {
        if self.id.is_empty() {
            piece.id.clone_into(&mut self.id);
        }
        if self.started || piece.name.is_empty() || piece.name == self.name {
            return;
        }
        if piece.name.starts_with(self.name.as_str()) {
            self.name.clear();
        }
        self.name.push_str(piece.name);
    }
}

/// What a delta says, absent and empty taken as one.
struct Piece<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: &'a str,
}

impl<'a> Piece<'a> {
    fn of(delta: &'a CallDelta<'_>) -> Self {
        let function = delta.function.0.as_ref();
        Self {
            index: delta.index.0,
            id: delta.id.filled().unwrap_or_default(),
            name: function.and_then(|function| function.name.filled()).unwrap_or_default(),
            arguments: function.and_then(|function| function.arguments.0.as_deref()).unwrap_or_default(),
        }
    }
}

/// Whether an object that comes in pieces has had its last bracket.
#[derive(Debug, Default)]
struct Brackets {
    depth: u32,
    quoted: bool,
    escaped: bool,
    begun: bool,
}

impl Brackets {
    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match byte {
                b'\\' if self.quoted => self.escaped = true,
                b'"' => self.quoted = !self.quoted,
                b'{' | b'[' if !self.quoted => {
                    self.depth = self.depth.saturating_add(1);
                    self.begun = true;
                }
                b'}' | b']' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn begun(&self) -> bool {
        self.begun
    }

    fn closed(&self) -> bool {
        self.begun && self.depth == 0 && !self.quoted
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The calls that some deltas make, in a server's own words: index, id, name, arguments.
    fn calls(deltas: &[&str]) -> Result<Vec<(String, Value)>, Trouble> {
        let (mut slots, mut out) = (Slots::new(Ids::new("t".to_owned())), Vec::new());
        for delta in deltas {
            slots.push(&serde_json::from_str(delta).unwrap(), &mut out)?;
        }
        slots.finish(true, &mut out)?;
        let call = |event| match event {
            Event::ToolCall { tool_name, input, .. } => Some((tool_name, input)),
            _ => None,
        };
        Ok(out.into_iter().filter_map(call).collect())
    }

    fn read(path: &str) -> (String, Value) {
        ("read".to_owned(), json!({"path": path}))
    }

    const A: &str = r#""arguments":"{\"path\":\"a\"}""#;
    const B: &str = r#""arguments":"{\"path\":\"b\"}""#;

    #[test]
    fn whole_calls_are_told_apart_by_whatever_is_there() {
        let by_index =
            [r#"{"index":0,"function":{"name":"read",A}}"#, r#"{"index":1,"function":{"name":"read",B}}"#];
        let by_id =
            [r#"{"id":"1","function":{"name":"read",A}}"#, r#"{"id":"2","function":{"name":"read",B}}"#];
        let by_id_alone = [
            r#"{"index":0,"id":"1","function":{"name":"read",A}}"#,
            r#"{"index":0,"id":"2","function":{"name":"read",B}}"#,
        ];
        let by_nothing = [r#"{"function":{"name":"read",A}}"#, r#"{"function":{"name":"read",B}}"#];
        let by_one_index =
            [r#"{"index":0,"function":{"name":"read",A}}"#, r#"{"index":0,"function":{"name":"read",B}}"#];
        let by_one_id =
            [r#"{"id":"1","function":{"name":"read",A}}"#, r#"{"id":"1","function":{"name":"read",B}}"#];
        for deltas in [by_index, by_id, by_id_alone, by_nothing, by_one_index, by_one_id] {
            let deltas = deltas.map(|delta| delta.replace('A', A).replace('B', B));
            let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
            assert_eq!(calls(&deltas), Ok(vec![read("a"), read("b")]), "{deltas:?}");
        }
    }

    #[test]
    fn a_call_that_is_repeated_whole_is_one() {
        let delta = format!(r#"{{"id":"1","function":{{"name":"read",{A}}}}}"#);
        assert_eq!(calls(&[&delta, &delta]), Ok(vec![read("a")]));
    }

    #[test]
    fn pieces_that_wander_between_indexes_stay_with_their_call() {
        let deltas = [
            r#"{"index":0,"id":"1","function":{"name":"read","arguments":"{\"path\""}}"#,
            r#"{"index":1,"function":{"arguments":":\"a\""}}"#,
            r#"{"index":2,"id":"1","function":{"arguments":"}"}}"#,
        ];
        assert_eq!(calls(&deltas), Ok(vec![read("a")]));
    }

    #[test]
    fn names_come_whole_repeated_or_in_pieces() {
        for names in [["read", ""], ["read", "read"], ["re", "ad"], ["re", "read"], ["", "read"]] {
            let first = format!(r#"{{"index":0,"id":"1","function":{{"name":"{}"}}}}"#, names[0]);
            let second = format!(r#"{{"index":0,"function":{{"name":"{}"}}}}"#, names[1]);
            let third = format!(r#"{{"index":0,"function":{{{A}}}}}"#);
            assert_eq!(calls(&[&first, &second, &third]), Ok(vec![read("a")]), "{names:?}");
        }
    }

    #[test]
    fn text_behind_whole_arguments_makes_them_unreadable() {
        let first = format!(r#"{{"index":0,"id":"1","function":{{"name":"read",{A}}}}}"#);
        assert_eq!(calls(&[&first, r#"{"index":0,"function":{"arguments":"{\"x"}}"#]), Ok(vec![]));
    }

    #[test]
    fn a_call_needs_a_name() {
        assert_eq!(calls(&[r#"{"index":0,"id":"1","function":{"arguments":"{}"}}"#]), Err(Trouble::Unnamed));
        assert_eq!(calls(&["{}"]), Err(Trouble::Unnamed));
    }

    #[test]
    fn an_answer_has_only_so_many_calls() {
        let delta = |n: usize| format!(r#"{{"index":{n},"id":"{n}","function":{{"name":"read"}}}}"#);
        let deltas: Vec<String> = (0..=SLOT_CAP).map(delta).collect();
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        assert_eq!(calls(&deltas[..SLOT_CAP]).map(|calls| calls.len()), Ok(SLOT_CAP));
        assert_eq!(calls(&deltas), Err(Trouble::TooMany));
    }
}
