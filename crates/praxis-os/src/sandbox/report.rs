//! What of a view is in force, for the people and the model who have to know.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Gap, GapKind, Network, View};

/// How many folders a summary names before it counts the rest.
const NAMED: usize = 3;

/// What holds for a command, and what does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The view, with the network that it really has.
    pub view: View,
    /// The means, in one line.
    pub mechanism: String,
    /// What the kernel holds.
    pub held: Held,
    /// What the view or its reader might expect, and does not get.
    pub gaps: Vec<Gap>,
    /// Paths that were left out and the like.
    pub notes: Vec<String>,
}

/// What the kernel holds of a view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Nothing but the places of the view can be read or written.
    pub outside: bool,
    /// Places inside writable ones keep their own access, and can be neither replaced nor moved away.
    pub inside: bool,
    /// Other processes cannot be seen.
    pub processes: bool,
    /// Dangerous system calls are refused.
    pub calls: bool,
}

impl Held {
    /// Whether the kernel holds every promise about files, so that nobody needs to know which ones a command touches.
    pub fn files(self) -> bool {
        self.outside && self.inside && self.calls
    }
}

impl Report {
    /// What makes the view not worth its name, in words.
    pub fn missing(&self) -> Vec<String> {
        let essential = self.gaps.iter().filter(|gap| gap.kind == GapKind::Essential);
        essential.map(|gap| gap.text.clone()).collect()
    }

    /// One line for people: the means, where writing is possible, how far the network reaches.
    pub fn summary(&self) -> String {
        let writable: Vec<&Path> = self.view.writable().collect();
        let writing = match (self.held.outside, writable.as_slice()) {
            (false, _) => "files are not limited".to_owned(),
            (true, []) => "no writing".to_owned(),
            (true, folders) => format!("writing below {}", listed(folders)),
        };
        let network = match (self.held.calls || self.view.network == Network::Loopback, self.view.network) {
            (_, Network::Allow) => "network allowed",
            (false, _) => "network not limited",
            (true, Network::Deny) => "no network",
            (true, Network::Loopback) => "network: own loopback only",
        };
        format!("sandbox: {}; {writing}; {network}", self.mechanism)
    }
}

/// Some paths for a sentence.
pub(super) fn listed(paths: &[&Path]) -> String {
    let mut names: Vec<String> =
        paths.iter().take(NAMED).map(|path| format!("`{}`", path.display())).collect();
    if paths.len() > NAMED {
        names.push(format!("{} more", paths.len() - NAMED));
    }
    names.join(", ")
}
