//! The keeper of one command: starts it, tells how it ended, and leaves nothing of it behind.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions};

use super::channel;
use super::group::{Door, Group};
use super::order::{Ended, Order, Told, Word, text};
use super::tree::Root;
use crate::sandbox::Prepared;

/// How soon what was left behind is looked at again; the time grows to the second as long as nothing changes.
const LOOK_SOON: Duration = Duration::from_millis(20);
const LOOK_LATE: Duration = Duration::from_millis(500);
/// How long what is about to end may take before it counts as left behind.
const GRACE: Duration = Duration::from_millis(50);
/// Processes told of.
const MOST_TOLD: usize = 64;

/// How far a keeper's hand goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Everything below this process, which becomes the parent of what is left behind.
    Everything,
    /// The command's session, for a keeper that is a thread of a larger program.
    Session,
}

/// The whole life of a keeper.
pub(super) fn keep(line: UnixStream, reach: Reach) {
    let Ok(Some((body, descriptors))) = channel::receive(&line) else { return };
    let Ok(order) = serde_json::from_slice::<Order>(&body) else { return };
    let outlives = order.outlives;
    let group = order.sandbox.as_ref().and_then(|sandbox| sandbox.view.limits.processes).and_then(Group::of);
    match start(order, descriptors, reach, group.as_ref()) {
        Ok(started) => Keeper::new(line, started, reach, outlives, group).watch(),
        Err(error) => {
            tell(&line, &Told::Failed { code: error.raw_os_error(), text: error.to_string() });
        }
    }
}

/// A command that runs.
struct Started {
    child: Child,
    /// Where the first process of a contained command tells how that ends.
    first: Option<OwnedFd>,
}

fn start(
    order: Order,
    descriptors: Vec<OwnedFd>,
    reach: Reach,
    group: Option<&Group>,
) -> io::Result<Started> {
    let missing = || io::Error::from(io::ErrorKind::InvalidInput);
    #[cfg(target_os = "linux")]
    if reach == Reach::Everything {
        rustix::process::set_child_subreaper(Pid::from_raw(1))?;
    }
    let mut descriptors = descriptors.into_iter();
    let output = File::from(descriptors.next().ok_or_else(missing)?);
    let stdin = match descriptors.next() {
        Some(stdin) if order.has_stdin => Stdio::from(stdin),
        _ => Stdio::null(),
    };
    let mut argv = order.argv.into_iter().map(text);
    let mut command = Command::new(argv.next().ok_or_else(missing)?);
    command
        .args(argv)
        .current_dir(text(order.cwd.clone()))
        .env_clear()
        .envs(order.env.into_iter().map(|(name, value)| (text(name), text(value))))
        .stdin(stdin)
        // One pipe for both, so that what is written first is read first.
        .stdout(output.try_clone()?)
        .stderr(output);
    let mut sandbox = match &order.sandbox {
        Some(sandbox) => Some(sandbox.view.prepare(&sandbox.mechanisms).map_err(io::Error::other)?),
        None => None,
    };
    let group = group.map(Group::door).transpose()?;
    let first = match &mut sandbox {
        Some(sandbox) if reach == Reach::Everything => divide(sandbox)?,
        _ => None,
    };
    set_up(&mut command, order.outlives, sandbox, group);
    Ok(Started { child: command.spawn()?, first })
}

#[cfg(target_os = "linux")]
fn divide(sandbox: &mut Prepared) -> io::Result<Option<OwnedFd>> {
    sandbox.divide()
}

#[cfg(not(target_os = "linux"))]
fn divide(_: &mut Prepared) -> io::Result<Option<OwnedFd>> {
    Ok(None)
}

