//! What of a policy is in force, for the people and the model who have to know.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Gap, Network, Policy};

/// How many folders a summary names before it counts the rest.
const NAMED: usize = 4;

/// What holds for a command, and what does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The policy as it is enforced: paths resolved, missing ones left out, the network it really has.
    pub policy: Policy,
    /// The means, in one line.
    pub mechanism: String,
    /// Whether the kernel holds the rules about files.
    pub files: bool,
    /// Whether the kernel filters system calls.
    pub calls: bool,
    /// What the policy or its reader might expect, and does not get.
    pub gaps: Vec<Gap>,
    /// Paths that were left out and the like.
    pub notes: Vec<String>,
}

impl Report {
    /// One line for people: the means, where writing is possible, how far the network reaches.
    pub fn summary(&self) -> String {
        let writing = match (self.files, self.policy.writable.as_slice()) {
            (false, _) => "files are not limited".to_owned(),
            (true, []) => "no writing".to_owned(),
            (true, folders) => format!("writing below {}", listed(folders)),
        };
        let network = match (self.calls || self.policy.network == Network::Loopback, self.policy.network) {
            (_, Network::Allow) => "network allowed",
            (false, _) => "network not limited",
            (true, Network::Deny) => "no network",
            (true, Network::Loopback) => "network: own loopback only",
        };
        format!("sandbox: {}; {writing}; {network}", self.mechanism)
    }
}

/// Some paths for a sentence.
pub(super) fn listed(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> =
        paths.iter().take(NAMED).map(|path| format!("`{}`", path.display())).collect();
    if paths.len() > NAMED {
        names.push(format!("{} more", paths.len() - NAMED));
    }
    names.join(", ")
}
