//! Ids for calls that come without one.

/// Random letters in the ids of one answer.
const TAIL: usize = 16;

/// Makes ids that no other answer has: a prefix of its own and a number.
#[derive(Debug, Clone)]
pub(crate) struct Ids {
    prefix: String,
    next: u64,
}

impl Ids {
    /// Ids with a random prefix.
    pub(crate) fn random() -> Self {
        Self::new(std::iter::repeat_with(fastrand::alphanumeric).take(TAIL).collect())
    }

    /// Ids with a prefix that the caller knows to be unique.
    pub(crate) fn new(prefix: String) -> Self {
        Self { prefix, next: 0 }
    }

    pub(crate) fn make(&mut self) -> String {
        let id = format!("call_{}_{}", self.prefix, self.next);
        self.next += 1;
        id
    }
}
