//! Thoughts that a model writes into its text, between tags, before it answers.

use crate::{Event, Metadata};

/// The most white space in front of a tag.
const BLANK_CAP: usize = 1 << 10;

/// How thoughts are told from the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking {
    /// The tag's name.
    pub tag: String,
    /// Whether the answer begins inside of the tag, as with templates that open it for the model.
    pub opened: bool,
}

impl Default for Thinking {
    fn default() -> Self {
        Self { tag: "think".to_owned(), opened: false }
    }
}

/// Watches the events of one answer and makes a thought of what its first text says between the tags. White space around
/// the tags is dropped; everything else is kept byte for byte. However the stream is cut, the events are the same.
#[derive(Debug)]
pub struct Think {
    open: String,
    close: String,
    opened: bool,
    state: State,
    id: String,
    start: Option<Event>,
    /// What may be a tag, once more of it is there.
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space so far.
    Before,
    /// Between the tags.
    Inside,
    /// Behind them, and nothing but white space since.
    Behind,
    /// Everything passes.
    Text,
}

impl Think {
    /// A filter for one answer.
    pub fn new(thinking: &Thinking) -> Self {
        Self {
            open: format!("<{}>", thinking.tag),
            close: format!("</{}>", thinking.tag),
            opened: thinking.opened,
            state: State::Before,
            id: String::new(),
            start: None,
            held: String::new(),
        }
    }

    /// Takes one event and pushes what comes of it.
    pub fn event(&mut self, event: Event, out: &mut Vec<Event>) {
        match event {
            _ if self.state == State::Text => out.push(event),
            Event::TextStart { ref id, .. } => {
                self.id.clone_from(id);
                self.start = Some(event);
            }
            Event::TextDelta { id, delta } => {
                self.id = id;
                self.push(&delta, out);
            }
            Event::TextEnd { .. } => self.text_end(event, out),
            // The server tells thoughts apart by itself, so the text begins as an answer.
            Event::ReasoningStart { .. } | Event::ReasoningDelta { .. } | Event::ReasoningEnd { .. } => {
                self.opened = false;
                out.push(event);
            }
            Event::ToolInputStart { .. }
            | Event::ToolInputDelta { .. }
            | Event::ToolInputEnd { .. }
            | Event::ToolCall { .. }
            | Event::FinishStep { .. }
            | Event::Error { .. } => {
                self.end(out);
                out.push(event);
            }
        }
    }

    /// The answer is over, perhaps without a word: what is held is passed on.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        match self.state {
            State::Before => self.pass(out),
            State::Inside => {
                self.think(self.held.len(), out);
                self.end_thought(out);
            }
            State::Behind | State::Text => {}
        }
        self.state = State::Text;
    }

    fn push(&mut self, delta: &str, out: &mut Vec<Event>) {
        self.held.push_str(delta);
        if self.state == State::Before {
            self.before(out);
        }
        if self.state == State::Inside {
            self.inside(out);
        }
        if self.state == State::Behind {
            self.held.drain(..self.held.len() - self.held.trim_start().len());
            if !self.held.is_empty() {
                self.state = State::Text;
            }
        }
        if self.state == State::Text {
            self.pass(out);
        }
    }

    fn before(&mut self, out: &mut Vec<Event>) {
        let said = self.held.trim_start();
        let blank = self.held.len() - said.len();
        if blank > BLANK_CAP {
            self.state = State::Text;
        } else if said.starts_with(&self.open) {
            self.held.drain(..blank + self.open.len());
            self.start_thought(out);
        } else if self.open.starts_with(said) {
            // Undecided.
        } else if self.opened {
            self.start_thought(out);
        } else {
            self.state = State::Text;
        }
    }

    fn inside(&mut self, out: &mut Vec<Event>) {
        if let Some(at) = self.held.find(&self.close) {
            self.think(at, out);
            self.held.drain(..self.close.len());
            self.end_thought(out);
            return;
        }
        let keep = (1..self.close.len()).rev().find(|len| self.held.ends_with(&self.close[..*len]));
        self.think(self.held.len() - keep.unwrap_or(0), out);
    }

    fn thought(&self) -> String {
        format!("{}-{}", self.id, self.close.trim_matches(['<', '/', '>']))
    }

    fn start_thought(&mut self, out: &mut Vec<Event>) {
        self.state = State::Inside;
        out.push(Event::ReasoningStart { id: self.thought(), metadata: Metadata::default() });
    }

    /// Passes on the first `len` bytes of what is held.
    fn think(&mut self, len: usize, out: &mut Vec<Event>) {
        if len == 0 {
            return;
        }
        let delta = self.held.drain(..len).collect();
        out.push(Event::ReasoningDelta { id: self.thought(), delta });
    }

    fn end_thought(&mut self, out: &mut Vec<Event>) {
        self.state = State::Behind;
        out.push(Event::ReasoningEnd { id: self.thought(), metadata: Metadata::default() });
    }

    fn pass(&mut self, out: &mut Vec<Event>) {
        out.extend(self.start.take());
        if !self.held.is_empty() {
            let delta = std::mem::take(&mut self.held);
            out.push(Event::TextDelta { id: self.id.clone(), delta });
        }
    }

    fn text_end(&mut self, end: Event, out: &mut Vec<Event>) {
        // White space alone does not make it the first text.
        if self.state == State::Before && self.held.trim().is_empty() {
            self.pass(out);
            out.push(end);
            return;
        }
        let alone = matches!(self.state, State::Inside | State::Behind);
        self.end(out);
        // A thought alone leaves no text behind.
        if alone {
            self.start = None;
        } else {
            out.push(end);
        }
    }
}

