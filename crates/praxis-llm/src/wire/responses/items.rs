//! What names an item within an answer.

use std::borrow::Cow;
use std::collections::HashMap;

/// How many items are told apart by their place.
const ITEM_CAP: usize = 10_000;

/// How names begin that we made up, for servers that give items no id.
pub(super) const MADE: &str = "output-";

/// The ids of the items, by their place in the answer.
///
/// The first id of a place counts: some servers (Copilot) send another one with each event.
#[derive(Debug, Default)]
pub(super) struct Items(HashMap<u64, String>);

impl Items {
    /// The id that counts.
    pub(super) fn id<'a>(&'a mut self, id: &'a str, index: Option<u64>) -> Cow<'a, str> {
        let Some(index) = index else { return Cow::Borrowed(id) };
        let known = self.0.len() < ITEM_CAP || self.0.contains_key(&index);
        if !id.is_empty() && known {
            return Cow::Borrowed(self.0.entry(index).or_insert_with(|| id.to_owned()));
        }
        match self.0.get(&index) {
            Some(id) => Cow::Borrowed(id),
            None if id.is_empty() => Cow::Owned(format!("{MADE}{index}")),
            None => Cow::Borrowed(id),
        }
    }
}
