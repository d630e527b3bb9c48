//! A folder that is held open: what is opened beneath it lies beneath it, whatever happens to names meanwhile.
//!
//! A name can mean another place by the time it is used: somebody swaps a folder for a link. So nothing that was decided
//! on is opened by its name alone. The kernel is told to follow no link on the way; where it cannot be told (`openat2`
//! is missing, or forbidden), every step is taken from the folder before it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::{FileError, RealPath};

/// Mode of a folder that did not exist before, the user's mask aside.
const NEW_FOLDER: u32 = 0o777;

/// How a folder is opened only to go on from it. Where it can be had, that takes no leave to read it.
#[cfg(target_os = "linux")]
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const STEP: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder that is held open, with the path it had.
#[derive(Debug)]
pub struct HeldFolder {
    descriptor: OwnedFd,
    path: PathBuf,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Whether it is a folder, or a link to one.
    pub is_folder: bool,
}

impl HeldFolder {
    /// Holds a folder; `Replaced` if a link stands on the way by now, `NotADirectory` as an I/O error if it is none.
    pub fn open(path: &RealPath) -> Result<Self, FileError> {
        let name = || path.as_path().to_owned();
        match open_real(path.as_path(), STEP) {
            Ok(descriptor) => Ok(Self { descriptor, path: name() }),
            Err(Errno::NOENT) => Err(FileError::NotFound(name())),
            Err(Errno::LOOP) => Err(FileError::Replaced(name())),
            Err(e) => Err(FileError::Io { path: name(), source: e.into() }),
        }
    }

    /// Opens a file beneath the folder for reading. Follows no link, and waits for no pipe.
    pub fn open_file(&self, path: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        Ok(open_beneath(self.descriptor.as_fd(), self.below(path)?, flags)?)
    }

    /// Whether there is something of this path beneath the folder, without a link on the way.
    pub fn holds(&self, path: &Path) -> bool {
        let Ok(below) = self.below(path) else { return false };
        let Some(name) = below.file_name() else { return below.as_os_str().is_empty() };
        let stands =
            |folder: BorrowedFd<'_>| rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        match below.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => stands(self.descriptor.as_fd()),
            Some(parent) => {
                open_beneath(self.descriptor.as_fd(), parent, STEP).is_ok_and(|folder| stands(folder.as_fd()))
            }
        }
    }

    /// What is in the folder, in no particular order.
    pub fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<Entry>>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(&self.descriptor, ".", flags, Mode::empty())?;
        let entry = |entry: Result<rustix::fs::DirEntry, Errno>| match entry {
            Ok(entry) => {
                let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
                if name == "." || name == ".." {
                    return None;
                }
                let is_folder = self.is_folder(&name, entry.file_type());
                Some(Ok(Entry { name, is_folder }))
            }
            Err(e) => Some(Err(e.into())),
        };
        Ok(Dir::new(descriptor)?.filter_map(entry))
    }

    fn is_folder(&self, name: &OsStr, kind: FileType) -> bool {
        match kind {
            FileType::Directory => true,
            FileType::Symlink | FileType::Unknown => {
                rustix::fs::statat(&self.descriptor, name, AtFlags::empty())
                    .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
            }
            _ => false,
        }
    }

    fn below<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        path.strip_prefix(&self.path).map_err(|_| Errno::XDEV.into())
    }
}

/// Opens a path without following any link.
pub(crate) fn open_real(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let below = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
    let root = rustix::fs::openat(CWD, "/", STEP, Mode::empty())?;
    if below.as_os_str().is_empty() {
        return rustix::fs::openat(root, ".", flags, Mode::empty());
    }
    open_beneath(root.as_fd(), below, flags)
}

/// The same for a folder whose missing parts are made.
pub(crate) fn make_folder(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    match open_real(path, flags) {
        Err(Errno::NOENT) => {}
        opened => return opened,
    }
    let mut folder = rustix::fs::openat(CWD, "/", STEP, Mode::empty())?;
    for name in path.strip_prefix("/").map_err(|_| Errno::INVAL)? {
        folder = match step(folder.as_fd(), name, STEP) {
            Err(Errno::NOENT) => {
                match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(NEW_FOLDER as _)) {
                    Ok(()) | Err(Errno::EXIST) => step(folder.as_fd(), name, STEP)?,
                    Err(e) => return Err(e),
                }
            }
            stepped => stepped?,
        };
    }
    rustix::fs::openat(folder, ".", flags, Mode::empty())
}

