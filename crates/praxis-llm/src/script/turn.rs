//! One answer of a script.

use std::time::Duration;

use serde_json::Value;

use super::{Chunks, Conditions, Fault, Place, Speech};
use crate::{FinishReason, Usage};

/// One answer, as it was written.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// Where, if it was read from a file.
    pub place: Option<Place>,
    /// What the request must be.
    pub expect: Conditions,
    /// Which requests it answers, if it is not played in order.
    pub when: Option<Conditions>,
    /// How often it answers such requests; always, if not given.
    pub times: Option<u64>,
    /// What it is made of.
    pub lines: Vec<Line>,
    /// Into how many deltas texts and arguments are cut.
    pub chunks: Chunks,
    /// Whether the pieces of neighbouring calls come mixed.
    pub interleave: bool,
    /// Why it ends; known from the calls if not given.
    pub finish: Option<FinishReason>,
    /// What it costs.
    pub usage: Usage,
    /// The wait before it.
    pub delay: Duration,
    /// The wait between deltas.
    pub gap: Duration,
    /// Over HTTP: how many bytes come at a time.
    pub drip: Option<usize>,
    /// What goes wrong.
    pub fault: Option<Fault>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// Text.
    Say(Speech),
    /// A thought.
    Think {
        /// The thought.
        speech: Speech,
        /// What proves that it is the model's.
        signature: Option<String>,
    },
    /// A call.
    Call {
        /// Its id; made up if not given.
        id: Option<String>,
        /// The tool.
        tool: String,
        /// The arguments as JSON, or as text that may be none.
        arguments: Speech,
        /// What proves that it is the model's.
        signature: Option<String>,
    },
    /// A place where the test server stops until it is told to go on.
    Hold(String),
}

impl Turn {
    /// An answer of this text.
    pub fn says(text: impl Into<String>) -> Self {
        Self { lines: vec![Line::Say(Speech::Whole(text.into()))], ..Self::default() }
    }

    /// An answer of one call.
    pub fn calls(tool: impl Into<String>, arguments: &Value) -> Self {
        Self::default().and_calls(tool, arguments)
    }

    /// An answer that fails.
    pub fn fails(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// The same with one more call.
    #[must_use]
    pub fn and_calls(mut self, tool: impl Into<String>, arguments: &Value) -> Self {
        let arguments = Speech::Whole(arguments.to_string());
        self.lines.push(Line::Call { id: None, tool: tool.into(), arguments, signature: None });
        self
    }

    /// The same with a fault.
    #[must_use]
    pub fn and_fails(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// The same for requests that fit only.
    #[must_use]
    pub fn expects(self, expect: Conditions) -> Self {
        Self { expect, ..self }
    }

    /// The same, answering every request that fits instead of the next one.
    #[must_use]
    pub fn when(self, when: Conditions) -> Self {
        Self { when: Some(when), ..self }
    }

    /// Why it ends.
    pub(super) fn finish(&self) -> FinishReason {
        let calls = || self.lines.iter().any(|line| matches!(line, Line::Call { .. }));
        match self.finish {
            Some(finish) => finish,
            None if calls() => FinishReason::ToolCalls,
            None => FinishReason::Stop,
        }
    }
}
