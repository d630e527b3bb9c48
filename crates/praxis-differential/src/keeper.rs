//! The first process of the jail: starts each script, waits for all that comes of it, ends what takes too long.

use std::ffi::CString;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::jail::Hold;
use crate::{filter, world};

/// How long a script may take.
const TIME: Duration = Duration::from_millis(300);
/// Memory of each process.
const MEMORY: u64 = 256 * 1_024 * 1_024;
/// Longest file that a process may write.
const FILE: u64 = 1_024 * 1_024;

/// Forks the keeper; gives its number.
#[expect(unsafe_code, reason = "a fork has no safe form")]
pub(crate) fn start(root: &Path, hold: Hold, line: UnixStream) -> io::Result<u32> {
    // SAFETY: this process has one thread, so the child may go on as usual.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let code = match keep(root, hold, line) {
                Ok(()) => 0,
                Err(_) => 1,
            };
            // SAFETY: ends this process at once, without what its parent has prepared for its own end.
            unsafe { libc::_exit(code) }
        }
        child => Ok(child as u32),
    }
}

#[expect(unsafe_code, reason = "signals have no safe form")]
fn keep(root: &Path, hold: Hold, mut line: UnixStream) -> io::Result<()> {
    // SAFETY: plain calls on our own process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
    }
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let prefix = if hold == Hold::Namespaces {
        rustix::process::chroot(root)?;
        String::new()
    } else {
        root.to_string_lossy().into_owned()
    };
    let folder = CString::new(format!("{prefix}{}", world::CWD))?;
    let shells = [CString::new(format!("{prefix}/bin/bash"))?, CString::new(format!("{prefix}/bin/dash"))?];
    let number = match filter::install() {
        Ok(listener) => listener.into_raw_fd(),
        Err(error) => -error.raw_os_error().unwrap_or(libc::EINVAL),
    };
    line.write_all(&number.to_le_bytes())?;
    let environment = [
        format!("PATH={prefix}{}", world::BIN),
        format!("HOME={prefix}{}", world::HOME),
        format!("PWD={prefix}{}", world::CWD),
        "USER=me".to_owned(),
        "TERM=dumb".to_owned(),
    ];
    let environment: Vec<CString> =
        environment.into_iter().filter_map(|one| CString::new(one).ok()).collect();
    loop {
        let mut head = [0; 5];
        line.read_exact(&mut head)?;
        let mut script = vec![0; u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize];
        line.read_exact(&mut script)?;
        let shell = &shells[usize::from(head[0] == 1)];
        let Ok(script) = CString::new(script) else {
            line.write_all(&[0, 0])?;
            continue;
        };
        // Reading a locale costs as much as the rest of a shell's start.
        let locale = if script.as_bytes().is_ascii() { c"LC_ALL=C" } else { c"LC_ALL=C.UTF-8" };
        let argv = [shell.as_ptr(), c"-c".as_ptr(), script.as_ptr(), std::ptr::null()];
        let mut envp: Vec<*const libc::c_char> = environment.iter().map(|one| one.as_ptr()).collect();
        envp.push(locale.as_ptr());
        envp.push(std::ptr::null());
        // SAFETY: one thread; the child calls the kernel only, with pointers that live until it is another program.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above.
            unsafe {
                become_shell(null.as_raw_fd(), folder.as_ptr(), shell.as_ptr(), argv.as_ptr(), envp.as_ptr())
            }
        }
        let end = bury(child, hold);
        line.write_all(&end)?;
    }
}

#[expect(unsafe_code, reason = "the last steps before another program")]
unsafe fn become_shell(
    null: i32,
    folder: *const libc::c_char,
    shell: *const libc::c_char,
    argv: *const *const libc::c_char,
    envp: *const *const libc::c_char,
) -> ! {
    // SAFETY: the caller promises that the pointers are good; every call is allowed after a fork.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::chdir(folder);
        libc::setsid();
        for target in 0..3 {
            libc::dup2(null, target);
        }
        for (what, most) in [
            (libc::RLIMIT_AS, MEMORY),
            (libc::RLIMIT_FSIZE, FILE),
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_CPU, 2),
        ] {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            libc::setrlimit(what, &limit);
        }
        libc::execve(shell, argv, envp);
        libc::_exit(126)
    }
}

/// Waits until nothing is left of a script: was it stopped, and how did the shell end?
#[expect(unsafe_code, reason = "signals have no safe form")]
fn bury(shell: i32, hold: Hold) -> [u8; 2] {
    let start = Instant::now();
    let mut end = [0, 0];
    loop {
        let mut status = 0;
        // SAFETY: waits for our own children.
        match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG | libc::__WALL) } {
            -1 => return end,
            0 => {}
            pid => {
                if pid == shell {
                    end[1] = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) as u8 } else { 255 };
                }
                continue;
            }
        }
        let left = TIME.saturating_sub(start.elapsed());
        // SAFETY: plain calls; in a process namespace of our own, `-1` is everything but us.
        unsafe {
            if left.is_zero() {
                end[0] = 1;
                match hold {
                    Hold::Namespaces => _ = libc::kill(-1, libc::SIGKILL),
                    Hold::Watcher => {
                        for child in children() {
                            libc::kill(child, libc::SIGKILL);
                        }
                    }
                }
                let pause = libc::timespec { tv_sec: 0, tv_nsec: 2_000_000 };
                wait(&pause);
            } else {
                let pause =
                    libc::timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
                wait(&pause);
            }
        }
    }
}

/// Our children, and what they left to us.
fn children() -> impl Iterator<Item = i32> {
    let own = std::process::id();
    let text = std::fs::read_to_string(format!("/proc/self/task/{own}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<i32>>().into_iter()
}

#[expect(unsafe_code, reason = "signals have no safe form")]
unsafe fn wait(pause: &libc::timespec) {
    // SAFETY: plain calls on our own signals.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        libc::sigtimedwait(&set, std::ptr::null_mut(), pause);
    }
}
