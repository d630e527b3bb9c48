//! A private root in namespaces of its own, in which one script after the other runs.
//!
//! Three processes: the *watcher* (this one) hears what the jail does; the *keeper* is the first process of the jail, starts
//! each script and buries it; the shell and all that it starts are watched.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change, mount_remount};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use rustix::thread::{CpuSet, UnshareFlags, sched_getaffinity, sched_setaffinity, unshare_unsafe};

use crate::event::{Event, Seen};
use crate::notice::{Answer, Listener};
use crate::stub::Role;
use crate::{event, keeper, world};

/// Processes that a script may start.
const MOST_FORKS: usize = 120;
/// Events kept of a script.
const MOST_EVENTS: usize = 400;

/// What holds a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Namespaces and a root of its own.
    Namespaces,
    /// Only the watcher, who refuses what reaches out; where namespaces cannot be had.
    Watcher,
}

/// Which shell runs a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    /// GNU bash.
    Bash,
    /// The Almquist shell, where the machine has it.
    Dash,
}

/// Where scripts run.
pub(crate) struct Jail {
    root: PathBuf,
    line: UnixStream,
    listener: Listener,
    keeper: u32,
    hold: Hold,
    dirty: bool,
}

impl Jail {
    /// Makes a jail below `root`, an empty folder. This process may be in namespaces of its own afterwards, also if
    /// it fails.
    pub(crate) fn open(root: &Path, hold: Hold, number: u64) -> io::Result<Self> {
        let root = &root.canonicalize()?;
        stay(number)?;
        match hold {
            Hold::Namespaces => {
                part()?;
                wall(root)?;
            }
            Hold::Watcher => world::build(root, false)?,
        }
        world::furnish(root)?;
        let (line, inner) = UnixStream::pair()?;
        if hold == Hold::Namespaces {
            // Only now: the first process that is started in it must be the keeper.
            unshare(UnshareFlags::NEWPID)?;
        }
        let keeper = keeper::start(root, hold, inner)?;
        let mut number = [0; 4];
        (&line).read_exact(&mut number)?;
        let number = i32::from_le_bytes(number);
        if number < 0 {
            return Err(io::Error::other(format!(
                "the kernel does not tell of system calls: {}",
                io::Error::from_raw_os_error(-number)
            )));
        }
        let pid = Pid::from_raw(keeper as i32).ok_or_else(|| io::Error::other("no keeper"))?;
        let listener: OwnedFd =
            pidfd_getfd(pidfd_open(pid, PidfdFlags::empty())?, number, PidfdGetfdFlags::empty())?;
        Ok(Self {
            root: root.to_owned(),
            line,
            listener: Listener::new(listener),
            keeper,
            hold,
            dirty: false,
        })
    }

    /// The script as it is run: where there is no root of its own, its places are below ours.
    pub(crate) fn placed(&self, script: &str) -> String {
        if self.hold == Hold::Namespaces {
            return script.to_owned();
        }
        let root = self.root.to_string_lossy();
        let mut placed = script.to_owned();
        for room in ["/w/", "/o/", "/home/"] {
            for sign in [" ", "\"", "'", ">", "<", "=", "\n"] {
                placed = placed.replace(&format!("{sign}{room}"), &format!("{sign}{root}{room}"));
            }
        }
        placed
    }

    /// What stands before the paths of the jail.
    pub(crate) fn prefix(&self) -> String {
        if self.hold == Hold::Namespaces { String::new() } else { self.root.to_string_lossy().into_owned() }
    }

    /// Is there a second shell?
    pub(crate) fn has_dash(&self) -> bool {
        self.root.join("bin/dash").exists()
    }

