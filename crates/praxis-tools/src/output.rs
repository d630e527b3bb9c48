//! Long outputs: what the model sees of them, and where the rest is kept.

use std::fs::DirEntry;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use praxis_os::{create_private, make_private_dir};
use praxis_proto::{Mint, Prefix, Report};
use praxis_text::{Bound, Cut, Keep, Limits, bound, floor_char};
use tokio_util::sync::CancellationToken;

use crate::ToolError;

/// How long a saved output stays, by the time it was last written.
pub const RETENTION: Duration = Duration::from_hours(7 * 24);
const FIRST_SWEEP: Duration = Duration::from_mins(1);
const SWEEP_EVERY: Duration = Duration::from_hours(1);
/// One saved output; of a longer one both ends are kept.
const FILE_CAP: usize = 256 << 20;
/// All saved outputs together; beyond it the oldest go first.
const FOLDER_CAP: u64 = 2 << 30;
const NAME: &str = "tool_";
const SWEPT: &str = ".swept";

/// An output as it was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The file.
    pub path: PathBuf,
}

/// Bounds outputs and keeps what was cut, in private files of one folder.
#[derive(Debug, Clone)]
pub struct OutputStore {
    folder: PathBuf,
    mint: Arc<Mint>,
    limits: Limits,
    file_cap: usize,
}

