//! What a keeper is told and what it tells.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use crate::sandbox::{Mechanisms, View};

/// What a keeper is to start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The program and its arguments, as bytes.
    pub(super) argv: Vec<Vec<u8>>,
    /// Where, as bytes too: a folder's name need not be text.
    pub(super) cwd: Vec<u8>,
    pub(super) env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Is the second descriptor the command's standard input?
    pub(super) has_stdin: bool,
    /// Does the command go on when we are gone?
    pub(super) outlives: bool,
    /// What contains it.
    pub(super) sandbox: Option<Sandboxed>,
}

/// A view, and what it is to be held by: what was found when it was decided on, so that nothing less is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandboxed {
    /// What the command sees.
    pub view: View,
    /// What holds it.
    pub mechanisms: Mechanisms,
}

/// A word to a keeper that has started its command; one byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Ask everything to end.
    Terminate,
    /// End everything.
    Kill,
    /// Tell what runs.
    List,
}

impl Word {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Terminate => b't',
            Self::Kill => b'k',
            Self::List => b'l',
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Terminate, Self::Kill, Self::List].into_iter().find(|word| word.byte() == byte)
    }
}

/// What a keeper tells, one JSON value a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Told {
    /// The command runs.
    Started(i32),
    /// It could not be started.
    Failed {
        /// What the system said, as its number.
        code: Option<i32>,
        /// What was tried and what happened.
        text: String,
    },
    /// The command itself has ended.
    Ended {
        /// How.
        how: Ended,
        /// Does something that it started run on?
        left: bool,
    },
    /// Nothing of it runs any more.
    Gone,
    /// What runs.
    Processes(Vec<Process>),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// A process of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// Its program's short name.
    pub name: String,
    /// Is it waiting for input that may never come?
    pub waits_for_input: bool,
}

/// Text of the operating system as bytes, whatever its encoding.
pub(super) fn bytes(text: OsString) -> Vec<u8> {
    std::os::unix::ffi::OsStringExt::into_vec(text)
}

/// And back.
pub(super) fn text(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}
