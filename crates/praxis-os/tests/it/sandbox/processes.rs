//! Reaching into other processes and into the kernel.

use std::process::{Child, Command};

use praxis_os::sandbox::{Network, View};

use crate::lab::{Lab, Mode};

/// A process outside every sandbox.
struct Bystander(Child);

impl Bystander {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").env("SECRET", "hidden").spawn().unwrap())
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn processes_outside_are_neither_read_nor_signalled() {
    for lab in &Lab::ourselves() {
        let bystander = Bystander::new();
        let process = bystander.0.id();
        let view = View { network: Network::Allow, ..lab.view() };
        let escapes = [
            format!("grep -q SECRET /proc/{process}/environ"),
            format!("kill -0 {process}"),
            format!("readlink /proc/{process}/fd/0"),
            format!("readlink /proc/{process}/cwd"),
        ];
        for escape in escapes {
            let text = lab.refuses(&view, &escape);
            assert!(!text.contains("hidden"), "{escape}: {text}");
        }
    }
}

#[test]
fn memory_is_not_written_by_way_of_proc() {
    for lab in &Lab::all() {
        let script = "import ctypes
cell = ctypes.create_string_buffer(b'before')
memory = open('/proc/self/mem', 'r+b', 0)
memory.seek(ctypes.addressof(cell)); memory.write(b'after!')
print(cell.value)";
        let (plain, contained) = lab.python(&lab.view(), script);
        assert_eq!(plain.text, "b'after!'\n");
        assert!(!contained.ok && contained.text.contains("Permission denied"), "{}", contained.text);
    }
}

/// Makes a system call by number and prints the error's name.
const CALL: &str = "
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    return errno.errorcode[ctypes.get_errno()] if done == -1 else 'done'
";

#[test]
fn dangerous_calls_are_refused_in_every_mode() {
    for lab in &Lab::ourselves() {
        let own = "ctypes.addressof(cell)";
        let calls: Vec<(&str, libc::c_long, String)> = vec![
            ("ptrace", libc::SYS_ptrace, "0, 0, 0, 0".into()),
            (
                "process_vm_readv",
                libc::SYS_process_vm_readv,
                "__import__('os').getpid(), 0, 0, 0, 0, 0".into(),
            ),
            ("pidfd_getfd", libc::SYS_pidfd_getfd, "-1, 0, 0".into()),
            ("io_uring_setup", libc::SYS_io_uring_setup, "0, 0".into()),
            ("setns", libc::SYS_setns, "-1, 0".into()),
            ("add_key", libc::SYS_add_key, "0, 0, 0, 0, 0".into()),
            ("keyctl", libc::SYS_keyctl, "0, -3, 0".into()),
            ("personality", libc::SYS_personality, "0x0400000".into()),
            ("ioctl TIOCSTI", libc::SYS_ioctl, format!("-1, 0x5412, {own}")),
            ("ioctl TIOCSTI, high bits", libc::SYS_ioctl, format!("-1, 0x1_0000_5412, {own}")),
            ("prlimit64", libc::SYS_prlimit64, format!("__import__('os').getppid(), 99, {own}, 0")),
            ("socket AF_VSOCK", libc::SYS_socket, "40, 99, 0".into()),
        ];
        for (name, number, arguments) in calls {
            let script =
                format!("{CALL}\ncell = ctypes.create_string_buffer(64)\nprint(call({number}, {arguments}))");
            for network in [Network::Deny, Network::Allow] {
                let (plain, contained) = lab.python(&View { network, ..lab.view() }, &script);
                assert!(plain.ok, "{name}: {}", plain.text);
                assert_ne!(plain.text, "EPERM\n", "{name} without a sandbox");
                assert_eq!(contained.text, "EPERM\n", "{name} with {network:?}");
            }
        }
    }
}

#[test]
fn harmless_uses_of_the_same_calls_work() {
    for lab in &Lab::all() {
        let calls = [
            ("personality", libc::SYS_personality, "0xffffffff"),
            ("unshare of descriptors", libc::SYS_unshare, "0x400"),
            ("prlimit64 of oneself", libc::SYS_prlimit64, "0, 7, 0, ctypes.addressof(cell)"),
        ];
        for (name, number, arguments) in calls {
            let script = format!(
                "{CALL}\ncell = ctypes.create_string_buffer(64)\n\
             print(libc.syscall(ctypes.c_long({number}), {arguments}) >= 0)"
            )
            .replace("ctypes.addressof(cell)", "ctypes.c_long(ctypes.addressof(cell))");
            let (_, contained) = lab.python(&lab.view(), &script);
            assert_eq!(contained.text, "True\n", "{name}");
        }
    }
}

#[test]
fn namespaces_cannot_be_made() {
    for lab in &Lab::all() {
        let unshare = format!("{CALL}\nprint(call({}, 0x10000000))", libc::SYS_unshare);
        let (plain, contained) = lab.python(&lab.view(), &unshare);
        assert_eq!(contained.text, "EPERM\n");
        assert!(["done\n", "EPERM\n"].contains(&plain.text.as_str()), "{}", plain.text);

        // No flags of this call can be seen, so that it is not there and its users fall back.
        let clone3 = format!("{CALL}\nprint(call({}, 0, 0))", libc::SYS_clone3);
        let (plain, contained) = lab.python(&lab.view(), &clone3);
        assert_eq!((plain.text.as_str(), contained.text.as_str()), ("EINVAL\n", "ENOSYS\n"));
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn calls_of_another_architecture_are_no_way_round() {
    for lab in &Lab::all() {
        // mov eax, 20 (getpid of 32-bit programs); int 0x80; ret
        let script = "import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
import os
print(call() == os.getpid())";
        let (plain, contained) = lab.python(&lab.view(), script);
        if plain.text == "True\n" {
            assert_eq!((contained.ok, contained.signal), (false, Some(libc::SIGSYS)));
        }
    }
}

#[test]
fn the_superuser_loses_what_would_undo_the_rest() {
    for lab in &Lab::all() {
        let said = lab.contained(&lab.view(), "grep -E 'CapBnd|NoNewPrivs|Seccomp:' /proc/self/status");
        assert!(said.text.contains("NoNewPrivs:\t1") && said.text.contains("Seccomp:\t2"), "{}", said.text);
        if lab.mode() != Mode::Somebody && rustix::process::geteuid().is_root() {
            assert!(said.text.contains("CapBnd:\t00000000a080"), "{}", said.text);
        }
    }
}
