//! Why a call did not succeed, sorted by who has to act on it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use praxis_os::{FileError, WriteError};
use praxis_policy::Refusal;

/// The model reads the text of all of these; the variant says who can put it right.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The model: the arguments do not fit the schema.
    #[error(
        "The {tool} tool was called with invalid arguments: {detail}.\n\
         Please rewrite the input so that it satisfies the expected schema."
    )]
    Arguments {
        /// The tool.
        tool: String,
        /// What does not fit, and where.
        detail: String,
    },
    /// The model: the call makes no sense as it stands; the text says what would.
    #[error("{0}")]
    Misuse(String),
    /// The model: the file is not there, or is none.
    #[error(transparent)]
    File(#[from] FileError),
    /// The model or the operator: the file could not be written; what stood there still does.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The user: the act was not allowed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The user: a question was waved away.
    #[error("The user dismissed this question")]
    Dismissed,
    /// The operator: the output is too long to show and could not be saved. What fits of it is in the text.
    #[error(
        "The call ran, but its full output could not be saved to {}: {source}. \
         Make that folder writable and call again. What fits of the output:\n\n{preview}",
        path.display()
    )]
    Unsaved {
        /// Where it should have gone.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
        /// The bounded output.
        preview: String,
    },
    /// The operator: something outside Praxis failed.
    #[error("{0}")]
    Outside(String),
    /// Nobody: it took too long.
    #[error("The {tool} tool was stopped because it did not finish within {after:?}")]
    TimedOut {
        /// The tool.
        tool: String,
        /// Its deadline.
        after: Duration,
    },
    /// Nobody: it was cancelled.
    #[error("Tool execution aborted")]
    Cancelled,
    /// Us, or whoever wrote the tool.
    #[error("The {tool} tool crashed: {message}. This is a bug in the tool; other tools still work.")]
    Crashed {
        /// The tool.
        tool: String,
        /// What it said last.
        message: String,
    },
}

impl ToolError {
    /// Something the model can put right.
    pub fn misuse(text: impl Into<String>) -> Self {
        Self::Misuse(text.into())
    }

    /// Whether the run should stop after this step: the user said no and nothing more.
    pub fn stops_the_run(&self) -> bool {
        matches!(self, Self::Dismissed | Self::Refused(Refusal::Rejected))
    }
}
