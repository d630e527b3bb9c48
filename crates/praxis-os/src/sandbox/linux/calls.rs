//! Which system calls are refused: those that reach around the rules about files, into other processes or into the
//! kernel, and the network's.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use super::super::{Network, SandboxError, View};

/// Newer than the tables of the C library.
const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_FCHMODAT2: c_long = 452;

/// Refused whatever the arguments are.
const REFUSED: &[c_long] = &[
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // a second way to do everything, past this filter
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // the kernel
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    // keys that other programs of the user keep in the kernel
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // the tree of files
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_setns,
];

/// What changes a file's mode, owner, times or attributes, which Landlock does not limit: refused where nothing may be
/// written and no mount says so.
const OF_FILES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// The same with older calls.
#[cfg(target_arch = "x86_64")]
const OF_FILES_HERE: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_FILES_HERE: &[c_long] = &[];

/// Refused on x86 alone, where they exist.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[c_long] = &[];

/// Namespaces that `clone` and `unshare` make alike.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// The one that only `unshare` knows; in `clone` the bit is part of a signal's number.
const NEW_TIME: libc::c_int = 0x80;

/// Personalities that are harmless: Linux, 32 bits, without randomisation (sanitizers and debuggers), and the question.
const PERSONALITIES: [u64; 6] = [0, 0x8, 0x2_0000, 0x2_0008, 0x4_0000, 0xffff_ffff];

/// Typing into a terminal: on the line of another program, and on the console.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// The bits of a socket's type that are not flags.
const KIND_OF_SOCKET: u64 = 0xf;

/// From here on x86 numbers calls of its 32-bit-pointer variant, which a comparison of numbers would miss.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

type Table = BTreeMap<i64, Vec<SeccompRule>>;

/// What others hold already, so that no call need be refused for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldElsewhere {
    /// Unix sockets of other programs are out of reach.
    pub(super) sockets: bool,
    /// Files outside are out of sight or on read-only mounts.
    pub(super) files: bool,
}

/// The programs, in the order in which they are loaded.
pub(super) fn prepare(view: &View, held: HeldElsewhere) -> Result<Vec<BpfProgram>, SandboxError> {
    let refused = compile(refusals(view, held).map_err(broken)?, libc::EPERM)?;
    // "Not there" makes C libraries fall back to `clone`, whose flags can be seen; these are behind a pointer.
    let absent = compile(Table::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)?;
    Ok(vec![refused, without_x32(absent)])
}

/// Programs of another architecture's calls are killed: their numbers mean other things.
fn compile(table: Table, errno: libc::c_int) -> Result<BpfProgram, SandboxError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(broken)?;
    let refusal = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(table, SeccompAction::Allow, refusal, architecture).map_err(broken)?;
    filter.try_into().map_err(broken)
}

fn broken(error: impl ToString) -> SandboxError {
    SandboxError::Calls(error.to_string())
}

/// Puts "no such call" for the x32 variant before everything else.
#[cfg(target_arch = "x86_64")]
fn without_x32(program: BpfProgram) -> BpfProgram {
    use seccompiler::sock_filter;
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
    let load_number =
        sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: 0 };
    let is_x32 =
        sock_filter { code: (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16, jt: 0, jf: 1, k: X32 };
    let refuse = sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: no_such_call };
    [load_number, is_x32, refuse].into_iter().chain(program).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn without_x32(program: BpfProgram) -> BpfProgram {
    program
}

fn refusals(view: &View, held: HeldElsewhere) -> Result<Table, seccompiler::BackendError> {
    let mut table: Table = REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    if !held.files && view.writable().next().is_none() {
        table.extend(OF_FILES.iter().chain(OF_FILES_HERE).map(|call| (*call, Vec::new())));
    }
    let made_by_clone = NAMESPACES.map(|flag| flag as u64);
    let made_by_unshare = made_by_clone.into_iter().chain([NEW_TIME as u64]);
    table.insert(libc::SYS_clone, any(made_by_clone.map(|bit| has_bits(0, bit, bit)))?);
    table.insert(libc::SYS_unshare, any(made_by_unshare.map(|bit| has_bits(0, bit, bit)))?);
    table.insert(libc::SYS_personality, vec![none_of(0, &PERSONALITIES)?]);
    table.insert(libc::SYS_ioctl, any(TYPING.map(|request| is(1, request)))?);
    // Limits of other processes of the user; 0 stands for oneself, and no new limit for a question.
    let change = SeccompCondition::new(2, Width::Qword, Is::Ne, 0)?;
    table.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![is_not(0, 0)?, change])?]);
    let unix = view.unix_sockets || held.sockets;
    table.insert(libc::SYS_socket, sockets(view.network, unix)?);
    if !unix {
        // A datagram socket of a pair can still be sent to any address; raw ones are the same thing.
        let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| has_bits(1, KIND_OF_SOCKET, kind as u64));
        table.insert(libc::SYS_socketpair, any(kinds)?);
    }
    Ok(table)
}

/// Every family but the allowed ones; netlink is how names are looked up, so that it goes with the network.
fn sockets(network: Network, unix: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let mut allowed = Vec::new();
    if unix {
        allowed.push(libc::AF_UNIX as u64);
    }
    match network {
        Network::Deny => {}
        Network::Allow | Network::Loopback => {
            allowed.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(|family| family as u64));
        }
    }
    // A chain without a rule matches always.
    if allowed.is_empty() { Ok(Vec::new()) } else { Ok(vec![none_of(0, &allowed)?]) }
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn is(argument: u8, value: u64) -> Condition {
    SeccompCondition::new(argument, Width::Dword, Is::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Condition {
    SeccompCondition::new(argument, Width::Dword, Is::Ne, value)
}

fn has_bits(argument: u8, mask: u64, bits: u64) -> Condition {
    SeccompCondition::new(argument, Width::Dword, Is::MaskedEq(mask), bits)
}

/// A rule for each condition: one that holds is enough.
fn any(
    conditions: impl IntoIterator<Item = Condition>,
) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    conditions.into_iter().map(|condition| SeccompRule::new(vec![condition?])).collect()
}

fn none_of(argument: u8, values: &[u64]) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(values.iter().map(|value| is_not(argument, *value)).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn numbers_of_the_x32_variant_are_looked_at_first() {
        let programs = prepare(&View::default(), HeldElsewhere { sockets: false, files: false }).unwrap();
        let start: Vec<_> =
            programs[1][..3].iter().map(|step| (step.code, step.jt, step.jf, step.k)).collect();
        // load the number; at least 0x40000000, or skip one; no such call
        assert_eq!(start, [(0x20, 0, 0, 0), (0x35, 0, 1, 0x4000_0000), (0x06, 0, 0, 0x0005_0026)]);
    }

    #[test]
    fn filters_are_small_enough_for_the_kernel() {
        for network in [Network::Allow, Network::Deny, Network::Loopback] {
            for held in [true, false] {
                let held = HeldElsewhere { sockets: held, files: held };
                let programs = prepare(&View { network, ..View::default() }, held).unwrap();
                assert!(programs.iter().all(|program| program.len() < 4096));
            }
        }
    }
}
