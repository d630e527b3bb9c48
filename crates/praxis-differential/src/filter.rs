//! Which system calls of the jail the watcher hears of.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use crate::stub;

/// Calls that start something, or name a file.
const HEARD: &[i64] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_creat,
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_rmdir,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    libc::SYS_link,
    libc::SYS_linkat,
    libc::SYS_symlink,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_chmod,
    libc::SYS_fchmodat,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
    libc::SYS_connect,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_fork,
    libc::SYS_vfork,
    stub::ASK as i64,
];

/// Where the kernel shows a filter the third argument of a call.
const FLAGS: u32 = 16 + 8 * 2;

/// Puts the filter on this process and all that come of it; gives the descriptor on which to hear.
#[expect(unsafe_code, reason = "a filter is installed by a raw call only")]
pub(crate) fn install() -> io::Result<OwnedFd> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let jump = |what: u32, k: u32, jt: u8, jf: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_K | what) as u16,
        jt,
        jf,
        k,
    };
    let load = |at: u32| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at);
    // Libraries are looked for with flags that no shell uses for what a script names.
    let quiet = [
        jump(libc::BPF_JEQ, libc::SYS_openat as u32, 0, 4),
        load(FLAGS),
        jump(libc::BPF_JEQ, (libc::O_RDONLY | libc::O_CLOEXEC) as u32, 1, 0),
        jump(libc::BPF_JA, 1, 0, 0),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ];
    let mut program = vec![load(0)];
    for (at, number) in HEARD.iter().enumerate() {
        program.push(jump(libc::BPF_JEQ, *number as u32, (HEARD.len() - at) as u8, 0));
    }
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    program.extend(quiet);
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_USER_NOTIF));
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the program outlives the calls, which copy it; a descriptor that is returned belongs to us alone.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let listener = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        );
        if listener < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(listener as i32)) }
    }
}
