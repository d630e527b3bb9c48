//! A list that grows at its end, whose beginning is kept as JSON text.
//!
//! A conversation is sent again with every request. What stands far enough from its end will not change any more: it is
//! written once, and from then on only its bytes are kept and sent.

use bytes::Bytes;
use serde_json::Value;

/// How long a piece of text becomes before another one is begun.
const PIECE: usize = 16 << 10;

/// A list of what becomes JSON.
#[derive(Debug, Clone)]
pub(crate) struct Growing<T> {
    sealed: Sealed,
    /// What may still change.
    pub(crate) open: Vec<T>,
}

/// The values that will not change any more, with commas between them.
#[derive(Debug, Clone, Default)]
struct Sealed {
    full: Vec<Bytes>,
    last: Vec<u8>,
}

impl<T> Default for Growing<T> {
    fn default() -> Self {
        Self { sealed: Sealed::default(), open: Vec::new() }
    }
}

impl<T> Growing<T> {
    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.sealed.is_empty()
    }

    /// Turns all but the last values into text.
    pub(crate) fn seal(&mut self, keep: usize, into_value: impl Fn(T) -> Value) {
        let done = self.open.len().saturating_sub(keep);
        for value in self.open.drain(..done) {
            self.sealed.push(&into_value(value));
        }
    }

    /// The text of what is no longer open, in pieces.
    pub(crate) fn sealed(&self) -> Vec<Bytes> {
        let last = (!self.sealed.last.is_empty()).then(|| Bytes::copy_from_slice(&self.sealed.last));
        self.sealed.full.iter().cloned().chain(last).collect()
    }
}

impl Sealed {
    fn is_empty(&self) -> bool {
        self.full.is_empty() && self.last.is_empty()
    }

    fn push(&mut self, value: &Value) {
        if !self.is_empty() {
            self.last.push(b',');
        }
        write_value(value, &mut self.last);
        if self.last.len() >= PIECE {
            let mut full = std::mem::take(&mut self.last);
            full.shrink_to_fit();
            self.full.push(full.into());
        }
    }
}

/// Writes a value as JSON.
pub(crate) fn write_value(value: &Value, out: &mut Vec<u8>) {
    // Neither a value nor a vector can fail to be written.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_end_stays_open_and_the_text_is_that_of_the_list() {
        let mut list = Growing::default();
        let mut meant = Vec::new();
        for number in 0..50 {
            let value = json!({"n": number, "text": "é\n".repeat(2_000)});
            meant.push(value.clone());
            list.open.push(value);
            list.seal(3, |value| value);
            assert!(list.open.len() <= 3);
        }
        assert!(list.sealed().len() > 1, "one piece only");
        let sealed = list.sealed().concat();
        let open = serde_json::to_vec(&list.open).unwrap();
        let text = [b"[", sealed.as_slice(), b",", &open[1..]].concat();
        assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), Value::Array(meant));
    }

    #[test]
    fn nothing_is_sealed_before_there_is_enough() {
        let mut list = Growing::default();
        assert!(list.is_empty());
        list.open.push(json!(1));
        list.seal(1, |value| value);
        assert_eq!((list.sealed(), list.open.len(), list.is_empty()), (Vec::new(), 1, false));
        list.seal(0, |value| value);
        assert_eq!((list.sealed().concat(), list.is_empty()), (b"1".to_vec(), false));
    }
}
