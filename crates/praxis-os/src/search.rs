//! Finding files by name and lines by pattern, as ripgrep does, inside this process.
//!
//! Both searches walk on several threads and still give the same answer every time: results come in the byte order of
//! their paths, and a limit keeps the first ones in that order, whichever thread found what when. Only cancelling and
//! running out of time can leave something out, and the [`Ending`] says so.
//!
//! What is walked is what `rg` walks: `.gitignore` (inside a repository), `.ignore`, `.rgignore`, the user's global
//! ignore file and `.git/info/exclude` hold, links are not followed, `.git` is never entered. One rule differs. To `rg`
//! a glob beats every ignore rule, so `**/*` lists all dependencies. Here a glob filters what the ignore rules leave,
//! unless it names what they hide: see [`Scope::glob`].
//!
//! ```
//! use praxis_os::search::{self, Ending, Hidden, Scope};
//!
//! let folder = tempfile::tempdir()?;
//! let root = folder.path().canonicalize()?;
//! std::fs::write(root.join("a.ts"), "")?;
//! std::fs::write(root.join("b.txt"), "")?;
//! let scope = Scope { glob: Some("*.ts".into()), ..Scope::new(&root, Hidden::Skip) };
//! let found = search::list(&scope)?;
//! assert_eq!(found.paths, [root.join("a.ts")]);
//! assert_eq!((found.more, found.ending), (false, Ending::Complete));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod filter;
mod first;
mod hunt;
mod lines;
mod parts;
mod pattern;
mod stop;
#[cfg(test)]
mod tests;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use self::first::First;
use self::hunt::Hunt;
use self::lines::Finder;
use self::stop::Stop;
use crate::{FileError, HeldFolder, RealPath};

/// How long a search may take unless told otherwise.
pub const TIME_BUDGET: Duration = Duration::from_secs(20);
/// How many results a search gives unless told otherwise.
pub const RESULT_LIMIT: usize = 100;
/// How many characters of a line are given unless told otherwise.
pub const LINE_CHARS: usize = 2_000;

/// Whether files and folders whose name begins with a dot are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// They are left out.
    Skip,
    /// They are like all others.
    Include,
}

/// What is searched, and when to stop.
#[derive(Debug, Clone)]
pub struct Scope {
    /// A folder, or for [`grep`] also one file, which is then searched whatever ignore rules say. A real path: it is held
    /// open, and what has a link on the way to it is not found.
    pub root: PathBuf,
    /// Keeps only files that match; read as `rg --glob` reads it, relative to the root.
    ///
    /// Three kinds of glob reach what is otherwise left out. One that begins with folders by name starts there, also
    /// in an ignored one (`node_modules/foo/**`). One that names something hidden (`.github/*.yml`, `.env*`) or has no
    /// wildcard at all finds it hidden or ignored.
    pub glob: Option<String>,
    /// What happens to hidden files.
    pub hidden: Hidden,
    /// What is passed over, with all that is in it.
    pub skip: Skip,
    /// The most results.
    pub limit: usize,
    /// The most time.
    pub budget: Duration,
    /// Stops the search, also within a large file.
    pub cancel: CancellationToken,
}

impl Scope {
    /// Everything below a folder, with the usual limits.
    pub fn new(root: impl Into<PathBuf>, hidden: Hidden) -> Self {
        Self {
            root: root.into(),
            glob: None,
            hidden,
            skip: Skip::default(),
            limit: RESULT_LIMIT,
            budget: TIME_BUDGET,
            cancel: CancellationToken::new(),
        }
    }
}

/// Says what a search passes over. The root is never asked about.
type PassesOver = dyn Fn(&Path) -> bool + Send + Sync;

/// What a search passes over; nothing unless told otherwise.
#[derive(Clone, Default)]
pub struct Skip(Option<Arc<PassesOver>>);

impl Skip {
    /// What this says of files and folders.
    pub fn those(passes_over: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(passes_over)))
    }

    fn has(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|passes_over| passes_over(path))
    }
}

impl std::fmt::Debug for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Skip").field("any", &self.0.is_some()).finish_non_exhaustive()
    }
}

/// How a search came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Everything was looked at, or nothing more could have been among the first results.
    Complete,
    /// The time was over; there may be more, also between the results.
    OutOfTime,
    /// It was cancelled.
    Cancelled,
}

/// Files by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The first ones in byte order.
    pub paths: Vec<PathBuf>,
    /// Whether there are more than the limit.
    pub more: bool,
    /// Whether it is the whole truth.
    pub ending: Ending,
}

