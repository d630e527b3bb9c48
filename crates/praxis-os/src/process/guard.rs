//! The guard: our own program again, small and with one thread, from which keepers are forked.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{WaitOptions, wait};

use super::channel;
use super::keeper::{Reach, keep};

/// The first argument of a program that is to be a guard.
pub const GUARD_ARGUMENT: &str = "__guard";
/// How often keepers that have ended are collected while there are any.
const COLLECT: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// The whole life of a guard: call it first thing in `main` when the first argument is [`GUARD_ARGUMENT`], before any
/// thread is started.
///
/// Its standard input is the line to whoever started it; each message there brings the line of a new keeper. It ends
/// when that line is closed.
pub fn guard_main() -> ExitCode {
    // Out of the terminal's reach: Ctrl-C is for the program, which tells us what to do.
    let _ = rustix::process::setsid();
    keep_memory_private();
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Keeps other programs of the same user, commands of ours among them, from looking into this process: its environment
/// and its memory hold keys.
pub fn keep_memory_private() {
    // Where the system cannot, we are no worse off than every other program.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

fn serve() -> io::Result<()> {
    let line = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    close_stdin()?;
    let mut keepers = 0_usize;
    loop {
        let timeout = (keepers > 0).then_some(&COLLECT);
        let ready = match poll(&mut [PollFd::new(&line, PollFlags::IN)], timeout) {
            Ok(ready) => ready > 0,
            Err(rustix::io::Errno::INTR) => false,
            Err(error) => return Err(error.into()),
        };
        while keepers > 0 && matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {
            keepers -= 1;
        }
        if !ready {
            continue;
        }
        let Some((_, mut descriptors)) = channel::receive(&line)? else { return Ok(()) };
        let Some(keeper_line) = descriptors.pop() else { continue };
        if fork()? == Fork::Child {
            drop(line);
            keep(UnixStream::from(keeper_line), Reach::Everything);
            std::process::exit(0);
        }
        keepers += 1;
    }
}

/// So that no keeper holds a copy of our line.
fn close_stdin() -> io::Result<()> {
    let null = std::fs::File::open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdin(null.as_fd())?)
}

#[derive(PartialEq, Eq)]
enum Fork {
    Parent,
    Child,
}

#[expect(unsafe_code, reason = "there is no safe fork; this process has one thread")]
fn fork() -> io::Result<Fork> {
    // SAFETY: the guard never starts a thread, so the child has a whole copy of a program that was doing nothing else.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        _ => Ok(Fork::Parent),
    }
}
