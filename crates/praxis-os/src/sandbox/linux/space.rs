//! Namespaces of a command's own: its tree of files, its processes, its network.
//!
//! The first process of the namespaces builds the tree, adopts what the command leaves behind, and stays for as long as
//! something runs; when it dies the kernel kills the rest. Its child goes on and becomes the command. A keeper of its own
//! makes room for them ([`Space::divide`]), and is told how the command ends. Who has no such keeper just enters
//! ([`Space::enter`]): the process that was there waits and ends as the command ends, so that whoever started it notices
//! nothing. What happens between `fork` and `exec` allocates nothing.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use super::super::NamespaceBy;
use super::build;
use super::network::{Identity, raise_loopback};
use super::plan::Plan;

/// What the helping processes are called where processes are listed.
pub(crate) const INIT_NAME: &str = "praxis-init";
const INIT_NAME_C: &CStr = c"praxis-init";

/// The message channel of the helping processes, which have nothing else open.
const CHANNEL: libc::c_int = 0;

/// Namespaces that are ready to be entered.
#[derive(Debug)]
pub(super) struct Space {
    pub(super) plan: Plan,
    /// By what right.
    pub(super) by: NamespaceBy,
    /// A network of its own, with a loopback interface.
    pub(super) own_network: bool,
    /// Where a keeper that has divided itself is told of the command's end.
    pub(super) keeper: Option<OwnedFd>,
}

/// What the first process tells whoever waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
enum Word {
    /// The tree is built and the command goes on; then a number of no meaning.
    Ready = 1,
    /// It could not be built; then the error's number.
    Failed = 2,
    /// The command has ended and nothing is left of it; then its status.
    Ended = 3,
    /// The command has ended, and something it started runs on; then its status.
    Left = 4,
}

impl Space {
    /// Makes the next child of this process, which must have but one thread, the first of the new namespaces. Where the
    /// command's end will be told is returned; see [`end`].
    ///
    /// One process fewer than [`Self::enter`], and nobody waits for what the kernel takes down after the command.
    pub(super) fn divide(&mut self) -> io::Result<OwnedFd> {
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let mut flags = libc::CLONE_NEWPID;
        if self.by == NamespaceBy::UserNamespace {
            flags |= libc::CLONE_NEWUSER;
        }
        let identity = Identity::current();
        #[expect(unsafe_code, reason = "namespaces have no safe door")]
        // SAFETY: a system call without memory.
        check(unsafe { libc::unshare(flags) })?;
        if self.by == NamespaceBy::UserNamespace {
            identity.tell()?;
        }
        self.keeper = Some(write);
        Ok(read)
    }

    /// Moves this process there. It returns in another process, and in this one only if it fails.
    pub(super) fn enter(&self) -> io::Result<()> {
        match &self.keeper {
            Some(keeper) => self.settle(keeper.as_raw_fd()),
            None => self.enter_alone(),
        }
    }

    /// The first process of namespaces that a keeper has made.
    fn settle(&self, keeper: libc::c_int) -> io::Result<()> {
        let mut folder = [0_u8; libc::PATH_MAX as usize];
        let mut flags = libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
        if self.own_network {
            flags |= libc::CLONE_NEWNET;
        }
        #[expect(unsafe_code, reason = "namespaces, forks and signals have no safe door")]
        // SAFETY: as in `enter_alone`.
        unsafe {
            if libc::getcwd(folder.as_mut_ptr().cast(), folder.len()).is_null() {
                return Err(io::Error::last_os_error());
            }
            let before = block_signals()?;
            check(libc::unshare(flags))?;
            if self.own_network {
                raise_loopback()?;
            }
            let mask = libc::umask(0o022);
            build::tree(&self.plan, folder.as_ptr().cast())?;
            let command = fork()?;
            if command != 0 {
                keep_only(keeper);
                first_process(command, None)
            }
            become_command(mask, &before)
        }
    }

