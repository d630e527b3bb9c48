//! A network namespace with nothing in it but a loopback interface, and who the user is in a user namespace.

use std::io::{self, Write};

use rustix::fs::{Mode, OFlags};
use rustix::net::{AddressFamily, SocketType};
use rustix::process::DumpableBehavior;

/// Who the user is, which a user namespace has to be told so that they stay it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    user: u32,
    group: u32,
}

impl Identity {
    /// To be asked before the namespace is entered, in which nobody is anybody.
    pub(super) fn current() -> Self {
        Self { user: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() }
    }

    /// Tells the namespace that this process has just entered. Allocates nothing.
    pub(super) fn tell(self) -> io::Result<()> {
        // Of a process whose memory is private, these files belong to the superuser.
        rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        let told = self.tell_maps();
        rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        told
    }

    fn tell_maps(self) -> io::Result<()> {
        // The kernel wants this promise before an ordinary user may map a group.
        tell("/proc/self/setgroups", b"deny")?;
        map("/proc/self/uid_map", self.user)?;
        map("/proc/self/gid_map", self.group)
    }
}

/// One number, which stays the same.
fn map(file: &str, id: u32) -> io::Result<()> {
    let mut line = [0; 32];
    let mut rest = line.as_mut_slice();
    write!(rest, "{id} {id} 1")?;
    let left = rest.len();
    let used = line.len() - left;
    tell(file, line.get(..used).unwrap_or_default())
}

fn tell(file: &str, text: &[u8]) -> io::Result<()> {
    let descriptor = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&descriptor, text)?;
    Ok(())
}

/// Turns `lo` on: a new namespace has it turned off.
pub(super) fn raise_loopback() -> io::Result<()> {
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