impl OutputStore {
    /// A store in `folder`, which is made when the first output is saved.
    pub fn new(folder: impl Into<PathBuf>, mint: Arc<Mint>, limits: Limits) -> Self {
        Self { folder: folder.into(), mint, limits, file_cap: FILE_CAP }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Bounds a report, unless its tool did so itself and says it with `truncated`.
    /// `delegates` tells whether the agent may hand the reading to a subagent.
    pub async fn settle(&self, mut report: Report, delegates: bool) -> Result<Report, ToolError> {
        if report.metadata.contains_key("truncated") {
            return Ok(report);
        }
        if matches!(bound(&report.output, self.limits, Keep::Both), Bound::Whole(_)) {
            report.metadata.insert("truncated".into(), false.into());
            return Ok(report);
        }
        let (store, text) = (self.clone(), std::mem::take(&mut report.output));
        let bounded = tokio::task::spawn_blocking(move || store.cut(&text, Keep::Both, delegates));
        let (output, saved) = bounded
            .await
            .map_err(|e| ToolError::Crashed { tool: "output".into(), message: e.to_string() })??;
        report.output = output;
        report.metadata.insert("truncated".into(), saved.is_some().into());
        if let Some(Saved { path }) = saved {
            report.metadata.insert("outputPath".into(), path.to_string_lossy().into());
        }
        Ok(report)
    }

    /// Bounds a text; saves the whole of it if anything was cut.
    pub fn cut(&self, text: &str, keep: Keep, delegates: bool) -> Result<(String, Option<Saved>), ToolError> {
        let cut = match bound(text, self.limits, keep) {
            Bound::Whole(text) => return Ok((text.to_owned(), None)),
            Bound::Cut(cut) => cut,
        };
        match self.save(text) {
            Ok(saved) => Ok((layout(&cut, &hint(&saved.path, delegates)), Some(saved))),
            Err(source) => Err(ToolError::Unsaved {
                path: self.folder.clone(),
                source,
                preview: layout(&cut, "The rest of it is lost."),
            }),
        }
    }

    /// A new file for an output that is saved while it is produced.
    pub(crate) fn create(&self) -> io::Result<(std::fs::File, PathBuf)> {
        make_private_dir(&self.folder)?;
        let path = self.folder.join(self.mint.next(Prefix::ToolOutput));
        let file = create_private(&path)?;
        self.sweep_if_due();
        Ok((file, path))
    }

    fn save(&self, text: &str) -> io::Result<Saved> {
        let (mut file, path) = self.create()?;
        if text.len() <= self.file_cap {
            file.write_all(text.as_bytes())?;
        } else {
            let half = self.file_cap / 2;
            let (head, tail) = (floor_char(text, half), floor_char(text, text.len() - half));
            file.write_all(&text.as_bytes()[..head])?;
            write!(file, "\n\n...{} bytes were not kept...\n\n", tail - head)?;
            file.write_all(&text.as_bytes()[tail..])?;
        }
        Ok(Saved { path })
    }

    /// Short-lived programs never reach the hourly sweep, so saving looks whether one is due.
    fn sweep_if_due(&self) {
        let marker = self.folder.join(SWEPT);
        let due = match marker.metadata().and_then(|data| data.modified()) {
            Ok(last) => last.elapsed().is_ok_and(|age| age >= SWEEP_EVERY),
            Err(_) => true,
        };
        if due && std::fs::write(&marker, "").is_ok() {
            self.sweep_and_tell();
        }
    }

    fn sweep_and_tell(&self) {
        match self.sweep(SystemTime::now()) {
            Ok(0) => {}
            Ok(gone) => tracing::debug!(gone, "removed old saved outputs"),
            Err(error) => {
                tracing::warn!(%error, folder = %self.folder.display(), "could not remove old saved outputs")
            }
        }
    }

    /// Removes outputs past their time, and the oldest beyond the folder's cap. Returns how many went.
    pub fn sweep(&self, now: SystemTime) -> io::Result<usize> {
        let mut outputs: Vec<(SystemTime, u64, PathBuf)> = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries.filter_map(|entry| saved_output(&entry.ok()?)).collect(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(e) => return Err(e),
        };
        outputs.sort_by(|a, b| b.cmp(a));
        let (mut kept, mut gone) = (0, 0);
        for (written, size, path) in outputs {
            let expired = now.duration_since(written).is_ok_and(|age| age > RETENTION);
            kept += size;
            if (expired || kept > FOLDER_CAP) && std::fs::remove_file(&path).is_ok() {
                kept -= size;
                gone += 1;
            }
        }
        Ok(gone)
    }

    /// Sweeps after a minute and then every hour, until cancelled.
    pub async fn keep_clean(self, cancel: CancellationToken) {
        let mut wait = FIRST_SWEEP;
        while tokio::select! {
            () = cancel.cancelled() => false,
            () = tokio::time::sleep(wait) => true,
        } {
            let store = self.clone();
            let _ = tokio::task::spawn_blocking(move || store.sweep_and_tell()).await;
            wait = SWEEP_EVERY;
        }
    }
}

fn saved_output(entry: &DirEntry) -> Option<(SystemTime, u64, PathBuf)> {
    let data = entry.metadata().ok()?;
    let ours = data.is_file() && entry.file_name().to_string_lossy().starts_with(NAME);
    ours.then_some((data.modified().ok()?, data.len(), entry.path()))
}

fn layout(cut: &Cut<'_>, hint: &str) -> String {
    let marker = format!("...{} {} truncated...\n\n{hint}", cut.removed, cut.unit);
    let parts = [cut.head, &marker, cut.tail];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn hint(path: &Path, delegates: bool) -> String {
    let saved = format!(
        "The tool call succeeded but the output was truncated. The full output is in the file {}\n",
        path.display()
    );
    let advice = if delegates {
        "Let an explore agent work through that file with the Task tool, using Grep and Read with offset and limit, \
         so that your own context stays small."
    } else {
        "Use Grep to search that file, or Read with offset and limit to see parts of it."
    };
    saved + advice
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    fn store(folder: &Path, lines: usize, bytes: usize) -> OutputStore {
        OutputStore::new(folder, Arc::new(Mint::seeded(|| 1, 1)), Limits { lines, bytes })
    }

    async fn settle(store: &OutputStore, text: &str, delegates: bool) -> Report {
        store.settle(Report::new("t", text), delegates).await.unwrap()
    }

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("line{n}")).collect::<Vec<_>>().join("\n")
    }

