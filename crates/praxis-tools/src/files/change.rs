//! Changing one file: what stands there, what should, and the way from one to the other.

use std::fs::{File, Metadata};
use std::io::{self, Read};

use praxis_os::{Existing, FileError, RealPath};
use praxis_policy::Grant;
use praxis_proto::{Event, FileEvent};
use praxis_text::diff;
use praxis_text::encoding::{self, Decoded, Unencodable};
use serde_json::{Value, json};

use super::{Files, Findings, check_in_time};
use crate::{Cx, ToolError};

/// The largest file that is edited.
const MOST_BYTES: u64 = 64 << 20;

/// A file as it stands.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    /// The text, unless there is no file or it is no text.
    decoded: Option<Decoded>,
    data: Option<Metadata>,
}

impl Content {
    /// A file that is not there.
    pub(crate) fn nothing() -> Self {
        Self { bytes: Vec::new(), decoded: None, data: None }
    }

    pub(crate) fn exists(&self) -> bool {
        self.data.is_some()
    }

    /// The text; of no file, and of a file that is no text, there is none.
    pub(crate) fn text(&self) -> &str {
        self.decoded.as_ref().map_or("", |decoded| &decoded.text)
    }

    /// The text, or the refusal to edit what is none.
    pub(crate) fn editable(&self, path: &RealPath) -> Result<&Decoded, ToolError> {
        let refusal = || ToolError::misuse(format!("Cannot edit binary file: {}", path.as_path().display()));
        self.decoded.as_ref().ok_or_else(refusal)
    }

    /// A whole new text in the encoding of this file.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u8>, ToolError> {
        match &self.decoded {
            Some(Decoded { encoding, bom, .. }) => {
                encoding::encode(text, *encoding, *bom).map_err(unencodable)
            }
            None => Ok(text.as_bytes().to_vec()),
        }
    }
}

/// The refusal to write what an encoding cannot express.
pub(crate) fn unencodable(error: Unencodable) -> ToolError {
    ToolError::Misuse(error.to_string())
}

/// Reads a file whole, or finds that there is none.
///
/// This looks at a file before leave to change it is asked for, because the question shows the difference. What was
/// read goes nowhere else.
pub(crate) fn load(path: &RealPath) -> Result<Content, ToolError> {
    let file = match praxis_os::open_regular(path) {
        Ok(file) => file,
        Err(FileError::NotFound(_)) => return Ok(Content::nothing()),
        Err(error) => return Err(error.into()),
    };
    let failed = |source| FileError::Io { path: path.as_path().to_owned(), source };
    let data = file.metadata().map_err(failed)?;
    if data.len() > MOST_BYTES {
        return Err(ToolError::misuse(format!(
            "{} is {} MiB; files over {} MiB are not edited as a whole. Use a shell command for a file this large.",
            path.as_path().display(),
            data.len() >> 20,
            MOST_BYTES >> 20
        )));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or(0) + 1);
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    let decoded = encoding::decode(&bytes).ok();
    Ok(Content { bytes, decoded, data: Some(data) })
}

/// Whether a file still holds what it held; a file that was not there must not have come.
pub(crate) fn still_holds(path: &RealPath, old: &Content) -> Result<(), ToolError> {
    let same = match praxis_os::open_regular(path) {
        Ok(file) => old.exists() && holds(file, &old.bytes).unwrap_or(false),
        Err(FileError::NotFound(_)) => !old.exists(),
        Err(error) => return Err(error.into()),
    };
    if same {
        return Ok(());
    }
    Err(ToolError::misuse(format!(
        "File changed after permission approval: {}. Nothing was written; read it again.",
        path.as_path().display()
    )))
}

/// Compares as it reads, so that a large file is not held twice.
fn holds(mut file: File, mut expected: &[u8]) -> io::Result<bool> {
    let mut chunk = vec![0; 64 << 10];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(expected.is_empty()),
            read => match expected.split_at_checked(read) {
                Some((start, rest)) if start == &chunk[..read] => expected = rest,
                _ => return Ok(false),
            },
        }
    }
}

/// A file and what it is to become.
pub(crate) struct Change {
    pub(crate) path: RealPath,
    pub(crate) name: String,
    pub(crate) old: Content,
    pub(crate) new_bytes: Vec<u8>,
    pub(crate) new_text: String,
}

impl Change {
    /// The difference as people and clients read it.
    pub(crate) fn diff(&self) -> String {
        diff::trimmed(&diff::unified(&self.path.as_path().to_string_lossy(), self.old.text(), &self.new_text))
    }

    /// The difference as metadata has it.
    pub(crate) fn file_diff(&self, patch: &str) -> Value {
        let counts = diff::counts(self.old.text(), &self.new_text);
        json!({
            "file": self.path.as_path().to_string_lossy(),
            "patch": patch,
            "additions": counts.additions,
            "deletions": counts.deletions,
        })
    }
}

/// Refuses a change on top of one that this session has not seen.
pub(crate) fn refuse_if_stale(
    path: &RealPath,
    old: &Content,
    files: &Files,
    cx: &Cx,
) -> Result<(), ToolError> {
    let changed = files.seen.changed(cx.session(), path.as_path(), &old.bytes, old.text(), old.data.as_ref());
    match changed {
        None => Ok(()),
        Some(what) => Err(ToolError::misuse(format!(
            "{} has been changed since it was last read in this session, so nothing was written. Read it again and \
             redo the change on what stands there now. {what}",
            path.as_path().display()
        ))),
    }
}

/// Writes the change, if the file is still what the change was made for; then formats, tells and checks.
pub(crate) async fn apply_change(
    change: &mut Change,
    grant: &Grant,
    files: &Files,
    cx: &Cx,
) -> Result<Findings, ToolError> {
    let path = change.path.clone();
    still_holds(&path, &change.old)?;
    let existing = if change.old.exists() { Existing::Replace } else { Existing::Refuse };
    cx.write(grant, &path, &change.new_bytes, existing)?;
    if files.after.format_in_time(path.as_path(), cx).await {
        (change.new_bytes, change.new_text) = settle_format(&path, &change.new_bytes, grant, cx)?;
    }
    let data = std::fs::metadata(&path).ok();
    files.seen.whole(cx.session(), path.as_path(), &change.new_bytes, &change.new_text, data.as_ref());
    tell(cx, &path, if change.old.exists() { FileEvent::Change } else { FileEvent::Add });
    Ok(check_in_time(&files.after, vec![path.as_path().to_owned()], cx).await)
}

/// What a formatter made of a file. It may change the text, but not the byte order mark.
pub(crate) fn settle_format(
    path: &RealPath,
    wanted: &[u8],
    grant: &Grant,
    cx: &Cx,
) -> Result<(Vec<u8>, String), ToolError> {
    let now = load(path)?;
    let mut bytes = now.bytes;
    if let (Ok(wanted), Some(now)) = (encoding::decode(wanted), &now.decoded)
        && wanted.bom != now.bom
        && let Ok(mended) = encoding::encode(&now.text, wanted.encoding, wanted.bom)
    {
        cx.write(grant, path, &mended, Existing::Replace)?;
        bytes = mended;
    }
    Ok((bytes, now.decoded.map(|decoded| decoded.text).unwrap_or_default()))
}

/// Tells listeners that a file was touched.
pub(crate) fn tell(cx: &Cx, path: &RealPath, event: FileEvent) {
    let file = path.as_path().to_string_lossy().into_owned();
    if event != FileEvent::Unlink {
        cx.bus().publish(Event::FileEdited { file: file.clone() });
    }
    cx.bus().publish(Event::FileWatcherUpdated { file, event });
}
