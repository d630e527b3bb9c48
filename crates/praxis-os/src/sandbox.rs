//! Containment of commands: what one may write, read, reach and use up, held by the kernel.
//!
//! A [`Policy`] says what is wanted, [`Mechanisms`] what this kernel has. [`Policy::prepare`] does everything that can
//! fail or allocates, and [`Prepared::enforce`] is called by the forked child just before it becomes the command. The
//! [`Report`] says what holds and what does not; [`explain`] turns a denial into words for the model.
//!
//! ```
//! use praxis_os::sandbox::{Mechanisms, Network, Policy};
//!
//! let policy = Policy { writable: vec![std::env::temp_dir()], ..Policy::default() };
//! assert_eq!(policy.network, Network::Deny);
//! let prepared = policy.prepare(&Mechanisms::probe()).unwrap();
//! assert!(prepared.report().summary().starts_with("sandbox: "));
//! ```

mod explain;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod mechanisms;
mod prepared;
mod report;

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use explain::{Exit, explain};
pub use limits::Limits;
pub use mechanisms::{Gap, GapKind, Mechanisms, NamespaceBy};
pub use prepared::Prepared;
pub use report::Report;

/// What a command may do; the default writes nowhere and has no network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Files and folders it may write, with all below them; devices are named one by one.
    pub writable: Vec<PathBuf>,
    /// Files and folders whose contents it may not read, with all below them; their names stay visible.
    pub unreadable: Vec<PathBuf>,
    /// How far its network reaches.
    pub network: Network,
    /// Whether it may talk to programs outside by Unix sockets (Docker, D-Bus, an SSH agent): a way out.
    pub unix_sockets: bool,
    /// How much it may use.
    pub limits: Limits,
    /// Refuse to prepare when an essential part cannot be had, instead of saying so.
    pub required: bool,
}

/// How far the network of a command reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// As far as the user's.
    Allow,
    /// Nowhere.
    #[default]
    Deny,
    /// To servers that the command itself starts, on a loopback interface of its own.
    Loopback,
}

/// Why a sandbox could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The policy says `required`, and this kernel lacks something essential.
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
    /// A folder on the way to something unreadable has too many entries.
    #[error(
        "`sandbox.unreadable` needs more than {0} rules, because of large folders on the way to it; name fewer paths or \
         folders nearer to the root"
    )]
    TooManyRules(usize),
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
