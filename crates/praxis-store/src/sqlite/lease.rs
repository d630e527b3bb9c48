//! One writer for each session, over all processes: a locked file beside the store.
//!
//! The system frees the lock when the process ends, however it ends, so no lease outlives its holder.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use praxis_proto::SessionId;
use rustix::fs::{FlockOperation, flock};

use super::connect::beside;
use crate::StoreError;

/// How often a lock file may vanish under us before we give up.
const TRIES: usize = 100;

/// The locked file; removed when the lease ends.
#[derive(Debug)]
pub(crate) struct Hold {
    file: File,
    path: PathBuf,
}

/// Takes the lease of a session, or says who has it.
pub(crate) fn take(store: &Path, session: &SessionId) -> Result<Hold, StoreError> {
    let path = path_of(store, session);
    let told = |source: io::Error| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly(store.to_owned())
        }
        io::ErrorKind::StorageFull => StoreError::Full(store.to_owned()),
        _ => StoreError::File { action: "lock a session of", path: store.to_owned(), source },
    };
    praxis_os::make_private_dir(&beside(store, ".leases")).map_err(told)?;
    for _ in 0..TRIES {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(told)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(StoreError::InUse { session: session.clone(), process: owner(&mut file) });
            }
            Err(e) => return Err(told(e.into())),
        }
        // Its last holder may have removed it between our opening and our locking.
        let same = |there: std::fs::Metadata| file.metadata().is_ok_and(|here| here.ino() == there.ino());
        if std::fs::metadata(&path).is_ok_and(same) {
            // Only for people; on a full disk the lock holds without it.
            let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
            return Ok(Hold { file, path });
        }
    }
    Err(StoreError::InUse { session: session.clone(), process: None })
}

/// Whether somebody has the lease of a session; leaves no trace.
pub(crate) fn is_held(store: &Path, session: &SessionId) -> bool {
    let Ok(file) = File::open(path_of(store, session)) else { return false };
    flock(&file, FlockOperation::NonBlockingLockShared) == Err(rustix::io::Errno::WOULDBLOCK)
}

/// An imported id may be anything; its hash is always a file name.
fn path_of(store: &Path, session: &SessionId) -> PathBuf {
    beside(store, ".leases").join(&blake3::hash(session.as_str().as_bytes()).to_hex()[..32])
}

fn owner(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Removed while still locked, so that whoever takes the next lease sees it. A file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_holder_is_told_who_the_first_is_and_gets_it_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db");
        let (one, other) = (SessionId::from_raw("ses_../1"), SessionId::from_raw("ses_2"));
        assert!(!is_held(&store, &one) && std::fs::read_dir(folder.path()).unwrap().next().is_none());
        let first = take(&store, &one).unwrap();
        assert!(is_held(&store, &one));
        let _other = take(&store, &other).unwrap();
        let refused = take(&store, &one).unwrap_err();
        let StoreError::InUse { process, .. } = refused else { panic!("{refused}") };
        assert_eq!(process, Some(std::process::id()));
        drop(first);
        drop(take(&store, &one).unwrap());
        assert_eq!(std::fs::read_dir(beside(&store, ".leases")).unwrap().count(), 1);
    }

    #[test]
    fn of_many_that_want_one_lease_one_has_it_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("x.db");
        let id = SessionId::from_raw("ses_1");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Ok(_hold) = take(&store, &id) else { continue };
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