    /// The same for a process that nobody made room for: it becomes three.
    fn enter_alone(&self) -> io::Result<()> {
        let mut folder = [0_u8; libc::PATH_MAX as usize];
        let mut flags = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        if self.by == NamespaceBy::UserNamespace {
            flags |= libc::CLONE_NEWUSER;
        }
        let identity = Identity::current();
        if self.own_network {
            flags |= libc::CLONE_NEWNET;
        }
        let (read, write) = pipe()?;
        #[expect(unsafe_code, reason = "namespaces, forks and signals have no safe door")]
        // SAFETY: system calls on memory that outlives them. The processes made here share nothing, and each ends or goes
        // on to `exec` without running anything of ours that allocates or takes a lock.
        unsafe {
            if libc::getcwd(folder.as_mut_ptr().cast(), folder.len()).is_null() {
                return Err(io::Error::last_os_error());
            }
            let mut death = 0;
            check(libc::prctl(libc::PR_GET_PDEATHSIG, &raw mut death))?;
            let before = block_signals()?;
            check(libc::unshare(flags))?;
            if self.by == NamespaceBy::UserNamespace {
                identity.tell()?;
            }
            if self.own_network {
                raise_loopback()?;
            }
            let first = fork()?;
            if first != 0 {
                libc::close(write);
                return wait(read, first);
            }
            libc::close(read);
            check(libc::prctl(libc::PR_SET_PDEATHSIG, death))?;
            let mask = libc::umask(0o022);
            if let Err(error) = build::tree(&self.plan, folder.as_ptr().cast()) {
                say(write, Word::Failed, error.raw_os_error().unwrap_or(libc::EIO));
                libc::_exit(1);
            }
            match fork() {
                Ok(0) => {
                    libc::close(write);
                    become_command(mask, &before)
                }
                Ok(command) => {
                    say(write, Word::Ready, 0);
                    keep_only(write);
                    first_process(command, Some(death))
                }
                Err(error) => {
                    say(write, Word::Failed, error.raw_os_error().unwrap_or(libc::EIO));
                    libc::_exit(1)
                }
            }
        }
    }
}

/// A session of its own, and the signals and the mask that it had.
#[expect(unsafe_code, reason = "signal masks have no safe door")]
fn become_command(mask: libc::mode_t, signals: &libc::sigset_t) -> io::Result<()> {
    // SAFETY: system calls on memory that outlives them.
    unsafe {
        libc::umask(mask);
        check(libc::setsid())?;
        check(libc::sigprocmask(libc::SIG_SETMASK, signals, std::ptr::null_mut()))?;
    }
    Ok(())
}

/// The life of the first process: waits for everybody. With the signal at a parent's death it has a parent that only
/// waits for the command.
#[expect(unsafe_code, reason = "waiting for children of any kind has no safe door")]
fn first_process(command: libc::pid_t, death: Option<libc::c_int>) -> ! {
    // SAFETY: system calls on memory of this function.
    unsafe {
        let mut ended = None;
        loop {
            let mut status = 0;
            let options = if ended.is_some() { libc::__WALL | libc::WNOHANG } else { libc::__WALL };
            match libc::waitpid(-1, &raw mut status, options) {
                pid if pid == command => ended = Some(status),
                0 => break,
                -1 if *libc::__errno_location() == libc::ECHILD => break,
                _ => {}
            }
        }
        let mut status = 0;
        let others = libc::waitpid(-1, &raw mut status, libc::__WALL | libc::WNOHANG) >= 0;
        let code = ended.unwrap_or(libc::SIGKILL);
        if !others {
            say(CHANNEL, Word::Ended, code);
            libc::_exit(0);
        }
        if let Some(death) = death {
            // The one that waits ends now, and that must not end those who stay.
            libc::prctl(libc::PR_SET_PDEATHSIG, 0);
            say(CHANNEL, Word::Left, code);
            let mut gone = libc::pollfd { fd: CHANNEL, events: 0, revents: 0 };
            libc::poll(&raw mut gone, 1, -1);
            libc::prctl(libc::PR_SET_PDEATHSIG, death);
        } else {
            say(CHANNEL, Word::Left, code);
        }
        while libc::waitpid(-1, &raw mut status, libc::__WALL) > 0 || *libc::__errno_location() == libc::EINTR
        {
        }
        libc::_exit(0)
    }
}

