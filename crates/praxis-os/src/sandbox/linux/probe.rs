//! What the running kernel has.

use std::fs;
use std::path::Path;

use rustix::thread::CapabilitySet;

use super::super::{Mechanisms, NamespaceBy};

/// Asks for the version of Landlock instead of making rules.
const VERSION: libc::c_uint = 1;

pub(in super::super) fn probe() -> Mechanisms {
    Mechanisms {
        landlock: landlock_abi(),
        seccomp: seccomp(),
        network_namespace: network_namespace(),
        limits: true,
        cgroup: crate::process::group::can_be_made(),
        root: rustix::process::geteuid().is_root(),
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

/// From settings only: making one takes as long as all the rest, so that only those who want one try it.
fn network_namespace() -> Option<NamespaceBy> {
    if !Path::new("/proc/self/ns/net").exists() {
        return None;
    }
    let held = rustix::thread::capabilities(None).map(|sets| sets.effective);
    if held.is_ok_and(|held| held.contains(CapabilitySet::SYS_ADMIN)) {
        return Some(NamespaceBy::Privilege);
    }
    let possible = Path::new("/proc/self/ns/user").exists()
        && setting("user/max_user_namespaces").is_none_or(|most| most > 0)
        && setting("kernel/unprivileged_userns_clone").is_none_or(|switch| switch != 0)
        && setting("kernel/apparmor_restrict_unprivileged_userns").is_none_or(|switch| switch == 0);
    possible.then_some(NamespaceBy::UserNamespace)
}

fn setting(name: &str) -> Option<u64> {
    fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?.trim().parse().ok()
}
