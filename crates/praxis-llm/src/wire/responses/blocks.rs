//! The texts and thoughts of an answer that are being written.

use super::frame::Item;
use super::items::MADE;
use crate::{Event, Metadata};

/// The family under which ids and encrypted thoughts are kept.
pub(super) const FAMILY: &str = "openai";

/// At most one text and one thought are open; a new one ends the old one.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    text: Option<Block>,
    thought: Option<Block>,
    /// Texts begun so far.
    texts: u64,
    /// Items whose words have come in pieces, and need not be taken from the whole.
    written: std::collections::HashSet<String>,
}

#[derive(Debug)]
struct Block {
    id: String,
    item: String,
}

impl Blocks {
    /// More of a text. The item's id names it; a second piece of content has its index behind it.
    pub(super) fn write(&mut self, item: &str, index: u64, text: &str, out: &mut Vec<Event>) {
        if text.is_empty() {
            return;
        }
        let same = self.text.as_ref().is_some_and(|block| is_named(&block.id, item, index));
        if !same {
            self.close(out);
            let id = if index == 0 { item.to_owned() } else { format!("{item}:{index}") };
            let id = if id.is_empty() { format!("txt-{}", self.texts) } else { id };
            self.texts += 1;
            self.written.insert(item.to_owned());
            out.push(Event::TextStart { id: id.clone(), metadata: known(item) });
            self.text = Some(Block { id, item: item.to_owned() });
        }
        if let Some(block) = &self.text {
            out.push(Event::TextDelta { id: block.id.clone(), delta: text.to_owned() });
        }
    }

    /// A thought begins, or goes on if it is the open one.
    pub(super) fn begin_thought(&mut self, item: &str, part: &str, out: &mut Vec<Event>) {
        let open =
            |block: &Block| block.item == item && block.id[item.len()..].strip_prefix(':') == Some(part);
        if self.thought.as_ref().is_some_and(open) {
            return;
        }
        self.close(out);
        let id = format!("{item}:{part}");
        self.written.insert(item.to_owned());
        out.push(Event::ReasoningStart { id: id.clone(), metadata: known(item) });
        self.thought = Some(Block { id, item: item.to_owned() });
    }

    /// More of a thought.
    pub(super) fn think(&mut self, item: &str, part: &str, words: &str, out: &mut Vec<Event>) {
        if words.is_empty() {
            return;
        }
        self.begin_thought(item, part, out);
        if let Some(block) = &self.thought {
            out.push(Event::ReasoningDelta { id: block.id.clone(), delta: words.to_owned() });
        }
    }

    /// A message is whole: writes what did not come in pieces, and ends it.
    pub(super) fn end_text(&mut self, id: &str, item: &Item<'_>, out: &mut Vec<Event>) {
        if !self.written.contains(id) {
            for (index, words) in (0..).zip(&item.content.0) {
                let text = words.text.filled().or_else(|| words.refusal.filled());
                self.write(id, index, text.unwrap_or_default(), out);
            }
        }
        self.close(out);
    }

    /// A thought is whole: its encrypted form goes with its last block, which may be an empty one.
    pub(super) fn end_thought(&mut self, id: &str, item: &Item<'_>, out: &mut Vec<Event>) {
        let encrypted = item.encrypted_content.filled();
        if !self.written.contains(id) {
            for (index, words) in item.summary.0.iter().enumerate() {
                self.think(id, &index.to_string(), words.text.filled().unwrap_or_default(), out);
            }
            for words in &item.content.0 {
                self.think(id, RAW, words.text.filled().unwrap_or_default(), out);
            }
        }
        let open = self.thought.as_ref().is_some_and(|block| block.item == id);
        if !open && encrypted.is_some() {
            self.begin_thought(id, "0", out);
        }
        if let Some(block) = self.thought.take() {
            let metadata = known(&block.item);
            let metadata = match encrypted.filter(|_| block.item == id) {
                Some(encrypted) => metadata.with(FAMILY, "encryptedContent", encrypted),
                None => metadata,
            };
            out.push(Event::ReasoningEnd { id: block.id, metadata });
        }
    }

    /// Ends whatever is open.
    pub(super) fn close(&mut self, out: &mut Vec<Event>) {
        if let Some(block) = self.text.take() {
            out.push(Event::TextEnd { id: block.id, metadata: known(&block.item) });
        }
        if let Some(block) = self.thought.take() {
            out.push(Event::ReasoningEnd { id: block.id, metadata: known(&block.item) });
        }
    }
}

/// The part of a thought's id where the words are not a summary but the thought itself.
pub(super) const RAW: &str = "text";

/// What is kept about an item that has an id of its own.
pub(super) fn known(item: &str) -> Metadata {
    if item.is_empty() || item.starts_with(MADE) {
        Metadata::default()
    } else {
        Metadata::default().with(FAMILY, "itemId", item)
    }
}

/// Whether a block's id is the one for an item and an index, without making it.
fn is_named(id: &str, item: &str, index: u64) -> bool {
    if item.is_empty() {
        return id.starts_with("txt-");
    }
    match id.strip_prefix(item) {
        Some("") => index == 0,
        Some(rest) => rest.strip_prefix(':').and_then(|rest| rest.parse().ok()) == Some(index),
        None => false,
    }
}
