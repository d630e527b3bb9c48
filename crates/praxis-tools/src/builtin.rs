//! The tools that come with Praxis, one file each.

mod apply_patch;
mod bash;
mod batch;
mod codesearch;
mod edit;
mod glob;
mod grep;
mod invalid;
mod job;
mod place;
mod question;
mod read;
mod todoread;
mod todowrite;
mod write;

use std::sync::Arc;

pub use apply_patch::ApplyPatch;
pub use bash::Bash;
pub use batch::Batch;
pub use codesearch::{CodeSearch, SearchService};
pub use edit::Edit;
pub use glob::Glob;
pub use grep::Grep;
pub use invalid::Invalid;
pub use job::JobTool;
pub use question::AskUser;
pub use read::{NearbyInstructions, Read};
pub use todoread::TodoRead;
pub use todowrite::TodoWrite;
pub use write::Write;

use crate::registry::{Fixed, SourceKind};
use crate::shell::Shell;
use crate::{Files, ImageLimits, Questions, TodoStore, Tool};

/// The tool that calls to no tool are sent to.
pub const INVALID: &str = Invalid::NAME;

/// What our tools lean on.
#[derive(Clone)]
pub struct Services {
    /// Puts questions to the user.
    pub questions: Arc<Questions>,
    /// Keeps task lists.
    pub todos: Arc<dyn TodoStore>,
    /// Finds code on the web.
    pub search: SearchService,
    /// What the file tools share.
    pub files: Files,
    /// How large a picture may be.
    pub images: ImageLimits,
    /// Which files instruct the model.
    pub instructions: NearbyInstructions,
    /// Runs commands.
    pub shell: Shell,
}

/// All of them, in the order of the contract.
pub fn source(services: &Services) -> Fixed {
    let Services { questions, todos, search, files, images, instructions, shell } = services;
    Fixed::new("built-in", SourceKind::BuiltIn)
        .tool(Invalid)
        .tool(AskUser::new(Arc::clone(questions)))
        .tool(Bash::new(shell.clone()))
        .tool(JobTool::new(shell.clone()))
        .tool(Read::new(files.clone(), *images, instructions.clone()))
        .tool(Glob)
        .tool(Grep)
        .tool(Edit::new(files.clone()))
        .tool(Write::new(files.clone()))
        .tool(TodoWrite::new(Arc::clone(todos)))
        .tool(TodoRead::new(Arc::clone(todos)))
        .tool(CodeSearch::new(search.clone()))
        .tool(ApplyPatch::new(files.clone()))
        .tool(Batch)
}
