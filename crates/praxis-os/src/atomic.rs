//! Replacing a file as a whole: the old content or the new, never a part, and never somewhere else.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use crate::RealPath;
use crate::held::{make_folder, open_real};

/// Mode of a file that did not exist before, the user's mask aside.
const NEW_FILE: u32 = 0o644;

/// Why a file was not written. What stood there before still does.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A folder stands there.
    #[error("{} is a directory; give the path of a file", .0.display())]
    Directory(PathBuf),
    /// A device, pipe or socket stands there.
    #[error("{} is not a regular file and is not written to", .0.display())]
    Special(PathBuf),
    /// There is a file now where there was none.
    #[error("{} has appeared in the meantime; read it before you write it", .0.display())]
    Appeared(PathBuf),
    /// A folder on the way was swapped since the decision.
    #[error("the folder of {} was replaced in the meantime; try again", .0.display())]
    Replaced(PathBuf),
    /// The system said no.
    #[error("could not {action} {}: {source}; nothing was changed", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Whether the file has to be new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Whatever is there is replaced.
    Replace,
    /// Nothing may be there.
    Refuse,
}

/// Writes `bytes` through a temporary file beside the target; keeps the mode and owner of what was there and makes
/// missing folders.
pub fn write(path: &RealPath, bytes: &[u8], existing: Existing) -> Result<(), WriteError> {
    let target = Target::open(path, true)?;
    let old = target.writable()?;
    if old.is_some() && existing == Existing::Refuse {
        return Err(WriteError::Appeared(path.as_path().to_owned()));
    }
    let temporary = Temporary::create(&target)?;
    temporary.fill(bytes, old.as_ref()).map_err(|e| target.failed("write", e))?;
    temporary.persist(&target, existing)
}

/// Removes a file; a folder is refused.
pub fn remove(path: &RealPath) -> Result<(), WriteError> {
    let target = Target::open(path, false)?;
    target.writable()?;
    rustix::fs::unlinkat(&target.folder, target.name, AtFlags::empty())
        .map_err(|e| target.failed("remove", e.into()))
}

/// A name in a folder that is held open, so that it cannot be swapped for another.
struct Target<'a> {
    path: &'a Path,
    folder: OwnedFd,
    name: &'a std::ffi::OsStr,
}

impl<'a> Target<'a> {
    fn open(path: &'a RealPath, make_folders: bool) -> Result<Self, WriteError> {
        let whole = path.as_path();
        let failed = |action, source| WriteError::Io { action, path: whole.to_owned(), source };
        let Some(name) = whole.file_name() else { return Err(WriteError::Directory(whole.to_owned())) };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened =
            if make_folders { make_folder(path.parent(), flags) } else { open_real(path.parent(), flags) };
        match opened {
            Ok(folder) => Ok(Self { path: whole, folder, name }),
            Err(Errno::LOOP) => Err(WriteError::Replaced(whole.to_owned())),
            Err(e) => Err(failed("open the folder of", e.into())),
        }
    }

    /// What stands there, if it may be replaced.
    fn writable(&self) -> Result<Option<Stat>, WriteError> {
        let stat = match rustix::fs::statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(self.failed("look at", e.into())),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(WriteError::Directory(self.path.to_owned())),
            // The path had no links when it was decided on.
            FileType::Symlink => return Err(WriteError::Replaced(self.path.to_owned())),
            _ => return Err(WriteError::Special(self.path.to_owned())),
        }
        // A rename would replace even a file that is write-protected.
        rustix::fs::accessat(&self.folder, self.name, Access::WRITE_OK, AtFlags::EACCESS)
            .map_err(|e| self.failed("write", e.into()))?;
        Ok(Some(stat))
    }

    fn failed(&self, action: &'static str, source: io::Error) -> WriteError {
        WriteError::Io { action, path: self.path.to_owned(), source }
    }
}

/// A file beside the target that goes away unless it takes the target's place.
struct Temporary<'a> {
    folder: BorrowedFd<'a>,
    name: String,
    file: File,
}