    #[tokio::test]
    async fn short_output_is_untouched_and_nothing_is_written() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("tool-output");
        let report = settle(&store(&folder, 10, 1_000), "short", true).await;
        assert_eq!(report.output, "short");
        assert_eq!(serde_json::to_string(&report.metadata).unwrap(), r#"{"truncated":false}"#);
        assert!(!folder.exists());
    }

    #[tokio::test]
    async fn long_output_keeps_both_ends_and_saves_the_whole() {
        let temp = tempfile::tempdir().unwrap();
        let text = numbered(100);
        let store = store(temp.path(), 10, 51_200);
        let report = settle(&store, &text, true).await;
        let path = report.metadata["outputPath"].as_str().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), text);
        assert_eq!(report.metadata["truncated"], true);
        assert!(
            report.output.starts_with("line1\n") && report.output.ends_with("line100"),
            "{}",
            report.output
        );
        for token in [
            "...90 lines truncated...",
            "The tool call succeeded but the output was truncated",
            path,
            "Task tool",
        ] {
            assert!(report.output.contains(token), "{token}: {}", report.output);
        }
        let plain = settle(&store, &text, false).await.output;
        assert!(
            !plain.contains("Task tool") && plain.contains("Grep") && plain.contains("offset"),
            "{plain}"
        );
    }

    #[tokio::test]
    async fn a_tool_that_bounds_its_own_output_is_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        for own in [true, false] {
            let report = Report::new("t", numbered(100)).with("truncated", own);
            let settled = store(temp.path(), 10, 51_200).settle(report.clone(), true).await.unwrap();
            assert_eq!(settled, report);
        }
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_written_fails_the_call_and_loses_nothing_that_fits() {
        let temp = tempfile::tempdir().unwrap();
        let blocked = temp.path().join("file");
        fs::write(&blocked, "").unwrap();
        let error =
            store(&blocked, 10, 51_200).settle(Report::new("t", numbered(100)), true).await.unwrap_err();
        let told = error.to_string();
        for token in
            ["could not be saved", "Make that folder writable", "line1\n", "line100", "90 lines truncated"]
        {
            assert!(told.contains(token), "{token}: {told}");
        }
    }

    #[tokio::test]
    async fn a_gigabyte_is_bounded_in_memory_and_on_disk() {
        let temp = tempfile::tempdir().unwrap();
        let mut store = store(temp.path(), 2_000, 51_200);
        store.file_cap = 1 << 20;
        let report = settle(&store, &"x".repeat(1 << 30), true).await;
        assert!(report.output.len() < 60_000);
        assert!(
            fs::metadata(report.metadata["outputPath"].as_str().unwrap()).unwrap().len() < (1 << 20) + 100
        );
    }

    #[test]
    fn only_old_outputs_of_ours_are_swept_by_their_own_time() {
        let temp = tempfile::tempdir().unwrap();
        let store = store(temp.path(), 1, 1);
        for name in ["tool_old", "tool_new", "other_old"] {
            fs::write(temp.path().join(name), "x").unwrap();
        }
        let now = SystemTime::now();
        for name in ["tool_old", "other_old"] {
            let file = File::options().write(true).open(temp.path().join(name)).unwrap();
            file.set_modified(now - RETENTION - Duration::from_secs(1)).unwrap();
        }
        assert_eq!(store.sweep(now).unwrap(), 1);
        assert!(!temp.path().join("tool_old").exists());
        assert!(temp.path().join("tool_new").exists() && temp.path().join("other_old").exists());
    }

    #[test]
    fn saving_sweeps_when_it_is_due() {
        let temp = tempfile::tempdir().unwrap();
        let old = temp.path().join("tool_old");
        File::create(&old).unwrap().set_modified(SystemTime::now() - RETENTION * 2).unwrap();
        store(temp.path(), 1, 1).cut("a\nb", Keep::Head, false).unwrap();
        assert!(!old.exists());
    }
}
