//! Reading files without trusting their size or kind.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file of at most `most` bytes.
pub(crate) fn bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {} KiB", most / 1024),
        ));
    }
    Ok(bytes)
}

/// Reads a regular file; a pipe or device of that name is refused, since reading it could hang.
pub(crate) fn regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    bounded(path, most)
}

/// Reads a regular file that may be absent.
pub(crate) fn optional(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    match regular(path, most) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the error says that there is no such file; a file in the place of its directory says so too.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_is_exact() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, vec![b'x'; 1024]).unwrap();
        assert_eq!(bounded(&path, 1024).unwrap().len(), 1024);
        assert_eq!(bounded(&path, 1023).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn what_is_absent_is_none_and_a_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(optional(&dir.path().join("none"), 9).unwrap().is_none());
        assert_eq!(optional(dir.path(), 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
