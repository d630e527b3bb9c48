//! What the running kernel has.

use std::fs;
use std::io;

use rustix::thread::CapabilitySet;

use super::super::{Mechanisms, NamespaceBy, Place, View};
use super::plan::Plan;
use super::space::{Space, fork};

/// Asks for the version of Landlock instead of making rules.
const VERSION: libc::c_uint = 1;

pub(in super::super) fn probe() -> Mechanisms {
    let root = rustix::process::geteuid().is_root();
    Mechanisms {
        landlock: landlock_abi(),
        seccomp: seccomp(),
        namespaces: namespaces(root),
        limits: true,
        cgroup: crate::process::group::can_be_made(),
        root,
    }
}

fn landlock_abi() -> u32 {
    #[expect(unsafe_code, reason = "the landlock crate tells the version only after it has restricted us")]
    // SAFETY: with this flag the call reads no memory, and null with length 0 is what it asks for.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, VERSION)
    };
    u32::try_from(version).unwrap_or(0)
}

fn seccomp() -> bool {
    let processor = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
    processor && actions.is_ok_and(|actions| actions.split_whitespace().any(|action| action == "errno"))
}

/// By trying: containers, security modules and settings refuse them in too many ways to be known from anything else.
fn namespaces(root: bool) -> Option<NamespaceBy> {
    let held = rustix::thread::capabilities(None).map(|sets| sets.effective);
    let privileged = held.is_ok_and(|held| held.contains(CapabilitySet::SYS_ADMIN));
    let ways = [(privileged, NamespaceBy::Privilege), (true, NamespaceBy::UserNamespace)];
    ways.into_iter().find_map(|(possible, by)| (possible && works(by, root)).then_some(by))
}

/// Whether a process can have a tree of its own.
fn works(by: NamespaceBy, root: bool) -> bool {
    let view = View { places: vec![Place::read("/usr")], ..View::default() };
    let Ok(plan) = Plan::of(&view, root, &mut Vec::new()) else { return false };
    let space = Space { plan, by, own_network: false, keeper: None };
    let Ok(child) = fork() else { return false };
    #[expect(unsafe_code, reason = "nobody but a process can tell")]
    // SAFETY: the child makes system calls only (it neither allocates nor takes locks, which another thread might hold)
    // and ends without running anything else of ours.
    unsafe {
        if child == 0 {
            let entered = space.enter().is_ok();
            libc::_exit((!entered).into());
        }
        let mut status = -1;
        while libc::waitpid(child, &raw mut status, libc::__WALL) < 0 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return false;
            }
        }
        status == 0
    }
}
