//! Limits of what a command may use.

use praxis_os::sandbox::{Exit, Limits, Policy, explain};

use crate::lab::Lab;

fn limited(lab: &Lab, limits: Limits) -> Policy {
    Policy { limits, ..lab.policy() }
}

#[test]
fn files_do_not_grow_past_the_limit() {
    let lab = Lab::new();
    let policy = limited(&lab, Limits { file_bytes: Some(1 << 20), ..Limits::default() });
    assert!(!lab.contained(&policy, "head -c 2000000 /dev/zero > big").ok);
    assert_eq!(std::fs::metadata(lab.inside.join("big")).unwrap().len(), 1 << 20);
    assert!(lab.contained(&policy, "head -c 1000000 /dev/zero > small").ok);
}

#[test]
fn memory_is_limited_but_not_what_is_only_reserved() {
    let lab = Lab::new();
    let policy = limited(&lab, Limits { memory_bytes: Some(256 << 20), ..Limits::default() });
    let (plain, contained) = lab.python(&policy, "bytearray(512 << 20)");
    assert!(plain.ok);
    assert!(contained.text.contains("MemoryError"), "{}", contained.text);
    let told = explain(&contained.text, Exit::Code(1), &lab.report(&policy)).unwrap();
    assert!(told.contains("256 MB of memory"), "{told}");

    let reserve = "import mmap; mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | 0x20, prot=mmap.PROT_READ); print('ok')";
    assert_eq!(lab.python(&policy, reserve).1.text, "ok\n");
}

#[test]
fn an_endless_loop_ends() {
    let lab = Lab::new();
    let policy = limited(&lab, Limits { cpu_seconds: Some(1), ..Limits::default() });
    let said = lab.contained(&policy, "while :; do :; done");
    assert_eq!(said.signal, Some(libc::SIGXCPU));
    let told = explain(&said.text, Exit::Signal(libc::SIGXCPU), &lab.report(&policy)).unwrap();
    assert!(told.contains("1 s of processor time"), "{told}");
}

#[test]
fn processes_are_limited_for_ordinary_users() {
    if rustix::process::geteuid().is_root() {
        return; // The kernel exempts the superuser, and `gaps` says so.
    }
    let lab = Lab::new();
    let policy = limited(&lab, Limits { processes: Some(1), ..Limits::default() });
    lab.refuses(&policy, "/bin/true & /bin/true; wait $!");
}

#[test]
fn no_core_is_left_behind() {
    let lab = Lab::new();
    assert_eq!(lab.contained(&lab.policy(), "ulimit -Hc").text, "0\n");
}
