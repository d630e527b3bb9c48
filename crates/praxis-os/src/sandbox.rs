//! Containment of commands: what one can see, write, reach and use up, held by the kernel.
//!
//! A [`View`] says what is wanted, [`Mechanisms`] what this kernel has. [`View::prepare`] does everything that can
//! fail or allocates, and [`Prepared::enforce`] is called by the forked child just before it becomes the command. The
//! [`Report`] says what holds and what does not; [`explain`] turns a denial into words for the model.
//!
//! ```
//! use praxis_os::sandbox::{Mechanisms, Network, Place, View};
//!
//! let view = View { places: vec![Place::write(std::env::temp_dir())], ..View::default() };
//! assert_eq!(view.network, Network::Deny);
//! let prepared = view.prepare(&Mechanisms::probe()).unwrap();
//! assert!(prepared.report().summary().starts_with("sandbox: "));
//! ```

mod explain;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod mechanisms;
mod prepared;
mod report;
mod view;

use std::io;

pub use explain::{Exit, explain};
pub use limits::Limits;
#[cfg(target_os = "linux")]
pub(crate) use linux::{INIT_NAME, end};
pub use mechanisms::{Gap, GapKind, Mechanisms, NamespaceBy};
pub use prepared::Prepared;
pub use report::{Held, Report};
pub use view::{Access, Network, Place, Temp, View};

/// Why a sandbox could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The view says `required`, and this kernel lacks something essential.
    #[error("the sandbox is required, but {}; set `sandbox` to \"auto\" to run with what there is", .0.join("; "))]
    Missing(Vec<String>),
    /// The kernel refused a part of the rules about files.
    #[error(
        "could not prepare the sandbox's rules about files: {0}; set `sandbox` to \"off\" to run without"
    )]
    Files(String),
    /// The filter of system calls could not be made.
    #[error(
        "could not prepare the sandbox's filter of system calls: {0}; set `sandbox` to \"off\" to run without"
    )]
    Calls(String),
    /// A folder on the way to something masked has too many entries.
    #[error(
        "the sandbox needs more than {0} rules, because of large folders around what is masked; mask fewer places"
    )]
    TooManyRules(usize),
    /// Too many places.
    #[error("a view can have {0} places at most; name fewer in `sandbox` and in rules about reading")]
    TooManyPlaces(usize),
    /// The system refused something else.
    #[error("could not {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