/// Waits for the command and ends as it did; returns only if it could not be started.
#[expect(unsafe_code, reason = "ending like another process has no safe door")]
fn wait(channel: libc::c_int, first: libc::pid_t) -> io::Result<()> {
    // SAFETY: system calls on memory of this function.
    unsafe {
        match hear(channel) {
            Some((Word::Ready, _)) => {}
            Some((_, number)) => {
                libc::waitpid(first, std::ptr::null_mut(), libc::__WALL);
                return Err(io::Error::from_raw_os_error(number));
            }
            None => {
                libc::waitpid(first, std::ptr::null_mut(), libc::__WALL);
                return Err(io::Error::from_raw_os_error(libc::EIO));
            }
        }
        keep_only(channel);
        let status = match hear(CHANNEL) {
            Some((Word::Left, status)) => status,
            Some((Word::Ended, status)) => {
                libc::waitpid(first, std::ptr::null_mut(), libc::__WALL);
                status
            }
            Some((Word::Ready | Word::Failed, _)) | None => {
                libc::waitpid(first, std::ptr::null_mut(), libc::__WALL);
                libc::SIGKILL
            }
        };
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::signal(signal, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const all, std::ptr::null_mut());
            libc::kill(libc::getpid(), signal);
            libc::_exit(128 + signal);
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}

/// How a command ended, as its keeper is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// As `wait` would give it.
    pub(crate) status: libc::c_int,
    /// Is nothing left of what it started?
    pub(crate) is_whole: bool,
}

/// What the first process said to the keeper; nothing if it is gone without a word.
pub(crate) fn end(keeper: &OwnedFd) -> Option<End> {
    let (word, status) = hear(keeper.as_raw_fd())?;
    Some(End { status, is_whole: word == Word::Ended })
}

/// Closes everything but the channel, which gets its fixed number: a pipe that a helper held open would never end.
#[expect(unsafe_code, reason = "descriptors that others opened are closed")]
fn keep_only(channel: libc::c_int) {
    // SAFETY: this process uses no descriptor but the one that it keeps.
    unsafe {
        libc::dup2(channel, CHANNEL);
        libc::syscall(libc::SYS_close_range, CHANNEL + 1, libc::c_uint::MAX, 0);
        libc::prctl(libc::PR_SET_NAME, INIT_NAME_C.as_ptr());
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
    }
}

fn pipe() -> io::Result<(libc::c_int, libc::c_int)> {
    let mut ends = [0; 2];
    #[expect(unsafe_code, reason = "the ends are passed on by number")]
    // SAFETY: the array has room for both.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    Ok((ends[0], ends[1]))
}

fn say(channel: libc::c_int, word: Word, number: libc::c_int) {
    let [a, b, c, d] = (word as i32).to_ne_bytes();
    let [e, f, g, h] = number.to_ne_bytes();
    let message = [a, b, c, d, e, f, g, h];
    #[expect(unsafe_code, reason = "the channel is known by number")]
    // SAFETY: the message outlives the call. Whoever does not hear it is gone.
    let _ = unsafe { libc::write(channel, message.as_ptr().cast(), message.len()) };
}

fn hear(channel: libc::c_int) -> Option<(Word, libc::c_int)> {
    let mut message = [0_u8; 8];
    loop {
        #[expect(unsafe_code, reason = "the channel is known by number")]
        // SAFETY: the buffer outlives the call; messages this short come whole.
        let got = unsafe { libc::read(channel, message.as_mut_ptr().cast(), message.len()) };
        if got < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
            continue;
        }
        if got != 8 {
            return None;
        }
        let [a, b, c, d, e, f, g, h] = message;
        let word = [Word::Ready, Word::Failed, Word::Ended, Word::Left]
            .into_iter()
            .find(|word| *word as i32 == i32::from_ne_bytes([a, b, c, d]))?;
        return Some((word, libc::c_int::from_ne_bytes([e, f, g, h])));
    }
}

/// So that a signal for everybody reaches the command and not those who only wait. What was blocked before is returned.
#[expect(unsafe_code, reason = "signal masks have no safe door")]
fn block_signals() -> io::Result<libc::sigset_t> {
    // SAFETY: both sets are plain memory of this function.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        check(libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before))?;
        Ok(before)
    }
}

/// A plain fork that runs no handlers of libraries.
#[expect(unsafe_code, reason = "there is no safe fork")]
pub(super) fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: both processes go on with memory of their own.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    check(libc::pid_t::try_from(pid).unwrap_or(-1))
}

pub(super) fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