/// Whether a search may look into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It may.
    Open,
    /// It may not, and the caller wants to know that there is such a file.
    Withheld,
    /// It may not, as if the file were not there.
    Closed,
}

/// What to look for in files.
#[derive(Clone, Copy)]
pub struct Grep<'a> {
    /// A regular expression for one line, case-sensitive. `$` also matches before a carriage return.
    pub pattern: &'a str,
    /// The most characters given of a line.
    pub line_chars: usize,
    /// Whether to look into a file. It is decided before, so that nothing in the answer depends on what is in there.
    pub access: &'a (dyn Fn(&Path) -> Access + Sync),
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its beginning without the line ending; what is not UTF-8 is replaced, and `...` follows where it was cut.
    pub text: String,
}

/// The matching lines of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLines {
    /// The file.
    pub path: PathBuf,
    /// At least one, in order.
    pub lines: Vec<Line>,
}

/// Lines by pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    /// The first ones by path and line.
    pub files: Vec<FileLines>,
    /// Whether there are more than the limit.
    pub more: bool,
    /// Whether it is the whole truth.
    pub ending: Ending,
    /// Withheld files among those that come before the end of the results.
    pub withheld: usize,
    /// Files and folders that could not be read, or not to their end.
    pub unread: usize,
}

/// Why a search could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern makes no sense.
    #[error("The pattern is not a valid regular expression: {problem}{hint}")]
    Pattern {
        /// What the parser said.
        problem: String,
        /// What to do instead, when there is something to say.
        hint: &'static str,
    },
    /// The glob makes no sense.
    #[error("`{glob}` is not a valid glob: {problem}")]
    Glob {
        /// The glob.
        glob: String,
        /// What the parser said.
        problem: String,
    },
    /// A file stands where a folder is searched for names.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// The root is not there, or cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Lists the files of a folder.
pub fn list(scope: &Scope) -> Result<Listing, SearchError> {
    let held = hold(&scope.root)?.ok_or_else(|| SearchError::NotADirectory(scope.root.clone()))?;
    let stop = Stop::new(scope);
    // One more than asked for tells whether there are more.
    let first = Mutex::new(First::new(scope.limit.saturating_add(1)));
    let visitor = || {
        |path: &Path| {
            // The walk goes by names, so a folder that was swapped for a link may have led it elsewhere.
            let wanted = lock(&first).may_take(path);
            if wanted && held.holds(path) {
                lock(&first).add(path, vec![()]);
            }
        }
    };
    walk::files(scope, &stop, |folder| lock(&first).may_take_from(folder), visitor)?;
    let (kept, more) = into_inner(first).up_to(scope.limit);
    Ok(Listing { paths: kept.into_iter().map(|(path, _)| path).collect(), more, ending: stop.ending() })
}

/// Finds the lines that match in one file, or in the files of a folder.
///
/// Text in UTF-8 and, with a byte order mark, UTF-16 is understood. In a folder a file is taken as binary from its
/// first NUL on, and nothing after it is searched; in a file given by name a NUL ends a line.
pub fn grep(scope: &Scope, grep: &Grep<'_>) -> Result<Matches, SearchError> {
    let matcher = pattern::compile(grep.pattern)?;
    let stop = Stop::new(scope);
    let finder = Finder {
        matcher,
        stop: &stop,
        limit: scope.limit.saturating_add(1),
        chars: grep.line_chars,
        is_heavy: pattern::is_heavy(grep.pattern),
    };
    let hunt = Hunt::new(finder, grep.access);
    if let Some(held) = hold(&scope.root)? {
        let visitor = || {
            let (hunt, held, mut reader) = (&hunt, &held, hunt.reader());
            move |path: &Path| hunt.visit(&mut reader, held, path)
        };
        let failed = walk::files(scope, &stop, |folder| hunt.wants(folder), visitor)?;
        hunt.count_unread(failed);
    } else {
        hunt.search_named(&RealPath::already_resolved(scope.root.clone()))?;
    }
    Ok(hunt.matches(scope.limit))
}

/// Holds the root if it is a folder, so that what is found beneath it is beneath it.
fn hold(root: &Path) -> Result<Option<HeldFolder>, FileError> {
    match HeldFolder::open(&RealPath::already_resolved(root.to_owned())) {
        Ok(held) => Ok(Some(held)),
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotADirectory => {
            match root.symlink_metadata() {
                Ok(_) => Ok(None),
                Err(_) => Err(FileError::NotFound(root.to_owned())),
            }
        }
        Err(error) => Err(error),
    }
}

/// A visitor that panics takes the walk down with it, so the lock cannot hide half a change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
