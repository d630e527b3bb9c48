//! A new head for a store whose own is overwritten.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;

use super::connect::{beside, reader};
use super::schema::{APPLICATION, VERSION};

/// The page size of SQLite, which no store changes.
const PAGE: u64 = 4_096;

/// A copy that can be read, in a folder that goes with it.
pub(crate) struct Mended {
    /// Before the folder, since it is closed before its files go.
    pub(crate) connection: Connection,
    _folder: TempDir,
}

/// Opens a copy of a store with a head as this program writes it. The store itself stays as it is.
pub(crate) fn mended(path: &Path) -> io::Result<Mended> {
    let pages = path.metadata()?.len() / PAGE;
    if pages < 2 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let folder = tempfile::tempdir_in(path.parent().unwrap_or(Path::new(".")))?;
    let copy = folder.path().join("praxis.db");
    std::fs::copy(path, &copy)?;
    if let Err(e) = std::fs::copy(beside(path, "-wal"), beside(&copy, "-wal"))
        && e.kind() != io::ErrorKind::NotFound
    {
        return Err(e);
    }
    let mut file = File::options().write(true).open(&copy)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head(u32::try_from(pages).unwrap_or(u32::MAX)))?;
    drop(file);
    let connection = reader(&copy).map_err(io::Error::other)?;
    Ok(Mended { connection, _folder: folder })
}

/// The first hundred bytes of a database of so many pages, as SQLite documents them. Free pages are not known any more,
/// which does not matter to who only reads.
fn head(pages: u32) -> [u8; 100] {
    let mut head = [0; 100];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"SQLite format 3\0");
    put(16, &(PAGE as u16).to_be_bytes());
    // Written and read with a log; no bytes kept free; the three fractions that are always these.
    put(18, &[2, 2, 0, 64, 32, 32]);
    // Changed once, and the size counts as told since then.
    put(24, &1_u32.to_be_bytes());
    put(28, &pages.to_be_bytes());
    put(92, &1_u32.to_be_bytes());
    // The schema's count and form, and UTF-8.
    put(40, &1_u32.to_be_bytes());
    put(44, &4_u32.to_be_bytes());
    put(56, &1_u32.to_be_bytes());
    put(60, &(VERSION as u32).to_be_bytes());
    put(68, &(APPLICATION as u32).to_be_bytes());
    put(96, &(rusqlite::version_number() as u32).to_be_bytes());
    head
}
