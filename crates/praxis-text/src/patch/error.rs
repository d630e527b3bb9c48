//! Why a patch cannot be used, told to the model that wrote it.

use super::nearest::Near;

/// Why a patch could not be read or does not fit its file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The first or the last line is missing.
    #[error("Invalid patch format: missing Begin/End markers")]
    Markers,
    /// A line between two sections, or a header nobody knows.
    #[error(
        "Invalid patch line {number}: '{line}'; a section starts with `*** Add File: `, `*** Delete File: ` or `*** Update File: `"
    )]
    Stray {
        /// Which line of the patch, counted from one.
        number: usize,
        /// The line.
        line: String,
    },
    /// A line of a new file without its sign.
    #[error(
        "Invalid add file line {number}: '{line}'; start every line of a new file with `+`, empty ones too"
    )]
    AddLine {
        /// Which line of the patch, counted from one.
        number: usize,
        /// The line.
        line: String,
    },
    /// A line of a change without its sign.
    #[error(
        "Invalid update file line {number}: '{line}'; start a chunk with `@@`, and its lines with ` ` to keep, `-` to remove or `+` to add"
    )]
    UpdateLine {
        /// Which line of the patch, counted from one.
        number: usize,
        /// The line.
        line: String,
    },
    /// A header that names no file.
    #[error("Invalid patch line {number}: '{line}' has an empty path; write the path after the colon")]
    EmptyPath {
        /// Which line of the patch, counted from one.
        number: usize,
        /// The line.
        line: String,
    },
    /// An update that changes nothing, or an `@@` without lines.
    #[error("Invalid update of {path}: expected at least one @@ chunk, and lines after every @@")]
    NoChunk {
        /// The file.
        path: String,
    },
    /// The line after `@@` is not in the file, or not below the chunk before.
    #[error("Failed to find context '{context}' in {path}{near}")]
    Context {
        /// The file.
        path: String,
        /// The line.
        context: String,
        /// What is there instead.
        near: Near,
    },
    /// The lines to keep and to remove are not in the file, or not below the chunk before.
    #[error("Failed to find expected lines in {path}:\n{lines}{near}")]
    Lines {
        /// The file.
        path: String,
        /// The lines, shortened if there are very many.
        lines: String,
        /// What is there instead.
        near: Near,
    },
    /// Finding the places would take too long.
    #[error("The patch for {path} is too large to place; send it in several smaller patches")]
    TooLarge {
        /// The file.
        path: String,
    },
    /// A patch where a command should be.
    #[error(
        "implicit invocation: the command is a patch without `apply_patch`; call the apply_patch tool with it"
    )]
    Implicit,
    /// A here-document without its last line.
    #[error("The here-document has no closing line `{word}`; end it with that word alone on a line")]
    Heredoc {
        /// The word.
        word: String,
    },
}
