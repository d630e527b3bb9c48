//! What a run shows, whatever it looks like.

use std::io;
use std::time::Duration;

use praxis_engine::Outcome;
use praxis_proto::{Failure, Part, PartId, PermissionRequest, ReplyKind, Session, SessionStatus, Tokens};

/// Shows a run as it goes on. What a view has no use for, it leaves out.
pub(super) trait View: Send {
    /// The run is about to begin.
    fn begin(&mut self, session: &Session) -> io::Result<()>;

    /// A text or a thought has begun or a call has come further; it is not settled.
    fn open(&mut self, _part: &Part) -> io::Result<()> {
        Ok(())
    }

    /// A text or a thought has grown.
    fn grown(&mut self, _part: &PartId, _delta: &str) -> io::Result<()> {
        Ok(())
    }

    /// Some of what was to be heard was missed; settled parts come all the same.
    fn missed(&mut self) {}

    /// A part is as it will stay. Comes once for each.
    fn settled(&mut self, part: &Part) -> io::Result<()>;

    /// A part was taken back before it settled.
    fn removed(&mut self, _part: &PartId) -> io::Result<()> {
        Ok(())
    }

    /// The session does something else.
    fn status(&mut self, _status: &SessionStatus) -> io::Result<()> {
        Ok(())
    }

    /// Something went wrong.
    fn trouble(&mut self, failure: &Failure) -> io::Result<()>;

    /// The run could not even begin; the program is about to say why and to end with this code.
    fn refused(&mut self, failure: &Failure, code: u8) -> io::Result<()>;

    /// A person is about to be asked something on stderr.
    fn make_room(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// A question for permission was answered.
    fn answered(&mut self, request: &PermissionRequest, reply: ReplyKind, by: By) -> io::Result<()>;

    /// Whether [`View::tick`] does anything.
    fn is_animated(&self) -> bool {
        false
    }

    /// Time has passed.
    fn tick(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Nothing more comes at the moment.
    fn flush(&mut self) -> io::Result<()>;

    /// The run is over.
    fn end(&mut self, ending: Ending<'_>, sums: &Sums) -> io::Result<()>;
}

/// Who answered a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Somebody at the terminal.
    Person,
    /// The command line.
    Standing,
    /// Nobody could.
    Nobody,
}

/// How a run ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending<'a> {
    pub(super) came: &'a Outcome,
    /// The exit code.
    pub(super) code: u8,
    pub(super) took: Duration,
}

/// What a run added up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sums {
    /// Over all steps.
    pub(super) tokens: Tokens,
    /// What the model said last.
    pub(super) text: String,
}

impl Sums {
    pub(super) fn add(&mut self, step: &Tokens) {
        let sum = &mut self.tokens;
        sum.input = sum.input.saturating_add(step.input);
        sum.output = sum.output.saturating_add(step.output);
        sum.reasoning = sum.reasoning.saturating_add(step.reasoning);
        sum.cache.read = sum.cache.read.saturating_add(step.cache.read);
        sum.cache.write = sum.cache.write.saturating_add(step.cache.write);
        if let Some(total) = step.total {
            sum.total = Some(sum.total.unwrap_or(0).saturating_add(total));
        }
    }
}