impl<'a> Temporary<'a> {
    fn create(target: &'a Target<'_>) -> Result<Self, WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let name = format!(".praxis-{:016x}.tmp", fastrand::u64(..));
            match rustix::fs::openat(&target.folder, &name, flags, Mode::from_raw_mode(NEW_FILE)) {
                Ok(file) => return Ok(Self { folder: target.folder.as_fd(), name, file: file.into() }),
                Err(Errno::EXIST) => {}
                Err(e) => return Err(target.failed("write beside", e.into())),
            }
        }
    }

    fn fill(&self, bytes: &[u8], old: Option<&Stat>) -> io::Result<()> {
        (&self.file).write_all(bytes)?;
        if let Some(old) = old {
            // Only the superuser gives files away; for others the owner is theirs anyway.
            let owner = (rustix::fs::Uid::from_raw(old.st_uid), rustix::fs::Gid::from_raw(old.st_gid));
            let _ = rustix::fs::fchown(&self.file, Some(owner.0), Some(owner.1));
            rustix::fs::fchmod(&self.file, Mode::from_raw_mode(old.st_mode))?;
        }
        self.file.sync_data()
    }

    fn persist(self, target: &Target<'_>, existing: Existing) -> Result<(), WriteError> {
        let renamed = match existing {
            Existing::Replace => rustix::fs::renameat(self.folder, &self.name, self.folder, target.name),
            Existing::Refuse => rename_to_new(self.folder, &self.name, target.name),
        };
        renamed.map_err(|e| match e {
            Errno::EXIST => WriteError::Appeared(target.path.to_owned()),
            e => target.failed("write", e.into()),
        })
    }
}

#[cfg(target_os = "linux")]
fn rename_to_new(folder: BorrowedFd<'_>, from: &str, to: &std::ffi::OsStr) -> Result<(), Errno> {
    match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        // Some file systems cannot promise it; the look just before has to do.
        Err(Errno::INVAL | Errno::NOSYS) => rustix::fs::renameat(folder, from, folder, to),
        renamed => renamed,
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_to_new(folder: BorrowedFd<'_>, from: &str, to: &std::ffi::OsStr) -> Result<(), Errno> {
    rustix::fs::renameat(folder, from, folder, to)
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // After a rename there is nothing of this name, which is fine.
        let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn at(base: &tempfile::TempDir, name: &str) -> RealPath {
        RealPath::resolve(base.path(), name).unwrap()
    }

    #[test]
    fn content_changes_mode_stays_and_nothing_is_left_behind() {
        let temp = tempfile::tempdir().unwrap();
        let path = at(&temp, "new/script.sh");
        write(&path, b"one", Existing::Refuse).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
        fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
        write(&path, b"two", Existing::Replace).unwrap();

        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::read_dir(path.parent()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_stays_as_it_is() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("file"), "old").unwrap();
        fs::create_dir(temp.path().join("folder")).unwrap();
        assert!(matches!(
            write(&at(&temp, "file/below"), b"x", Existing::Replace),
            Err(WriteError::Io { .. })
        ));
        assert!(matches!(
            write(&at(&temp, "folder"), b"x", Existing::Replace),
            Err(WriteError::Directory(_))
        ));
        assert!(matches!(write(&at(&temp, "file"), b"x", Existing::Refuse), Err(WriteError::Appeared(_))));
        assert!(matches!(remove(&at(&temp, "folder")), Err(WriteError::Directory(_))));
        assert_eq!(fs::read(temp.path().join("file")).unwrap(), b"old");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
        remove(&at(&temp, "file")).unwrap();
        assert!(!temp.path().join("file").exists());
    }

    #[test]
    fn a_link_swapped_in_after_the_decision_does_not_win() {
        let temp = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("dir")).unwrap();
        fs::write(outside.path().join("file"), "precious").unwrap();
        let (file, fresh) = (at(&temp, "dir/file"), at(&temp, "other"));

        fs::remove_dir(temp.path().join("dir")).unwrap();
        symlink(outside.path(), temp.path().join("dir")).unwrap();
        symlink(outside.path().join("file"), temp.path().join("other")).unwrap();
        assert!(matches!(write(&file, b"x", Existing::Replace), Err(WriteError::Replaced(_))));
        assert!(matches!(write(&fresh, b"x", Existing::Replace), Err(WriteError::Replaced(_))));
        assert_eq!(fs::read(outside.path().join("file")).unwrap(), b"precious");
    }

    /// A file system of 64 KiB would need a mount; a limit on file size stops a write half-way just as well.
    #[test]
    fn a_disk_that_is_full_in_the_middle_leaves_the_old_content() {
        if std::env::var_os("PRAXIS_TEST_SMALL_FILES").is_some() {
            let path =
                RealPath::resolve(Path::new("/"), std::env::var("PRAXIS_TEST_SMALL_FILES").unwrap()).unwrap();
            let failed = write(&path, &vec![b'x'; 1 << 20], Existing::Replace).unwrap_err().to_string();
            assert!(failed.contains("nothing was changed"), "{failed}");
            return;
        }
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs::write(&file, "old").unwrap();
        // The signal that comes with the limit is ignored, so that the write fails as on a full disk.
        let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact atomic::tests::a_disk_that_is_full_in_the_middle_leaves_the_old_content";
        let status = std::process::Command::new("sh")
            .args(["-c", script])
            .arg(std::env::current_exe().unwrap())
            .env("PRAXIS_TEST_SMALL_FILES", &file)
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }
}
