//! The entries of a folder, a page at a time.

use std::path::PathBuf;

use praxis_os::{Entry, FileError, HeldFolder, RealPath};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::PREVIEW;
use super::page::Window;
use crate::{Report, ToolError};

/// Entries looked at; of a folder with more, the rest is not listed, and the listing says so.
const MOST_ENTRIES: usize = 100_000;

/// A page of a folder.
pub(super) struct Listing {
    path: PathBuf,
    entries: Vec<String>,
    offset: u64,
    total: usize,
    more: bool,
}

impl Listing {
    pub(super) fn read(
        real: &RealPath,
        window: Window,
        cancel: &CancellationToken,
    ) -> Result<Self, ToolError> {
        let path = real.as_path();
        let failed = |source| ToolError::from(FileError::Io { path: path.to_owned(), source });
        let folder = HeldFolder::open(real)?;
        let mut names = Vec::new();
        let mut more = false;
        for entry in folder.entries().map_err(failed)? {
            if cancel.is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            if names.len() == MOST_ENTRIES {
                more = true;
                break;
            }
            let Entry { name, is_folder } = entry.map_err(failed)?;
            let name = name.to_string_lossy().into_owned();
            names.push(if is_folder { name + "/" } else { name });
        }
        names.sort_unstable();
        let total = names.len();
        let (offset, limit) = (window.offset(), window.limit());
        let start = usize::try_from(offset - 1).unwrap_or(usize::MAX).min(total);
        let count = usize::try_from(limit).unwrap_or(usize::MAX);
        if start == total && offset > 1 {
            let problem = format!("Offset {offset} is out of range for this directory ({total} entries)");
            return Err(ToolError::misuse(problem));
        }
        let entries: Vec<String> = names.into_iter().skip(start).take(count).collect();
        Ok(Self { path: path.to_owned(), entries, offset, total, more })
    }

    pub(super) fn report(&self, title: &str) -> Report {
        let Self { entries, offset, total, .. } = self;
        let path = self.path.to_string_lossy();
        let last = offset - 1 + entries.len() as u64;
        let truncated = last < *total as u64 || self.more;
        let ending = match truncated {
            true => format!(
                "(Showing {} of {}{total} entries. Use 'offset' parameter to read beyond entry {})",
                entries.len(),
                if self.more { "more than " } else { "" },
                last
            ),
            false => format!("({total} entries)"),
        };
        let body = entries.join("\n");
        let gap = if body.is_empty() { "" } else { "\n\n" };
        let output = format!(
            "<path>{path}</path>\n<type>directory</type>\n<entries>\n{body}{gap}{ending}\n</entries>"
        );
        let display = json!({
            "type": "directory",
            "path": path,
            "entries": entries,
            "offset": offset,
            "totalEntries": total,
            "truncated": truncated,
        });
        Report::new(title, output)
            .with("preview", entries[..entries.len().min(PREVIEW)].join("\n"))
            .with("truncated", truncated)
            .with("loaded", json!([]))
            .with("display", display)
    }
}
