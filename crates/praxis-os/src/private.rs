//! Files that only their owner reads: saved outputs, grants, logs.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Makes a folder, and those above it, that only its owner can enter.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Where temporary files of this user go, under a name; others can neither use nor prepare it unseen, see
/// [`own_private_dir`]. Nothing is made.
pub fn temporary_dir(name: &str) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    std::env::temp_dir().join(format!("praxis-{user}")).join(name)
}

/// Makes such a folder, and refuses one that another user has put there.
pub fn own_private_dir(path: &Path) -> io::Result<()> {
    make_private_dir(path)?;
    for folder in [Some(path), path.parent()].into_iter().flatten() {
        let data = folder.symlink_metadata()?;
        if !data.is_dir() || data.uid() != rustix::process::geteuid().as_raw() {
            let problem = format!("{} belongs to somebody else", folder.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
    }
    Ok(())
}

/// Creates a file that only its owner reads; fails if there is one already.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_link_in_place_of_a_private_folder_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("real")).unwrap();
        std::os::unix::fs::symlink(temp.path().join("real"), temp.path().join("praxis")).unwrap();
        assert!(own_private_dir(&temp.path().join("praxis/project")).is_err());
        assert!(own_private_dir(&temp.path().join("other/project")).is_ok());
    }

    #[test]
    fn nobody_else_reads_and_nothing_is_overwritten() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("a/b");
        make_private_dir(&folder).unwrap();
        let path = folder.join("file");
        create_private(&path).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        assert!(create_private(&path).is_err());
    }
}
