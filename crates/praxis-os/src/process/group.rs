//! A control group around one command: how many processes it may have, counted by the kernel for it alone.
//!
//! The limit of the user's processes (`RLIMIT_NPROC`) counts all of the user's, and does not hold for root at all. Where
//! we may make a control group, we do.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where control groups are found.
const MOUNT: &str = "/sys/fs/cgroup";
/// The file with the limit, in both versions.
const LIMIT: &str = "pids.max";

/// A control group of our own.
#[derive(Debug)]
pub(super) struct Group {
    folder: PathBuf,
    members: File,
}

impl Group {
    /// A group for at most so many processes; nothing where this machine does not let us.
    pub(super) fn of(processes: u64) -> Option<Self> {
        let name = format!("praxis-{}", std::process::id());
        parents().into_iter().find_map(|parent| Self::below(&parent.join(&name), processes).ok())
    }

    fn below(folder: &Path, processes: u64) -> io::Result<Self> {
        fs::create_dir(folder)?;
        let opened = || {
            fs::write(folder.join(LIMIT), processes.to_string())?;
            OpenOptions::new().write(true).open(folder.join("cgroup.procs"))
        };
        match opened() {
            Ok(members) => Ok(Self { folder: folder.to_owned(), members }),
            Err(error) => {
                let _ = fs::remove_dir(folder);
                Err(error)
            }
        }
    }

    /// The way in for a child that is about to be forked.
    pub(super) fn door(&self) -> io::Result<Door> {
        Ok(Door(self.members.try_clone()?))
    }

    /// From now on nothing in the group can start anything.
    pub(super) fn seal(&self) {
        // Those that run go on, and are killed one by one.
        let _ = fs::write(self.folder.join(LIMIT), "0");
    }
}

/// The way into a group.
#[derive(Debug)]
pub(super) struct Door(File);

impl Door {
    /// Moves this process into the group; only a system call, so that a forked child may do it.
    pub(super) fn enter(&self) -> io::Result<()> {
        (&self.0).write_all(b"0")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An empty folder stays behind if something in it cannot die.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Whether groups can be made here.
pub(crate) fn can_be_made() -> bool {
    let counts = |parent: &PathBuf| {
        let controllers = fs::read_to_string(parent.join("cgroup.subtree_control"));
        // Version 1 has one tree for each controller, and no such file.
        controllers.map_or(true, |names| names.split_ascii_whitespace().any(|name| name == "pids"))
    };
    let writable = |parent: &PathBuf| rustix::fs::access(parent, rustix::fs::Access::WRITE_OK).is_ok();
    parents().iter().any(|parent| counts(parent) && writable(parent))
}

/// The groups we are in, where those of commands can be made: of version 1, then of version 2.
fn parents() -> Vec<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let found = text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        let base = match controllers {
            "" => Path::new(MOUNT).to_owned(),
            named if named.split(',').any(|name| name == "pids") => Path::new(MOUNT).join("pids"),
            _ => return None,
        };
        Some(base.join(path))
    });
    found.collect()
}
