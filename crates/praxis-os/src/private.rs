//! Files that only their owner reads: saved outputs, grants, logs.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Makes a folder, and those above it, that only its owner can enter.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
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
