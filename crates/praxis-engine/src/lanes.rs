//! How many calls of a kind run at once: further ones wait for their turn.

use tokio::sync::{Semaphore, SemaphorePermit};

/// Commands: each may be a build that wants the whole machine.
const COMMANDS: usize = 16;
/// Searches: each uses all processors by itself.
const SEARCHES: usize = 4;
/// Files that are read or written.
const FILES: usize = 32;
/// What is asked of others: servers, extensions, people.
const OTHERS: usize = 16;

/// The places of one session's calls.
pub(crate) struct Lanes {
    commands: Semaphore,
    searches: Semaphore,
    files: Semaphore,
    others: Semaphore,
}

impl Default for Lanes {
    fn default() -> Self {
        let [commands, searches, files, others] = [COMMANDS, SEARCHES, FILES, OTHERS].map(Semaphore::new);
        Self { commands, searches, files, others }
    }
}

impl Lanes {
    /// Waits for a place, which is free again when it is dropped.
    pub(crate) async fn enter(&self, tool: &str) -> Option<SemaphorePermit<'_>> {
        let lane = match tool {
            "bash" => &self.commands,
            "grep" | "glob" => &self.searches,
            "read" | "edit" | "write" | "apply_patch" => &self.files,
            _ => &self.others,
        };
        // They are never closed.
        lane.acquire().await.ok()
    }
}
