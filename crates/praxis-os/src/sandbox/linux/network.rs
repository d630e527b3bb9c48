//! A network namespace with nothing in it but a loopback interface.

use std::io;

use rustix::fs::{Mode, OFlags};
use rustix::net::{AddressFamily, SocketType};
use rustix::thread::UnshareFlags;

/// How to get a network of one's own.
#[derive(Debug)]
pub(super) struct NetworkSpace {
    identity: Option<Identity>,
}

/// What a user namespace has to be told so that the user stays who they are.
#[derive(Debug)]
struct Identity {
    users: Vec<u8>,
    groups: Vec<u8>,
}

impl Identity {
    fn current() -> Self {
        let user = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        Self {
            users: format!("{user} {user} 1").into_bytes(),
            groups: format!("{group} {group} 1").into_bytes(),
        }
    }
}

impl NetworkSpace {
    /// The way that works here, tried out in a process that does nothing else.
    pub(super) fn try_out() -> Option<Self> {
        if attempt(UnshareFlags::NEWNET) {
            return Some(Self { identity: None });
        }
        attempt(UnshareFlags::NEWNET | UnshareFlags::NEWUSER)
            .then(|| Self { identity: Some(Identity::current()) })
    }

    /// Moves this process there.
    pub(super) fn enter(&self) -> io::Result<()> {
        let mut flags = UnshareFlags::NEWNET;
        if self.identity.is_some() {
            flags |= UnshareFlags::NEWUSER;
        }
        #[expect(unsafe_code, reason = "namespaces have no safe door")]
        // SAFETY: descriptors stay shared, which is all that this call could make unsound.
        unsafe {
            rustix::thread::unshare_unsafe(flags)?;
        }
        if let Some(identity) = &self.identity {
            // The kernel wants this promise before an ordinary user may map a group.
            tell("/proc/self/setgroups", b"deny")?;
            tell("/proc/self/uid_map", &identity.users)?;
            tell("/proc/self/gid_map", &identity.groups)?;
        }
        raise_loopback()
    }
}

fn tell(file: &str, text: &[u8]) -> io::Result<()> {
    let descriptor = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&descriptor, text)?;
    Ok(())
}

/// Whether a process could have such namespaces and use them.
fn attempt(flags: UnshareFlags) -> bool {
    // No signal at its end: whoever waits for all children of this process does not get to see it.
    let flags = libc::c_ulong::from(flags.bits());
    #[expect(unsafe_code, reason = "nobody but a process can tell")]
    // SAFETY: a plain fork. The child makes system calls only (it neither allocates nor takes locks, which another
    // thread might hold) and ends without running anything of ours.
    unsafe {
        let child = libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0);
        if child == 0 {
            libc::_exit(raise_loopback().is_err().into());
        }
        let Ok(child @ 1..) = libc::pid_t::try_from(child) else { return false };
        let mut status = -1;
        while libc::waitpid(child, &raw mut status, libc::__WALL) < 0 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return false;
            }
        }
        status == 0
    }
}

/// Turns `lo` on: a new namespace has it turned off.
fn raise_loopback() -> io::Result<()> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    #[expect(unsafe_code, reason = "interfaces are changed by an ioctl that takes a union")]
    // SAFETY: the request is a plain structure for which all zeroes is a value, and it outlives the call.
    let done = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l'.cast_signed() as libc::c_char;
        request.ifr_name[1] = b'o'.cast_signed() as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        libc::ioctl(
            std::os::fd::AsRawFd::as_raw_fd(&socket),
            libc::SIOCSIFFLAGS as libc::Ioctl,
            &raw const request,
        )
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
