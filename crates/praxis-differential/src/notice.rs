//! Notices of the kernel: a process of the jail is about to make a system call, and waits for the answer.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use crate::stub;

/// Longest text that is read from a process.
const LONGEST: usize = 64 * 1_024;
const PAGE: u64 = 4_096;
/// `SECCOMP_IOCTL_NOTIF_SET_FLAGS` and its one flag, which `libc` does not have.
const SET_FLAGS: u64 = 0x4008_2104;
const SYNC_WAKE_UP: u64 = 1;

/// One call that waits.
#[derive(Debug)]
pub(crate) struct Notice {
    id: u64,
    /// The process, as we number it.
    pub(crate) pid: u32,
    /// The number of the call.
    pub(crate) call: i64,
    /// Its arguments.
    pub(crate) args: [u64; 6],
}

/// What becomes of a call.
pub(crate) enum Answer {
    /// It is made.
    Go,
    /// It fails with this error.
    Fail(i32),
    /// It is not made, and gives this.
    Value(i64),
}

/// Where notices come from.
pub(crate) struct Listener(OwnedFd);

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Listener {
    #[expect(unsafe_code, reason = "an ioctl sets how processes are woken")]
    pub(crate) fn new(fd: OwnedFd) -> Self {
        // Faster where the kernel knows it (6.6), and of no matter where not.
        // SAFETY: the request takes a number.
        let _ = unsafe { libc::ioctl(fd.as_raw_fd(), SET_FLAGS as _, SYNC_WAKE_UP) };
        Self(fd)
    }

    /// The next notice; `None` if its process is gone.
    #[expect(unsafe_code, reason = "notices come by an ioctl")]
    pub(crate) fn next(&self) -> io::Result<Option<Notice>> {
        // SAFETY: the kernel wants zeros and fills in a struct of the size that the request names.
        let (done, raw) = unsafe {
            let mut raw: libc::seccomp_notif = std::mem::zeroed();
            (libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV as _, &raw mut raw), raw)
        };
        if done < 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::ENOENT | libc::EINTR) => Ok(None),
                _ => Err(error),
            };
        }
        Ok(Some(Notice { id: raw.id, pid: raw.pid, call: i64::from(raw.data.nr), args: raw.data.args }))
    }

    /// Answers; a process that is gone by now does not matter.
    #[expect(unsafe_code, reason = "answers go by an ioctl")]
    pub(crate) fn answer(&self, notice: &Notice, answer: Answer) -> io::Result<()> {
        let (val, error, flags) = match answer {
            Answer::Go => (0, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
            Answer::Fail(error) => (0, -error, 0),
            Answer::Value(value) => (value, 0, 0),
        };
        let mut raw = libc::seccomp_notif_resp { id: notice.id, val, error, flags };
        // SAFETY: the kernel reads a struct of the size that the request names.
        let done =
            unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND as _, &raw mut raw) };
        match io::Error::last_os_error() {
            error if done < 0 && error.raw_os_error() != Some(libc::ENOENT) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Notice {
    /// Does it start a process or a thread?
    pub(crate) fn is_fork(&self) -> bool {
        matches!(self.call, libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork)
    }

    /// Does it speak to another process, or over the network?
    pub(crate) fn is_contact(&self) -> bool {
        matches!(
            self.call,
            libc::SYS_kill
                | libc::SYS_tkill
                | libc::SYS_tgkill
                | libc::SYS_rt_sigqueueinfo
                | libc::SYS_rt_tgsigqueueinfo
                | libc::SYS_pidfd_send_signal
                | libc::SYS_connect
        )
    }

    /// Is it a stub that asks for its role?
    pub(crate) fn is_ask(&self) -> bool {
        self.call == i64::from(stub::ASK)
    }

    /// A text of the process that ends with a zero.
    pub(crate) fn text(&self, mut at: u64) -> Option<String> {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST {
            let mut page = [0; 256];
            let size = (PAGE - at % PAGE).min(256) as usize;
            let got = self.memory(at, &mut page[..size])?;
            if let Some(end) = page[..got].iter().position(|byte| *byte == 0) {
                bytes.extend_from_slice(&page[..end]);
                break;
            }
            bytes.extend_from_slice(&page[..got]);
            at += got as u64;
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A list of texts that ends with a zero.
    pub(crate) fn texts(&self, mut at: u64) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        while texts.len() < 4_096 {
            let mut block = [0; 256];
            let size = ((PAGE - at % PAGE) as usize).min(block.len());
            let got = self.memory(at, &mut block[..size])?;
            for pointer in block[..got].chunks_exact(8) {
                match u64::from_le_bytes(pointer.try_into().ok()?) {
                    0 => return Some(texts),
                    pointer => texts.push(self.text(pointer)?),
                }
            }
            at += (got as u64) & !7;
            if got < 8 {
                return None;
            }
        }
        Some(texts)
    }

    /// A number of the process.
    pub(crate) fn number(&self, at: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        (self.memory(at, &mut bytes)? == 8).then(|| u64::from_le_bytes(bytes))
    }

    #[expect(unsafe_code, reason = "memory of another process has no safe door")]
    fn memory(&self, at: u64, into: &mut [u8]) -> Option<usize> {
        let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
        let remote = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: into.len() };
        // SAFETY: the kernel writes no more than `into` holds, and checks the address in the other process.
        let got = unsafe { libc::process_vm_readv(self.pid as i32, &local, 1, &remote, 1, 0) };
        usize::try_from(got).ok().filter(|got| *got > 0)
    }
}
