//! What the file tools share: one writer for each path, what a session has read, and what happens after a write.

mod after;
mod change;
mod locks;
mod protected;
mod seen;

use std::sync::Arc;

pub use after::{AfterWrite, Diagnostic, NoAfterWrite, Severity};
pub(crate) use after::{Findings, check_in_time, report_file, report_others};
pub(crate) use change::{
    Change, Content, apply_change, load, refuse_if_stale, settle_format, still_holds, tell, unencodable,
};
pub(crate) use locks::PathLocks;
pub(crate) use protected::guarded;
pub use seen::Seen;

/// The services of the file tools of one project. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    pub(crate) locks: PathLocks,
    /// What sessions have read.
    pub seen: Arc<Seen>,
    /// What happens after a write.
    pub(crate) after: Arc<dyn AfterWrite>,
}

impl Files {
    /// Services with this to do after a write.
    pub fn new(after: Arc<dyn AfterWrite>) -> Self {
        Self { locks: PathLocks::default(), seen: Arc::default(), after }
    }
}

impl Default for Files {
    fn default() -> Self {
        Self::new(Arc::new(NoAfterWrite))
    }
}
