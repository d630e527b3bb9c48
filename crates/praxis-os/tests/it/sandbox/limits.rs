//! Limits of what a command may use.

use praxis_os::sandbox::{Exit, Limits, View, explain};

use crate::lab::Lab;

fn limited(lab: &Lab, limits: Limits) -> View {
    View { limits, ..lab.view() }
}

#[test]
fn files_do_not_grow_past_the_limit() {
    for lab in &Lab::all() {
        let view = limited(lab, Limits { file_bytes: Some(1 << 20), ..Limits::default() });
        assert!(!lab.contained(&view, "head -c 2000000 /dev/zero > big").ok);
        assert_eq!(std::fs::metadata(lab.inside.join("big")).unwrap().len(), 1 << 20);
        assert!(lab.contained(&view, "head -c 1000000 /dev/zero > small").ok);
    }
}

#[test]
fn memory_is_limited_but_not_what_is_only_reserved() {
    for lab in &Lab::all() {
        let view = limited(lab, Limits { memory_bytes: Some(256 << 20), ..Limits::default() });
        let (plain, contained) = lab.python(&view, "bytearray(512 << 20)");
        assert!(plain.ok);
        assert!(contained.text.contains("MemoryError"), "{}", contained.text);
        let told = explain(&contained.text, Exit::Code(1), &lab.inside, &lab.report(&view)).unwrap();
        assert!(told.contains("256 MB of memory"), "{told}");

        let reserve = "import mmap; mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | 0x20, prot=mmap.PROT_READ); print('ok')";
        assert_eq!(lab.python(&view, reserve).1.text, "ok\n");
    }
}

#[test]
fn an_endless_loop_ends() {
    for lab in &Lab::all() {
        let view = limited(lab, Limits { cpu_seconds: Some(1), ..Limits::default() });
        let said = lab.contained(&view, "while :; do :; done");
        assert_eq!(said.signal, Some(libc::SIGXCPU));
        let told = explain(&said.text, Exit::Signal(libc::SIGXCPU), &lab.inside, &lab.report(&view)).unwrap();
        assert!(told.contains("1 s of processor time"), "{told}");
    }
}

#[test]
fn processes_are_limited_for_ordinary_users() {
    if rustix::process::geteuid().is_root() {
        return; // The kernel exempts the superuser, and `gaps` says so.
    }
    for lab in &Lab::all() {
        let view = limited(lab, Limits { processes: Some(1), ..Limits::default() });
        lab.refuses(&view, "/bin/true & /bin/true; wait $!");
    }
}

#[test]
fn no_core_is_left_behind() {
    for lab in &Lab::all() {
        assert_eq!(lab.contained(&lab.view(), "ulimit -Hc").text, "0\n");
    }
}