/// Watches any text. Panics if something other than tags and white space is lost, or if it matters how it is cut.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for opened in [false, true] {
        let whole = watched(&text, usize::MAX, opened);
        assert_eq!(whole, watched(&text, 1, opened), "the cut matters");
        let (thought, said) = whole;
        assert!(text.ends_with(&said) && text.contains(&thought), "text was changed");
    }
}

fn watched(text: &str, size: usize, opened: bool) -> (String, String) {
    let mut think = Think::new(&Thinking { opened, ..Thinking::default() });
    let (mut out, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        think.event(Event::TextDelta { id: "0".to_owned(), delta: delta.to_owned() }, &mut out);
        rest = after;
    }
    think.end(&mut out);
    let (mut thought, mut said) = (String::new(), String::new());
    for event in out {
        match event {
            Event::ReasoningDelta { delta, .. } => thought.push_str(&delta),
            Event::TextDelta { delta, .. } => said.push_str(&delta),
            _ => {}
        }
    }
    (thought, said)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{FinishReason, Usage};

    fn start() -> Event {
        Event::TextStart { id: "0".into(), metadata: Metadata::default() }
    }

    fn delta(text: &str) -> Event {
        Event::TextDelta { id: "0".into(), delta: text.into() }
    }

    fn end() -> Event {
        Event::TextEnd { id: "0".into(), metadata: Metadata::default() }
    }

    fn thought(text: &str) -> Vec<Event> {
        let (id, metadata) = (|| "0-think".to_owned(), Metadata::default);
        vec![
            Event::ReasoningStart { id: id(), metadata: metadata() },
            Event::ReasoningDelta { id: id(), delta: text.into() },
            Event::ReasoningEnd { id: id(), metadata: metadata() },
        ]
    }

    fn finish() -> Event {
        Event::FinishStep { finish_reason: FinishReason::Stop, usage: Usage::default() }
    }

    fn filtered(opened: bool, events: Vec<Event>) -> Vec<Event> {
        let (mut think, mut out) = (Think::new(&Thinking { opened, ..Thinking::default() }), Vec::new());
        events.into_iter().for_each(|event| think.event(event, &mut out));
        think.end(&mut out);
        out
    }

    fn said(text: &str) -> Vec<Event> {
        vec![start(), delta(text), end(), finish()]
    }

    fn after(mut thought: Vec<Event>, rest: Vec<Event>) -> Vec<Event> {
        thought.extend(rest);
        thought
    }

    #[test]
    fn a_thought_at_the_start_is_told_apart() {
        let answer = after(thought("\nhm\n"), said("Yes. <think>no</think>"));
        assert_eq!(filtered(false, said("\n<think>\nhm\n</think>\n\nYes. <think>no</think>")), answer);
    }

    #[test]
    fn a_thought_whose_tag_was_opened_before_is_told_apart() {
        assert_eq!(filtered(true, said("hm</think>Yes")), after(thought("hm"), said("Yes")));
        assert_eq!(filtered(true, said("<think>hm</think>Yes")), after(thought("hm"), said("Yes")));
        assert_eq!(filtered(false, said("hm</think>Yes")), said("hm</think>Yes"));
    }

    #[test]
    fn a_tag_elsewhere_is_text() {
        for text in ["a <think>b</think>", "<thinking>a</thinking>", "<", "<think", "", " "] {
            let events = said(text);
            let meant = if text.is_empty() { vec![start(), end(), finish()] } else { events.clone() };
            assert_eq!(filtered(false, events), meant, "{text}");
        }
    }

    #[test]
    fn a_thought_without_an_end_is_all_there_is() {
        let mut open = thought("hm </thi");
        open[1] = Event::ReasoningDelta { id: "0-think".into(), delta: "hm ".into() };
        open.insert(2, Event::ReasoningDelta { id: "0-think".into(), delta: "</thi".into() });
        assert_eq!(filtered(false, said("<think>hm </thi")), after(open, vec![finish()]));
    }

    #[test]
    fn where_the_server_tells_thoughts_apart_the_text_is_an_answer() {
        let events = after(thought("hm"), said("Yes"));
        assert_eq!(filtered(true, events.clone()), events);
    }

    #[test]
    fn white_space_before_a_tag_is_bounded() {
        let blank = |len: usize| format!("{}<think>hm</think>", " ".repeat(len));
        assert_eq!(filtered(false, said(&blank(BLANK_CAP))), after(thought("hm"), vec![finish()]));
        assert_eq!(filtered(false, said(&blank(BLANK_CAP + 1))), said(&blank(BLANK_CAP + 1)));
    }

    #[test]
    fn a_call_ends_what_is_open() {
        let call = Event::ToolInputStart { id: "1".into(), tool_name: "read".into() };
        let events = vec![start(), delta("<think>hm"), call.clone(), finish()];
        assert_eq!(filtered(false, events), after(thought("hm"), vec![call, finish()]));
    }

    proptest! {
        #[test]
        fn any_text_is_kept_however_it_is_cut(pieces in prop::collection::vec(
            prop::sample::select(vec!["<think>", "</think>", "<", "</", "think>", " ", "\n", "a", "é"]), 0..12)) {
            fuzz(pieces.concat().as_bytes());
        }
    }
}
