//! Replacing a file as a whole: the old content or the new, never a part.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;

use crate::RealPath;

/// Mode of a file that did not exist before.
const NEW_FILE: u32 = 0o644;

/// Writes `bytes` to `path` through a temporary file beside it; keeps the mode of what was there, makes folders.
pub fn replace(path: &RealPath, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent();
    fs::create_dir_all(folder)?;
    let mode = match fs::metadata(path) {
        Ok(old) => old.permissions(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Permissions::from_mode(NEW_FILE),
        Err(e) => return Err(e),
    };
    let mut temporary = tempfile::Builder::new().prefix(".praxis-").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().set_permissions(mode)?;
    temporary.as_file().sync_data()?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_changes_mode_stays_and_nothing_is_left_behind() {
        let temp = tempfile::tempdir().unwrap();
        let path = RealPath::resolve(temp.path(), "new/script.sh").unwrap();
        replace(&path, b"one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
        replace(&path, b"two").unwrap();

        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::read_dir(path.parent()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_content() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("file"), "old").unwrap();
        let below = RealPath::resolve(temp.path(), "file/below").unwrap();
        assert!(replace(&below, b"new").is_err());
        assert_eq!(fs::read(temp.path().join("file")).unwrap(), b"old");
    }
}
