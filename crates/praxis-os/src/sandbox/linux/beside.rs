//! Landlock beside namespaces: a second line behind the mounts, and the one thing that they do not hold, sockets by
//! abstract names and signals. Made after the tree is, in the process that becomes the command: system calls only.

use std::io;
use std::mem::size_of;

use super::plan::Plan;
use super::space::check;

/// Rights by their bits, in the order in which the kernel got them.
const WRITE_FILE: u64 = 1 << 1;
/// Removing and making of everything, devices included.
const REMOVE_AND_MAKE: u64 = 0b1_1111_1111 << 4;
const MOVE: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
/// Making devices, which no command needs.
const MAKE_DEVICES: u64 = (1 << 6) | (1 << 11);
/// Rights that a file can have.
const OF_FILES: u64 = WRITE_FILE | TRUNCATE;

const ABSTRACT_SOCKETS: u64 = 1;
const SIGNALS: u64 = 1 << 1;

const PATH_RULE: libc::c_int = 1;

/// What this kernel's Landlock adds to namespaces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    abi: u32,
    scopes: u64,
}

#[repr(C)]
struct Rules {
    files: u64,
    network: u64,
    scopes: u64,
}

#[repr(C, packed)]
struct Beneath {
    rights: u64,
    place: libc::c_int,
}

impl Beside {
    /// With `unix_sockets` those of others may be reached.
    pub(super) fn of(abi: u32, unix_sockets: bool) -> Option<Self> {
        let scopes = match (abi, unix_sockets) {
            (..=5, _) => 0,
            (_, true) => SIGNALS,
            (_, false) => SIGNALS | ABSTRACT_SOCKETS,
        };
        (abi > 0).then_some(Self { abi, scopes })
    }

    /// The rights to change files that this kernel can limit.
    fn rights(self) -> u64 {
        let mut rights = WRITE_FILE | REMOVE_AND_MAKE;
        if self.abi >= 2 {
            rights |= MOVE;
        }
        if self.abi >= 3 {
            rights |= TRUNCATE;
        }
        rights
    }

    /// Restricts this process for good: it writes only where the plan says.
    pub(super) fn enforce(self, plan: &Plan) -> io::Result<()> {
        // Kernels before scopes, and before the network, know a shorter structure.
        let size = match self.abi {
            ..=3 => size_of::<u64>(),
            4..=5 => 2 * size_of::<u64>(),
            _ => size_of::<Rules>(),
        };
        let wanted = Rules { files: self.rights(), network: 0, scopes: self.scopes };
        #[expect(unsafe_code, reason = "the crate for it allocates")]
        // SAFETY: structures and paths outlive the calls, which are told their sizes; descriptors are closed once.
        unsafe {
            let rules = libc::syscall(libc::SYS_landlock_create_ruleset, &raw const wanted, size, 0);
            let rules = check(libc::c_int::try_from(rules).unwrap_or(-1))?;
            for path in &plan.writable {
                self.allow(rules, path.as_ptr())?;
            }
            let done = libc::syscall(libc::SYS_landlock_restrict_self, rules, 0);
            libc::close(rules);
            check(libc::c_int::try_from(done).unwrap_or(-1)).map(drop)
        }
    }

    #[expect(unsafe_code, reason = "the crate for it allocates")]
    unsafe fn allow(self, rules: libc::c_int, path: *const libc::c_char) -> io::Result<()> {
        // SAFETY: the caller's path ends in a NUL byte; the structures outlive the calls.
        unsafe {
            let place = libc::open(path, libc::O_PATH | libc::O_CLOEXEC);
            if place < 0 {
                // A place that is gone needs no rule.
                return Ok(());
            }
            let mut data: libc::stat = std::mem::zeroed();
            libc::fstat(place, &raw mut data);
            let mut rights = self.rights() & !MAKE_DEVICES;
            if data.st_mode & libc::S_IFMT != libc::S_IFDIR {
                rights &= OF_FILES;
            }
            let beneath = Beneath { rights, place };
            let done = libc::syscall(libc::SYS_landlock_add_rule, rules, PATH_RULE, &raw const beneath, 0);
            libc::close(place);
            check(libc::c_int::try_from(done).unwrap_or(-1)).map(drop)
        }
    }
}
