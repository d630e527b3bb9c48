//! Where a search happens, and how it is run.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use praxis_os::search::{Ending, RESULT_LIMIT, SearchError, Skip, TIME_BUDGET};
use praxis_os::{FileError, RealPath};
use praxis_policy::places::guarded_by_the_system;
use tokio_util::sync::CancellationToken;

use crate::{Cx, ToolError};

/// The most results a call can ask for.
const MOST_RESULTS: usize = 1_000;

/// The real path that is searched, and the name it was asked for by.
///
/// Rules and questions are about the real path; results come under the name, so that the model knows them again.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) real: RealPath,
    name: PathBuf,
}

impl Place {
    /// The place a call names, or the project directory.
    pub(super) fn resolve(cx: &Cx, given: Option<&str>) -> Result<Self, ToolError> {
        let given = given.filter(|path| !path.is_empty()).unwrap_or(".");
        let real =
            cx.instance().resolve(given).map_err(|source| FileError::Io { path: given.into(), source })?;
        let name = without_dots(&cx.instance().directory().join(given));
        // `link/..` is elsewhere than it looks; then only the real path is true.
        let is_alias = name.canonicalize().is_ok_and(|path| path == real.as_path());
        let name = if is_alias { name } else { real.as_path().to_owned() };
        Ok(Self { real, name })
    }

    /// A path that was found, under the name of the place.
    pub(super) fn tell(&self, found: &Path) -> String {
        let told = match found.strip_prefix(self.real.as_path()) {
            Ok(below) if below.as_os_str().is_empty() => self.name.clone(),
            Ok(below) => self.name.join(below),
            Err(_) => found.to_owned(),
        };
        told.to_string_lossy().into_owned()
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    plain
}

/// What a scan of a folder passes over unless that folder was named: what is secret in the home folder, and on macOS what
/// the system would ask the user about.
pub(super) fn skip(cx: &Cx, root: &RealPath) -> Skip {
    let places = cx.instance().places();
    if !places.has_secrets_below(root.as_path()) {
        return Skip::default();
    }
    let (cx, root) = (cx.clone(), root.as_path().to_owned());
    Skip::those(move |path| {
        let instance = cx.instance();
        let guarded = |home| cfg!(target_os = "macos") && guarded_by_the_system(home, &root, path);
        instance.is_secret(path, &root) || instance.places().home().is_some_and(guarded)
    })
}

/// How many results a call wants.
pub(super) fn limit(given: Option<u64>) -> usize {
    given.map_or(RESULT_LIMIT, |limit| usize::try_from(limit).unwrap_or(MOST_RESULTS).clamp(1, MOST_RESULTS))
}

/// Runs a search where it may block. Dropping the future stops it.
pub(super) async fn blocking<T: Send + 'static>(
    cx: &Cx,
    tool: &str,
    search: impl FnOnce(CancellationToken) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, ToolError> {
    let cancel = cx.cancel().child_token();
    let _stops_with_us = cancel.clone().drop_guard();
    let done = tokio::task::spawn_blocking(move || search(cancel)).await;
    let done = done.map_err(|e| ToolError::Crashed { tool: tool.to_owned(), message: e.to_string() })?;
    done.map_err(|error| match error {
        SearchError::NotADirectory(path) => {
            ToolError::misuse(format!("{tool} path must be a directory: {}", path.display()))
        }
        SearchError::File(FileError::NotFound(path)) => ToolError::misuse(format!(
            "Path not found: {}. Leave `path` out to search the whole project.",
            path.display()
        )),
        SearchError::File(error) => error.into(),
        SearchError::Pattern { .. } | SearchError::Glob { .. } => ToolError::misuse(error.to_string()),
    })
}

/// What to say about a search that did not see everything.
pub(super) fn partial(ending: Ending) -> Result<Option<String>, ToolError> {
    match ending {
        Ending::Complete => Ok(None),
        Ending::OutOfTime => Ok(Some(out_of_time(TIME_BUDGET))),
        Ending::Cancelled => Err(ToolError::Cancelled),
    }
}

fn out_of_time(after: Duration) -> String {
    format!(
        "(The search was stopped after {} seconds, so these results are partial. \
         Use a more specific path or pattern.)",
        after.as_secs()
    )
}
