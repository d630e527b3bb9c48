//! Patches as models write them: files to add, to delete and to update, with the lines around each change.
//!
//! ```
//! use praxis_text::{apply, patch};
//!
//! let text = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch";
//! let [patch::Section::Update { path, chunks, .. }] = &patch::parse(text)?[..] else { panic!() };
//! let old = "one\r\ntwo\r\n";
//! assert_eq!(apply(old, &patch::derive(old, path, chunks)?), "one\r\n2\r\n");
//! # Ok::<(), patch::PatchError>(())
//! ```

mod argv;
mod derive;
mod error;
mod fuzz;
mod nearest;
mod parse;
mod seek;

pub use argv::from_argv;
pub use derive::derive;
pub use error::PatchError;
pub use fuzz::{fuzz_apply, fuzz_parse};
pub use nearest::Near;
pub use parse::parse;

/// What a patch does with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// The file is to be made.
    Add {
        /// Where, as the patch writes it.
        path: String,
        /// Its lines, without a line feed after the last.
        content: String,
    },
    /// The file is to go.
    Delete {
        /// Where, as the patch writes it.
        path: String,
    },
    /// The file is to change, to move, or both.
    Update {
        /// Where, as the patch writes it.
        path: String,
        /// Where it goes, if it moves.
        move_to: Option<String>,
        /// The changes, in the order of the file; none for a pure move.
        chunks: Vec<Chunk>,
    },
}

/// One change of a file: where to look for it, and the lines it keeps, removes and adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Lines that stand above the change, outermost first; each is looked for below the one before it.
    pub contexts: Vec<String>,
    /// The lines of the change. There is at least one in a chunk that was parsed.
    pub lines: Vec<Line>,
    /// The change is meant for the end of the file.
    pub end_of_file: bool,
}

/// One line of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// It is there and stays as the file has it.
    Keep(String),
    /// It is there and goes.
    Remove(String),
    /// It comes.
    Add(String),
}

impl Line {
    /// The line as the file should have it before the change.
    fn before(&self) -> Option<&str> {
        match self {
            Self::Keep(text) | Self::Remove(text) => Some(text),
            Self::Add(_) => None,
        }
    }

    /// The line as it is after the change.
    fn after(&self) -> Option<&str> {
        match self {
            Self::Keep(text) | Self::Add(text) => Some(text),
            Self::Remove(_) => None,
        }
    }
}

impl Chunk {
    /// The lines that the file must have before the change.
    pub fn before(&self) -> Vec<&str> {
        self.lines.iter().filter_map(Line::before).collect()
    }

    /// The lines that stand there after the change.
    pub fn after(&self) -> Vec<&str> {
        self.lines.iter().filter_map(Line::after).collect()
    }
}
