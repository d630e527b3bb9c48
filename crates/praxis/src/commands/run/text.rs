//! A run for people: the answer on stdout, everything else on stderr.
//!
//! On a terminal the answer streams. Elsewhere each text comes whole, so that an answer that had to be begun again does
//! not leave half a text before it.

mod call;
mod paper;
mod sum;

use std::io;
use std::time::{Duration, Instant};

use praxis_engine::{Ended, Outcome};
use praxis_policy::Care;
use praxis_proto::{
    Failure, Part, PartBody, PartId, PermissionRequest, ReplyKind, Session, SessionStatus, ToolState,
};

use self::paper::Paper;
use super::view::{By, Ending, Sums, View};
use crate::paint::{Lines, harmless};

/// What takes longer shows how long.
const PATIENCE: Duration = Duration::from_secs(3);

/// The run as text.
pub(super) struct Text {
    paper: Paper,
    thinking: bool,
    /// The answer is a value, and texts are talk about it.
    structured: bool,
    streaming: Option<Streaming>,
    /// Calls at work, by what they are called on the screen.
    running: Vec<(PartId, String)>,
    /// What went wrong last. The end of the run may say the same, so it waits.
    trouble: Option<String>,
    /// When something last came.
    since: Instant,
    /// A question of the model was left without an answer.
    dismissed: bool,
}

/// A text or thought that is being shown while it grows.
struct Streaming {
    part: PartId,
    kind: Kind,
    /// Bytes of it that are shown.
    shown: usize,
    /// Some of it was missed; the rest comes when it is settled.
    has_gap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Answer,
    Thought,
}

impl Text {
    pub(super) fn new(thinking: bool, structured: bool) -> Self {
        Self {
            paper: Paper::new(),
            thinking,
            structured,
            streaming: None,
            running: Vec::new(),
            trouble: None,
            since: Instant::now(),
            dismissed: false,
        }
    }

    /// Begins to show a part while it grows, where that is wanted and no other is being shown.
    fn stream(&mut self, part: &Part) {
        let kind = match &part.body {
            PartBody::Text(_) if !self.structured => Kind::Answer,
            PartBody::Reasoning(_) if self.thinking => Kind::Thought,
            _ => return,
        };
        if self.paper.is_live() && self.streaming.is_none() {
            self.streaming = Some(Streaming { part: part.id.clone(), kind, shown: 0, has_gap: false });
        }
    }

    fn say(&mut self, kind: Kind, text: &str) -> io::Result<()> {
        match kind {
            Kind::Answer if self.structured => self.paper.aside(text),
            Kind::Answer => self.paper.answer(text),
            Kind::Thought => self.paper.thought(text),
        }
    }

    /// Shows what is not shown yet of a text that has ended.
    fn ended(&mut self, part: &PartId, kind: Kind, text: &str) -> io::Result<()> {
        let shown = match self.streaming.take_if(|streaming| streaming.part == *part) {
            Some(streaming) => streaming.shown,
            None => 0,
        };
        // What ends may be a little shorter than what grew: spaces at the end are taken off.
        self.say(kind, text.get(shown..).unwrap_or_default())?;
        if shown == 0 && text.trim().is_empty() { Ok(()) } else { self.paper.end_block() }
    }

    /// Says what went wrong and did not end the run, before anything else is said.
    fn tell_trouble(&mut self) -> io::Result<()> {
        match self.trouble.take() {
            Some(trouble) => self.paper.warn(&trouble),
            None => Ok(()),
        }
    }

    fn spin(&mut self) -> io::Result<()> {
        let label = match self.running.last() {
            Some((_, label)) => label.clone(),
            None => "thinking".to_owned(),
        };
        let waited = self.since.elapsed();
        self.paper.spin(&if waited < PATIENCE { label } else { format!("{label} ({} s)", waited.as_secs()) })
    }
}

impl View for Text {
    fn begin(&mut self, _: &Session) -> io::Result<()> {
        Ok(())
    }

    fn open(&mut self, part: &Part) -> io::Result<()> {
        self.tell_trouble()?;
        if let PartBody::Tool(tool) = &part.body {
            let label = call::label(tool);
            match self.running.iter_mut().find(|(id, _)| *id == part.id) {
                Some((_, known)) => *known = label,
                None if matches!(tool.state(), ToolState::Running(_)) => {
                    self.running.push((part.id.clone(), label));
                }
                None => {}
            }
        }
        self.stream(part);
        Ok(())
    }

    fn grown(&mut self, part: &PartId, delta: &str) -> io::Result<()> {
        let Some(streaming) = &mut self.streaming else { return Ok(()) };
        if streaming.part != *part || streaming.has_gap {
            return Ok(());
        }
        streaming.shown += delta.len();
        let kind = streaming.kind;
        self.say(kind, delta)
    }

    fn missed(&mut self) {
        if let Some(streaming) = &mut self.streaming {
            streaming.has_gap = true;
        }
    }