#[cfg(target_os = "linux")]
fn open_beneath(folder: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(folder, below, flags, Mode::empty(), resolve) {
        // Linux before 5.6, or a filter that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(folder, below, flags),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(folder: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    open_by_steps(folder, below, flags)
}

/// Each component from the folder before it.
fn open_by_steps(folder: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut components = below.components().peekable();
    let mut held: Option<OwnedFd> = None;
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else { return Err(Errno::XDEV) };
        let from = held.as_ref().map_or(folder, |held| held.as_fd());
        let flags = if components.peek().is_some() { STEP } else { flags };
        held = Some(step(from, name, flags)?);
    }
    held.ok_or(Errno::NOENT)
}

/// One component. A link is told apart from whatever else is no folder.
fn step(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    let opened = rustix::fs::openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty());
    opened.map_err(|e| match e {
        Errno::NOTDIR if is_link(folder, name) => Errno::LOOP,
        // As some systems say it.
        Errno::MLINK => Errno::LOOP,
        e => e,
    })
}

fn is_link(folder: BorrowedFd<'_>, name: &OsStr) -> bool {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_is_followed_whichever_way_it_is_opened() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("root/dir")).unwrap();
        fs::create_dir(base.join("secret")).unwrap();
        fs::write(base.join("root/dir/file"), "").unwrap();
        fs::write(base.join("secret/file"), "").unwrap();
        symlink(base.join("secret"), base.join("root/link")).unwrap();
        symlink("dir", base.join("root/inside")).unwrap();
        symlink(base.join("secret/file"), base.join("root/dir/last")).unwrap();
        let held = HeldFolder::open(&RealPath::already_resolved(base.join("root"))).unwrap();

        let flags = OFlags::RDONLY | OFlags::NOFOLLOW;
        for (below, expected) in [
            ("dir/file", Ok(())),
            ("dir", Ok(())),
            ("link/file", Err(Errno::LOOP)),
            ("inside/file", Err(Errno::LOOP)),
            ("dir/last", Err(Errno::LOOP)),
            ("dir/none", Err(Errno::NOENT)),
            ("dir/file/none", Err(Errno::NOTDIR)),
            ("dir/../dir/file", Err(Errno::XDEV)),
            ("../secret/file", Err(Errno::XDEV)),
        ] {
            let folder = held.descriptor.as_fd();
            let by_steps = open_by_steps(folder, Path::new(below), flags).map(drop);
            assert_eq!(by_steps, expected, "{below} by steps");
            // The kernel allows dots that stay beneath; nobody asks for them.
            if !below.contains("dir/..") {
                let at_once = open_beneath(folder, Path::new(below), flags).map(drop);
                assert_eq!(at_once, expected, "{below} at once");
            }
        }
        assert!(held.holds(&base.join("root/dir/file")) && held.holds(&base.join("root")));
        assert!(held.holds(&base.join("root/link")), "the link itself is beneath");
        assert!(!held.holds(&base.join("root/link/file")) && !held.holds(&base.join("secret/file")));
        assert!(matches!(
            HeldFolder::open(&RealPath::already_resolved(base.join("root/link"))),
            Err(FileError::Replaced(_) | FileError::Io { .. })
        ));
    }

    #[test]
    fn folders_are_made_along_no_link() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        fs::create_dir(base.join("secret")).unwrap();
        symlink(base.join("secret"), base.join("link")).unwrap();
        make_folder(&base.join("a/b/c"), OFlags::RDONLY).unwrap();
        assert!(base.join("a/b/c").is_dir());
        assert_eq!(make_folder(&base.join("link/new/dir"), OFlags::RDONLY).unwrap_err(), Errno::LOOP);
        assert_eq!(fs::read_dir(base.join("secret")).unwrap().count(), 0);
    }

    #[test]
    fn entries_say_what_is_a_folder() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        fs::create_dir(base.join("dir")).unwrap();
        fs::write(base.join("file"), "").unwrap();
        symlink("dir", base.join("to_dir")).unwrap();
        symlink("none", base.join("to_nothing")).unwrap();
        let held = HeldFolder::open(&RealPath::already_resolved(base)).unwrap();
        let mut entries: Vec<_> = held
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.name, entry.is_folder))
            .collect();
        entries.sort();
        let expected = [("dir", true), ("file", false), ("to_dir", true), ("to_nothing", false)];
        assert_eq!(entries, expected.map(|(name, is_folder)| (OsString::from(name), is_folder)));
    }
}