    /// Runs a script to its end, or until its time is up, and tells what happened.
    pub(crate) fn run(&mut self, script: &str, shell: Shell, luck: u64) -> io::Result<Seen> {
        if std::mem::take(&mut self.dirty) {
            world::furnish(&self.root)?;
        }
        let mut order = vec![u8::from(shell == Shell::Dash)];
        order.extend((script.len() as u32).to_le_bytes());
        order.extend(script.as_bytes());
        self.line.write_all(&order)?;

        let root = self.root.to_string_lossy().into_owned();
        let mut seen = Seen::default();
        let mut forks = 0;
        let mut started = false;
        let mut roles: HashMap<u32, Role> = HashMap::new();
        let mut opaque: HashSet<u32> = HashSet::new();
        // Whose arguments are checked already.
        let mut readers: HashSet<u32> = HashSet::new();
        loop {
            let mut fds =
                [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&self.line, PollFlags::IN)];
            poll(&mut fds, None)?;
            if fds[0].revents().contains(PollFlags::IN) {
                let Some(notice) = self.listener.next()? else { continue };
                let answer = if notice.pid == self.keeper {
                    Answer::Go
                } else if self.hold == Hold::Watcher && started && notice.is_contact() {
                    Answer::Fail(libc::EPERM)
                } else if notice.is_contact() {
                    Answer::Go
                } else if notice.is_fork() {
                    forks += 1;
                    if forks > MOST_FORKS { Answer::Fail(libc::ENOMEM) } else { Answer::Go }
                } else if notice.is_ask() {
                    Answer::Value(roles.get(&notice.pid).copied().unwrap_or(Role::new(luck)).answer())
                } else {
                    if let Some(event) = Event::read(&notice, &root) {
                        if let Event::Run { file, argv, .. } = &event {
                            let mut hasher = DefaultHasher::new();
                            (argv, luck).hash(&mut hasher);
                            let role = Role::new(hasher.finish());
                            if matches!(file.as_str(), "/bin/cat" | "/bin/tee") {
                                readers.insert(notice.pid);
                            }
                            let lists =
                                file == "/bin/ls" || argv.get(1).is_some_and(|word| word == "ls-files");
                            roles.insert(notice.pid, if lists { role.listing() } else { role });
                        }
                        self.dirty |= event.changes();
                        let hidden = !opaque.is_empty() && descends(notice.pid, &opaque)
                            || matches!(event, Event::Open { .. }) && readers.contains(&notice.pid);
                        if event.is_script_file() {
                            opaque.insert(notice.pid);
                        }
                        if !std::mem::replace(&mut started, true) {
                            // The shell itself.
                        } else if !hidden && seen.events.len() < MOST_EVENTS && !seen.events.contains(&event)
                        {
                            seen.events.push(event);
                        }
                    }
                    let escapes = self.hold == Hold::Watcher && event::escapes(&notice, &self.root);
                    if escapes { Answer::Fail(libc::EACCES) } else { Answer::Go }
                };
                self.listener.answer(&notice, answer)?;
                continue;
            }
            if !fds[1].revents().is_empty() {
                let mut end = [0; 2];
                self.line.read_exact(&mut end)?;
                seen.was_stopped = end[0] != 0;
                seen.status = end[1];
                return Ok(seen);
            }
        }
    }
}

/// A root of its own below `root`, where only the rooms can be changed.
fn wall(root: &Path) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("jail", root, "tmpfs", flags, c"mode=755")?;
    world::build(root, true)?;
    mount_bind("/dev/null", root.join("dev/null"))?;
    for room in world::ROOMS {
        mount("room", world::below(root, room), "tmpfs", flags, c"mode=755")?;
    }
    Ok(mount_remount(root, flags | MountFlags::BIND | MountFlags::RDONLY, c"")?)
}

/// One processor for the watcher and the watched, who take turns.
fn stay(number: u64) -> io::Result<()> {
    let all = sched_getaffinity(None)?;
    let usable: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu)).collect();
    if let Some(cpu) = usable.get(number as usize % usable.len().max(1)) {
        let mut only = CpuSet::new();
        only.set(*cpu);
        sched_setaffinity(None, &only)?;
    }
    Ok(())
}

/// Does a process come of one of these? What a file does as a script is not what its caller is judged by.
fn descends(mut pid: u32, from: &HashSet<u32>) -> bool {
    for _ in 0..64 {
        if from.contains(&pid) {
            return true;
        }
        let Some(parent) = fs::read_to_string(format!("/proc/{pid}/stat"))
            .ok()
            .and_then(|stat| stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok())
        else {
            return false;
        };
        pid = parent;
    }
    false
}

/// Namespaces for this process and its children: a user, mounts, processes, no network.
fn part() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    unshare(flags)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    Ok(())
}

#[expect(unsafe_code, reason = "namespaces have no safe door")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: this process has one thread, and shares no descriptors.
    unsafe { Ok(unshare_unsafe(flags)?) }
}