    fn settled(&mut self, part: &Part) -> io::Result<()> {
        self.since = Instant::now();
        match &part.body {
            PartBody::Text(text) => {
                self.tell_trouble()?;
                self.ended(&part.id, Kind::Answer, &text.text)
            }
            PartBody::Reasoning(thought) if self.thinking => {
                self.ended(&part.id, Kind::Thought, &thought.text)
            }
            PartBody::Tool(tool) => {
                self.running.retain(|(id, _)| *id != part.id);
                self.dismissed |= tool.tool == "question" && matches!(tool.state(), ToolState::Error(_));
                let lines = call::lines(tool, self.paper.paint());
                self.paper.lines(&lines)
            }
            _ => Ok(()),
        }
    }

    fn removed(&mut self, part: &PartId) -> io::Result<()> {
        self.running.retain(|(id, _)| id != part);
        match self.streaming.take_if(|streaming| streaming.part == *part) {
            Some(streaming) if streaming.shown > 0 => {
                self.paper.end_block()?;
                self.paper.note("… the answer was cut off and begins again")
            }
            _ => Ok(()),
        }
    }

    fn status(&mut self, status: &SessionStatus) -> io::Result<()> {
        match status {
            SessionStatus::Retry { attempt, message, .. } => {
                self.paper.note(&format!("… trying again ({attempt}): {message}"))
            }
            SessionStatus::Idle | SessionStatus::Busy => Ok(()),
        }
    }

    fn trouble(&mut self, failure: &Failure) -> io::Result<()> {
        let new = format!("! {}", harmless(failure.message(), Lines::Many));
        match self.trouble.replace(new.clone()) {
            Some(earlier) if earlier != new => self.paper.warn(&earlier),
            _ => Ok(()),
        }
    }

    fn refused(&mut self, _: &Failure, _: u8) -> io::Result<()> {
        // The program says why when it ends.
        self.trouble = None;
        self.paper.end_block()
    }

    fn make_room(&mut self) -> io::Result<()> {
        self.paper.end_block()
    }

    fn answered(&mut self, request: &PermissionRequest, reply: ReplyKind, by: By) -> io::Result<()> {
        self.since = Instant::now();
        if by != By::Nobody || reply != ReplyKind::Reject {
            return Ok(());
        }
        let on = harmless(&request.patterns.join(", "), Lines::One);
        let needs = match Care::of(request) {
            Care::Confirm(act) => {
                let act = harmless(&act, Lines::One);
                format!("needs a person's yes at a terminal, for this would {act}")
            }
            _ => "needs a yes, and nobody is here to give one".to_owned(),
        };
        self.paper.warn(&format!("! `{}` on {on} {needs}", request.permission))
    }

    fn is_animated(&self) -> bool {
        self.paper.paint().is_lively
    }

    fn tick(&mut self) -> io::Result<()> {
        self.spin()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.paper.flush()
    }

    fn end(&mut self, ending: Ending<'_>, sums: &Sums) -> io::Result<()> {
        self.paper.end_block()?;
        let structured = ending.came.message.as_ref().and_then(|message| message.structured.as_ref());
        if let Some(value) = structured.filter(|_| self.structured) {
            self.paper.answer(&format!("{value:#}"))?;
            self.paper.end_block()?;
        }
        // Why it ended is said below.
        if matches!(ending.came.ended, Ended::Failed(_) | Ended::Limit(_) | Ended::Cancelled) {
            self.trouble = None;
        }
        self.tell_trouble()?;
        if let Some(why) = why(ending.came, self.dismissed).or_else(|| lacks(ending.came, &sums.text)) {
            self.paper.warn(&why)?;
        }
        self.paper.note(&sum::line(ending, sums))
    }
}

/// Why the run did not end by itself, and what to do next.
fn why(came: &Outcome, dismissed: bool) -> Option<String> {
    Some(match &came.ended {
        Ended::Done if came.steps == 0 => "nothing was left to answer; say what to do next".to_owned(),
        Ended::Done => return None,
        Ended::Failed(failure) => format!("error: {}", harmless(failure.message(), Lines::Many)),
        Ended::Blocked if dismissed => {
            "stopped: the model asked something that nobody answered; say it with `praxis run --continue`"
                .to_owned()
        }
        Ended::Blocked => {
            "stopped: a permission was rejected. Allow it with a rule (`praxis permission explain` tells \
            which decides), run at a terminal to be asked, or say yes beforehand with --auto"
                .to_owned()
        }
        Ended::Limit(limit) => format!("stopped: {limit}; `praxis run --continue` goes on"),
        Ended::Cancelled => "interrupted; `praxis run --continue` goes on".to_owned(),
    })
}

/// What an answer lacks that ended by itself.
fn lacks(came: &Outcome, text: &str) -> Option<String> {
    let message = came.message.as_ref().filter(|message| message.structured.is_none())?;
    if message.finish.as_deref() == Some("length") {
        let more = "`praxis run --continue \"go on\"` asks for the rest";
        return Some(format!("! the answer reached the model's length limit and may not be whole; {more}"));
    }
    text.trim().is_empty().then(|| "! the model said nothing; ask again, or in another way".to_owned())
}
