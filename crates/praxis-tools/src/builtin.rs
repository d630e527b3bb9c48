//! The tools that come with Praxis, one file each.

mod batch;
mod codesearch;
mod invalid;
mod question;
mod read;
mod todoread;
mod todowrite;

use std::sync::Arc;

pub use batch::Batch;
pub use codesearch::{CodeSearch, SearchService};
pub use invalid::Invalid;
pub use question::AskUser;
pub use read::Read;
pub use todoread::TodoRead;
pub use todowrite::TodoWrite;

use crate::registry::{Fixed, SourceKind};
use crate::{Questions, TodoStore, Tool};

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
}

/// All of them, in the order of the contract.
pub fn source(services: &Services) -> Fixed {
    let Services { questions, todos, search } = services;
    Fixed::new("built-in", SourceKind::BuiltIn)
        .tool(Invalid)
        .tool(AskUser::new(Arc::clone(questions)))
        .tool(Read)
        .tool(TodoWrite::new(Arc::clone(todos)))
        .tool(TodoRead::new(Arc::clone(todos)))
        .tool(CodeSearch::new(search.clone()))
        .tool(Batch)
}
