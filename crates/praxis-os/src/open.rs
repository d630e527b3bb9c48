//! Opening the very file that was decided on, and only if reading it can end.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rustix::fs::{FileType, OFlags};

use crate::RealPath;
use crate::held::open_real;

/// Why a file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// There is none.
    #[error("File not found: {}", .0.display())]
    NotFound(PathBuf),
    /// It is a folder.
    #[error("{} is a directory", .0.display())]
    Directory(PathBuf),
    /// It is a device, a pipe or a socket: reading it might never end.
    #[error("{} is not a regular file but a {kind}", path.display())]
    Special {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Since the decision somebody put another file in its place.
    #[error("{} was replaced while it was being opened; try again", .0.display())]
    Replaced(PathBuf),
    /// Anything else.
    #[error("could not open {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Opens a regular file for reading. Never blocks on a pipe, never follows a link that was swapped in.
pub fn open_regular(path: &RealPath) -> Result<File, FileError> {
    let name = || path.as_path().to_owned();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match open_real(path.as_path(), flags) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Err(FileError::NotFound(name())),
        Err(rustix::io::Errno::LOOP) => return Err(FileError::Replaced(name())),
        Err(rustix::io::Errno::NXIO) => return Err(FileError::Special { path: name(), kind: "socket" }),
        Err(e) => return Err(FileError::Io { path: name(), source: e.into() }),
    };
    let stat = rustix::fs::fstat(&file).map_err(|e| FileError::Io { path: name(), source: e.into() })?;
    let special = |kind| Err(FileError::Special { path: name(), kind });
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(FileError::Directory(name())),
        FileType::Fifo => return special("pipe"),
        FileType::CharacterDevice | FileType::BlockDevice => return special("device"),
        FileType::Socket => return special("socket"),
        FileType::Symlink | FileType::Unknown => return special("file of unknown kind"),
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use rustix::fs::Mode;

    use super::*;

    fn at(base: &Path, name: &str) -> RealPath {
        RealPath::resolve(base, name).unwrap()
    }

    #[test]
    fn only_regular_files_open() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        std::fs::write(base.join("file"), "x").unwrap();
        let pipe = base.join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();

        assert!(open_regular(&at(base, "file")).is_ok());
        assert!(matches!(open_regular(&at(base, ".")), Err(FileError::Directory(_))));
        assert!(matches!(open_regular(&at(base, "none")), Err(FileError::NotFound(_))));
        assert!(matches!(open_regular(&at(base, "file/below")), Err(FileError::NotFound(_))));
        assert!(matches!(open_regular(&at(base, "pipe")), Err(FileError::Special { kind: "pipe", .. })));
        assert!(matches!(
            open_regular(&at(base, "/dev/zero")),
            Err(FileError::Special { kind: "device", .. })
        ));
    }

    #[test]
    fn a_link_swapped_in_after_the_decision_does_not_win() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        std::fs::create_dir(base.join("dir")).unwrap();
        std::fs::create_dir(base.join("secret")).unwrap();
        std::fs::write(base.join("dir/file"), "harmless").unwrap();
        std::fs::write(base.join("secret/file"), "secret").unwrap();
        let decided = at(base, "dir/file");

        std::fs::remove_file(base.join("dir/file")).unwrap();
        symlink(base.join("secret/file"), base.join("dir/file")).unwrap();
        assert!(matches!(open_regular(&decided), Err(FileError::Replaced(_))));

        std::fs::remove_dir_all(base.join("dir")).unwrap();
        symlink(base.join("secret"), base.join("dir")).unwrap();
        assert!(matches!(open_regular(&decided), Err(FileError::Replaced(_))));
    }
}