#[expect(unsafe_code, reason = "a session of its own has to be opened between fork and exec")]
fn set_up(command: &mut Command, outlives: bool, sandbox: Option<Prepared>, group: Option<Door>) {
    let prepare = move || {
        rustix::process::setsid()?;
        #[cfg(target_os = "linux")]
        if !outlives {
            // Should the keeper itself be killed, at least the command goes with it.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        }
        group.as_ref().map_or(Ok(()), Door::enter)?;
        sandbox.as_ref().map_or(Ok(()), Prepared::enforce)
    };
    // SAFETY: only system calls are made in the child, nothing is allocated and no lock is taken.
    unsafe { command.pre_exec(prepare) };
}

struct Keeper {
    line: UnixStream,
    /// The command, or the first process of its namespaces.
    child: Child,
    first: Option<OwnedFd>,
    root: Root,
    reach: Reach,
    outlives: bool,
    listening: bool,
    group: Option<Group>,
}

impl Keeper {
    fn new(line: UnixStream, started: Started, reach: Reach, outlives: bool, group: Option<Group>) -> Self {
        let Started { child, first } = started;
        let root = match reach {
            Reach::Everything => Root::Below(rustix::process::getpid().as_raw_nonzero().get()),
            Reach::Session => Root::Session(child.id().cast_signed()),
        };
        Self { line, child, first, root, reach, outlives, listening: true, group }
    }

    fn watch(mut self) {
        let pid = self.child.id().cast_signed();
        self.tell(&Told::Started(pid));
        let status = match self.until_exit(pid) {
            Some(End::Whole(status)) => {
                self.tell(&Told::Ended { how: ended(status), left: false });
                let _ = self.child.wait();
                return;
            }
            Some(End::Command(status)) => status,
            None => return,
        };
        let left = self.is_left();
        self.tell(&Told::Ended { how: ended(status), left });
        if left {
            self.until_gone();
        }
    }

    /// Does something run on? What was just told to end is given a moment to do so.
    fn is_left(&mut self) -> bool {
        let until = Instant::now() + GRACE;
        loop {
            self.reap();
            if !self.root.lives() {
                return false;
            }
            if Instant::now() >= until {
                return true;
            }
            std::thread::sleep(GRACE / 25);
        }
    }

    /// Waits for the command itself; nothing if everything was ended because we are alone.
    fn until_exit(&mut self, pid: i32) -> Option<End> {
        let exit = exit_of(pid);
        loop {
            let timeout = if exit.is_some() { None } else { Some(LOOK_SOON) };
            let word = self.wait(exit.as_ref(), timeout);
            if let Some(end) = self.told_end() {
                return Some(end);
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                if word == Some(Heard::Closed) {
                    self.alone();
                }
                return Some(End::Command(status));
            }
            if word == Some(Heard::Closed) && self.alone() {
                return None;
            }
        }
    }

    /// What the first process has told of the command's end. Should it be gone without a word, its own end says all.
    fn told_end(&mut self) -> Option<End> {
        let first = self.first.as_ref()?;
        let told = &mut [PollFd::new(first, PollFlags::IN)];
        if poll(told, Some(&Timespec::default())).is_err() || told[0].revents().is_empty() {
            return None;
        }
        let end = end_of(first);
        self.first = None;
        end
    }

    /// Stays with what was left behind until there is none.
    fn until_gone(&mut self) {
        let mut pause = LOOK_SOON;
        loop {
            self.reap();
            if !self.root.lives() {
                return self.tell(&Told::Gone);
            }
            match self.wait(None, Some(pause)) {
                Some(Heard::Closed) if self.alone() => return,
                Some(_) => pause = LOOK_SOON,
                None => pause = (pause * 2).min(LOOK_LATE),
            }
        }
    }

    /// Nobody listens any more. True if everything was ended.
    fn alone(&mut self) -> bool {
        self.listening = false;
        if self.outlives {
            return false;
        }
        self.kill();
        true
    }

    fn kill(&mut self) {
        if let Some(group) = &self.group {
            group.seal();
        }
        // A whole process group is killed in one step, faster than a fork bomb can grow.
        if let Some(pid) = Pid::from_raw(self.child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        }
        let reach = self.reach;
        let child = &mut self.child;
        self.root.kill(|| {
            // The command's own end is taken by `try_wait`, which remembers it for the report.
            let _ = child.try_wait();
            reap_orphans(reach, child.id().cast_signed());
        });
    }

    fn reap(&mut self) {
        reap_orphans(self.reach, self.child.id().cast_signed());
    }

    /// Waits for a word, the command's end, or the time; does what it is told.
    fn wait(&mut self, exit: Option<&OwnedFd>, timeout: Option<Duration>) -> Option<Heard> {
        let mut watched = Vec::with_capacity(3);
        if self.listening {
            watched.push(PollFd::new(&self.line, PollFlags::IN));
        }
        watched.extend(exit.into_iter().chain(&self.first).map(|end| PollFd::new(end, PollFlags::IN)));
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        if poll(&mut watched, timeout.as_ref()).is_err() {
            return None;
        }
        let heard = self.listening && !watched.first()?.revents().is_empty();
        drop(watched);
        heard.then(|| self.hear())
    }

    fn hear(&mut self) -> Heard {
        let mut byte = [0];
        match self.line.read(&mut byte) {
            Ok(1..) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Heard::Word,
            Ok(_) | Err(_) => return Heard::Closed,
        }
        match Word::from_byte(byte[0]) {
            Some(Word::Terminate) => self.root.terminate(),
            Some(Word::Kill) => self.kill(),
            Some(Word::List) => self.tell(&Told::Processes(self.root.list(MOST_TOLD))),
            None => {}
        }
        Heard::Word
    }

    fn tell(&self, told: &Told) {
        tell(&self.line, told);
    }
}

/// How a command ended.
enum End {
    /// With all that it started.
    Whole(ExitStatus),
    /// By itself; something may be left of it.
    Command(ExitStatus),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Word,
    Closed,
}

/// Nobody may be there to hear it; then the next look at the line says so.
fn tell(mut line: &UnixStream, told: &Told) {
    if let Ok(mut text) = serde_json::to_vec(told) {
        text.push(b'\n');
        let _ = line.write_all(&text);
    }
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Code(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

/// Takes away what has died of what we adopted; the command itself is left to `Child`.
fn reap_orphans(reach: Reach, command: i32) {
    if reach == Reach::Session {
        return;
    }
    for pid in Root::Below(rustix::process::getpid().as_raw_nonzero().get()).processes() {
        if pid != command
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

/// Something that becomes readable when the process ends.
#[cfg(target_os = "linux")]
fn exit_of(pid: i32) -> Option<OwnedFd> {
    rustix::process::pidfd_open(Pid::from_raw(pid)?, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_: i32) -> Option<OwnedFd> {
    None
}

#[cfg(target_os = "linux")]
fn end_of(first: &OwnedFd) -> Option<End> {
    let end = crate::sandbox::end(first)?;
    let status = ExitStatus::from_raw(end.status);
    Some(if end.is_whole { End::Whole(status) } else { End::Command(status) })
}

#[cfg(not(target_os = "linux"))]
fn end_of(_: &OwnedFd) -> Option<End> {
    None
}
