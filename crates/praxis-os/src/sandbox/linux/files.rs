//! Rules about files.
//!
//! Landlock only knows permission: a folder's rule holds for everything below it and nothing takes it back. So what
//! must stay unreadable is left out, by granting its siblings along the way instead of the folders above it.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};
use rustix::fs::{Mode, OFlags};

use super::super::{Access, Network, Report, SandboxError, Temp, View};

/// Rules one policy may need; each is an open and a system call.
const MOST_RULES: usize = 16_384;

/// Devices that hold nothing of anybody's.
const HARMLESS: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The terminal of the command itself; others (`/dev/pts`) might be the user's.
const TERMINAL: &str = "/dev/tty";

/// Memory shared by name, which Python and databases need.
const SHARED_MEMORY: &str = "/dev/shm";

/// Where devices are: disks read raw would show unreadable files, so that these are granted one by one.
const DEVICES: &str = "/dev";

const READING: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | Execute});

/// Makes the rules, and leaves in the report the view that they express: rights only add up from a folder to what is
/// below it, so that nothing inside a writable place can be protected.
pub(super) fn prepare(abi: ABI, report: &mut Report) -> Result<RulesetCreated, SandboxError> {
    let writable = resolved(report.view.with(Access::Write));
    let masked = resolved(report.view.with(Access::Masked));
    let readable = resolved(report.view.with(Access::Read));
    let mut rules = Rules { ruleset: create(&report.view, abi)?, rights: Rights::of(abi), count: 0 };
    rules.grant(Path::new("/"), AccessFs::ReadDir.into())?;
    for place in readable.iter().chain(&writable) {
        let holes: Vec<&Path> =
            masked.iter().map(PathBuf::as_path).filter(|hole| hole.starts_with(place)).collect();
        // A file made later beside a hole could not be read, which no build survives.
        if holes.is_empty() || writable.contains(place) {
            rules.grant(place, READING)?;
        } else {
            rules.grant_around(place, &holes)?;
        }
    }
    rules.grant(Path::new("/proc"), READING)?;
    rules.grant_devices()?;
    let temp = match &report.view.temp {
        Temp::Folder(folder) => Some(folder.clone()),
        Temp::Private => None,
    };
    for place in writable.iter().chain(&temp) {
        let rights = rules.rights.writing | READING | rules.rights.of_named_device(place);
        rules.grant(place, rights)?;
    }
    Ok(rules.ruleset)
}

/// The places there are, links resolved.
fn resolved<'p>(places: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = places.filter_map(|place| fs::canonicalize(place).ok()).collect();
    found.sort();
    found.dedup();
    found
}

fn create(view: &View, abi: ABI) -> Result<RulesetCreated, SandboxError> {
    let mut handled = AccessFs::from_all(abi);
    let mut scopes = Scope::from_all(abi);
    if view.unix_sockets {
        handled &= !BitFlags::from(AccessFs::ResolveUnix);
        scopes &= !BitFlags::from(Scope::AbstractUnixSocket);
    }
    let network = match view.network {
        Network::Deny => AccessNet::from_all(abi),
        Network::Allow | Network::Loopback => BitFlags::EMPTY,
    };
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    ruleset = ruleset.handle_access(handled).map_err(refused)?;
    if !network.is_empty() {
        ruleset = ruleset.handle_access(network).map_err(refused)?;
    }
    if !scopes.is_empty() {
        ruleset = ruleset.scope(scopes).map_err(refused)?;
    }
    ruleset.create().map_err(refused)
}

fn refused(error: RulesetError) -> SandboxError {
    SandboxError::Files(error.to_string())
}

/// The rights this kernel knows, by what they are for.
struct Rights {
    /// Everything that changes files and folders, but makes no device nodes.
    writing: BitFlags<AccessFs>,
    /// What a device that may be used gets.
    device: BitFlags<AccessFs>,
    /// Control calls, where they are a right of their own.
    control: BitFlags<AccessFs>,
    /// What a file can have.
    file: BitFlags<AccessFs>,
}

impl Rights {
    fn of(abi: ABI) -> Self {
        let known = AccessFs::from_all(abi);
        let special = make_bitflags!(AccessFs::{MakeChar | MakeBlock | IoctlDev | ResolveUnix});
        Self {
            writing: AccessFs::from_write(abi) & !special,
            device: known & make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate}),
            control: known & AccessFs::IoctlDev,
            file: AccessFs::from_file(abi),
        }
    }

    /// Who names a device as writable wants to use it.
    fn of_named_device(&self, path: &Path) -> BitFlags<AccessFs> {
        if path.starts_with(DEVICES) { self.device | self.control } else { BitFlags::EMPTY }
    }
}

struct Rules {
    ruleset: RulesetCreated,
    rights: Rights,
    count: usize,
}

impl Rules {
    /// One rule. A path that is gone meanwhile needs none.
    fn grant(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), SandboxError> {
        self.count += 1;
        if self.count > MOST_RULES {
            return Err(SandboxError::TooManyRules(MOST_RULES));
        }
        let Some(place) = open(path)? else { return Ok(()) };
        let folder = rustix::fs::fstat(&place)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
        let rights = if folder { rights } else { rights & self.rights.file };
        (&mut self.ruleset).add_rule(PathBeneath::new(place, rights)).map_err(refused)?;
        Ok(())
    }

    /// Reading below a folder, but for the holes.
    fn grant_around(&mut self, folder: &Path, holes: &[&Path]) -> Result<(), SandboxError> {
        // A folder that cannot be listed grants nothing.
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            // A link leads to a place that has its own rule, or has none for a reason.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let path = entry.path();
            if holes.contains(&path.as_path()) {
                continue;
            }
            let below: Vec<&Path> = holes.iter().copied().filter(|hole| hole.starts_with(&path)).collect();
            if below.is_empty() {
                self.grant(&path, READING)?;
            } else {
                self.grant_around(&path, &below)?;
            }
        }
        Ok(())
    }

    fn grant_devices(&mut self) -> Result<(), SandboxError> {
        let Rights { writing, device, control, .. } = self.rights;
        for path in HARMLESS {
            self.grant(Path::new(path), device)?;
        }
        self.grant(Path::new(TERMINAL), device | control)?;
        self.grant(Path::new(SHARED_MEMORY), READING | writing)
    }
}

/// The very place, not what a link there points to.
fn open(path: &Path) -> Result<Option<OwnedFd>, SandboxError> {
    match rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(place) => Ok(Some(place)),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::ACCESS) => Ok(None),
        Err(e) => Err(SandboxError::System { action: "open a folder for the sandbox", source: e.into() }),
    }
}
