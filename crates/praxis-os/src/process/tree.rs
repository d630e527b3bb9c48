//! The processes below a process, and how to end them all.

use std::collections::HashSet;
use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use super::order::Process;

/// More processes than this are not looked at in one pass; those that remain are found in the next.
const MOST: usize = 65_536;
/// How often a killed tree is looked at again before what still shows up is given up.
const MOST_PASSES: usize = 1_000;

/// Processes of ours around a command, which are nobody's business.
#[cfg(target_os = "linux")]
const HELPER: &str = crate::sandbox::INIT_NAME;
#[cfg(not(target_os = "linux"))]
const HELPER: &str = "";

/// Whose processes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// Everything below this process.
    Below(i32),
    /// Everything in this session.
    Session(i32),
}

impl Root {
    /// The processes, parents before their children.
    pub(super) fn processes(self) -> Vec<i32> {
        match self {
            Self::Below(pid) => below(pid),
            Self::Session(session) => {
                stats().filter(|stat| stat.session == session).map(|stat| stat.pid).collect()
            }
        }
    }

    /// Whether one of them lives. One that has died stays in the list until its parent takes note, which may be never.
    pub(super) fn lives(self) -> bool {
        self.processes().into_iter().any(|pid| !is_zombie(pid))
    }

    /// Sends a signal to all of them.
    pub(super) fn signal(self, signal: Signal) {
        for pid in self.processes() {
            send(pid, signal);
        }
    }

    /// Asks all of them to end; those that are stopped are woken so that they can.
    pub(super) fn terminate(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    /// Ends all of them, also while they go on starting others: everything is stopped before anything is killed.
    /// `reap` takes away what has died; true if nothing is left.
    pub(super) fn kill(self, mut reap: impl FnMut()) -> bool {
        for _ in 0..MOST_PASSES {
            let mut stopped = HashSet::new();
            loop {
                let living = self.processes().into_iter().filter(|pid| !is_zombie(*pid));
                let fresh: Vec<i32> = living.filter(|pid| stopped.insert(*pid)).collect();
                if fresh.is_empty() {
                    break;
                }
                fresh.iter().for_each(|pid| send(*pid, Signal::STOP));
            }
            stopped.iter().for_each(|pid| send(*pid, Signal::KILL));
            reap();
            if !self.lives() {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    /// What runs, for people.
    pub(super) fn list(self, most: usize) -> Vec<Process> {
        let pids = self.processes().into_iter().filter(|pid| !is_zombie(*pid));
        let ours = |process: &Process| process.name == HELPER;
        pids.filter_map(describe).filter(|process| !ours(process)).take(most).collect()
    }
}

fn send(pid: i32, signal: Signal) {
    // One that has just ended needs no signal.
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

fn below(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        let Some(children) = children(pid) else { return below_by_parents(root) };
        for child in children {
            if found.len() < MOST {
                found.push(child);
                waiting.push(child);
            }
        }
    }
    found
}

/// The children of all threads of a process; nothing if this kernel does not tell.
fn children(pid: i32) -> Option<Vec<i32>> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Some(Vec::new()) };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok())),
            Err(_) if thread.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

fn below_by_parents(root: i32) -> Vec<i32> {
    let all: Vec<Stat> = stats().collect();
    let mut found = Vec::new();
    let mut parents = HashSet::from([root]);
    loop {
        let before = found.len();
        for stat in &all {
            if parents.contains(&stat.parent) && parents.insert(stat.pid) {
                found.push(stat.pid);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

struct Stat {
    pid: i32,
    name: String,
    state: char,
    parent: i32,
    session: i32,
}

fn stats() -> impl Iterator<Item = Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?))
}

fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold any character.
    let (before, after) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    Some(Stat { pid, name, state, parent, session })
}

fn is_zombie(pid: i32) -> bool {
    stat(pid).is_none_or(|stat| matches!(stat.state, 'Z' | 'X'))
}

fn describe(pid: i32) -> Option<Process> {
    let Stat { name, state, .. } = stat(pid)?;
    // Stopped because it wanted the terminal, or asleep in a read of its standard input.
    let waits_for_input = state == 'T' || (state == 'S' && reads_stdin(pid));
    Some(Process { pid, name, waits_for_input })
}

fn reads_stdin(pid: i32) -> bool {
    const READ: &str = if cfg!(target_arch = "aarch64") { "63" } else { "0" };
    let Ok(call) = fs::read_to_string(format!("/proc/{pid}/syscall")) else { return false };
    let mut words = call.split_ascii_whitespace();
    words.next() == Some(READ) && words.next() == Some("0x0")
}
