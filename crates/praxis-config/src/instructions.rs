//! Instruction files: what a project, a person or a configuration tells every agent.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use indexmap::IndexMap;

use crate::owner::Ground;
use crate::surroundings::Surroundings;
use crate::worktree::upwards;

/// The most directory entries one pattern may look at.
const MOST_ENTRIES: usize = 100_000;
/// How many directories deep a pattern is followed.
const MOST_DEPTH: usize = 32;

/// Something to read instructions from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instruction {
    /// A file.
    File(PathBuf),
    /// An address; fetching it is somebody else's work.
    Url(String),
}

/// Finds instruction files.
#[derive(Debug)]
pub struct Instructions;

impl Instructions {
    /// The names an instruction file may have, the preferred first.
    pub fn names(surroundings: &Surroundings) -> &'static [&'static str] {
        if reads_claude_files(surroundings) {
            &["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]
        } else {
            &["AGENTS.md", "CONTEXT.md"]
        }
    }

    /// The instructions for a directory: the global file, the project's, then what is configured.
    ///
    /// A file that is reached in several ways is listed once.
    pub fn discover(
        surroundings: &Surroundings,
        directory: &Path,
        worktree: &Path,
        configured: &[String],
    ) -> Vec<Instruction> {
        Self::discover_within(None, surroundings, directory, worktree, configured).0
    }

    /// The same, where files that are found in the project must really lie in it; and those that do not.
    pub(crate) fn discover_within(
        ground: Option<&Ground>,
        surroundings: &Surroundings,
        directory: &Path,
        worktree: &Path,
        configured: &[String],
    ) -> (Vec<Instruction>, Vec<PathBuf>) {
        let mut left_out = Vec::new();
        let mut inside = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            let held = |path: &PathBuf| ground.is_none_or(|ground| ground.holds(path));
            let (held, outside): (Vec<_>, Vec<_>) = paths.into_iter().partition(held);
            left_out.extend(outside);
            held
        };
        let with_project = !surroundings.is_on("DISABLE_PROJECT_CONFIG");
        let mut found = Found::default();
        found.files(global_file(surroundings, directory));
        if with_project {
            found.files(inside(project_files(surroundings, directory, worktree)));
        }
        for entry in configured {
            if entry.starts_with("https://") || entry.starts_with("http://") {
                found.entries.insert(entry.clone(), Instruction::Url(entry.clone()));
            } else if entry.starts_with("~/") || Path::new(entry).is_absolute() {
                found.files(matches(&surroundings.resolve(entry, directory)));
            } else if with_project {
                let near = upwards(directory, worktree).flat_map(|path| matches(&path.join(entry)));
                found.files(inside(near.collect()));
            } else if let Some(base) = surroundings.flag("CONFIG_DIR") {
                found.files(matches(&surroundings.resolve(base, directory).join(entry)));
            }
        }
        (found.entries.into_values().collect(), left_out)
    }
}

/// The instruction files that come with a file: one for each directory from the file's own up to the instance
/// directory, which is left out, because its instructions are there from the start.
pub fn nearby(file: &Path, instance: &Path, names: &[&str]) -> Vec<PathBuf> {
    if !file.starts_with(instance) {
        return Vec::new();
    }
    file.ancestors()
        .skip(1)
        .take_while(|directory| *directory != instance && directory.starts_with(instance))
        .filter_map(|directory| names.iter().map(|name| directory.join(name)).find(|path| path.is_file()))
        .filter(|path| path != file)
        .collect()
}

/// What was found, by real path.
#[derive(Default)]
struct Found {
    entries: IndexMap<String, Instruction>,
}

impl Found {
    fn files(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            let name = real.to_string_lossy().into_owned();
            self.entries.entry(name).or_insert(Instruction::File(path));
        }
    }
}

fn reads_claude_files(surroundings: &Surroundings) -> bool {
    !surroundings.is_on("DISABLE_CLAUDE_CODE") && !surroundings.is_on("DISABLE_CLAUDE_CODE_PROMPT")
}

fn global_file(surroundings: &Surroundings, directory: &Path) -> Option<PathBuf> {
    let named = surroundings.flag("CONFIG_DIR").map(|path| surroundings.resolve(path, directory));
    let [theirs, ours] = surroundings.dirs.global();
    let claude = reads_claude_files(surroundings).then(|| surroundings.home.join(".claude/CLAUDE.md"));
    let own = named.into_iter().chain([ours, theirs]).map(|path| path.join("AGENTS.md"));
    own.chain(claude).find(|path| path.is_file())
}

/// All files of the first name that is there at all, nearest first.
fn project_files(surroundings: &Surroundings, directory: &Path, worktree: &Path) -> Vec<PathBuf> {
    let of_name = |name: &&str| -> Vec<PathBuf> {
        upwards(directory, worktree).map(|path| path.join(name)).filter(|path| path.is_file()).collect()
    };
    let names = Instructions::names(surroundings);
    names.iter().map(of_name).find(|files| !files.is_empty()).unwrap_or_default()
}

/// The files a path or glob stands for, sorted.
fn matches(pattern: &Path) -> Vec<PathBuf> {
    // What comes before the first wildcard is a directory to start in; a pattern never makes us read more.
    let parts: Vec<_> = pattern.components().collect();
    let is_wild =
        |part: &std::path::Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let Some(first) = parts.iter().position(is_wild) else {
        return Some(pattern.to_path_buf()).filter(|path| path.is_file()).into_iter().collect();
    };
    let root: PathBuf = parts[..first].iter().collect();
    let rest: PathBuf = parts[first..].iter().collect();
    let text = rest.to_string_lossy().into_owned();
    let Ok(glob) = GlobBuilder::new(&text).literal_separator(true).build() else { return Vec::new() };
    let depth = if text.contains("**") { MOST_DEPTH } else { parts.len() - first };
    let mut search =
        Search { glob: glob.compile_matcher(), pattern: text, left: MOST_ENTRIES, files: Vec::new() };
    search.enter(&root, Path::new(""), depth);
    search.files.sort();
    search.files
}

struct Search {
    glob: GlobMatcher,
    pattern: String,
    left: usize,
    files: Vec<PathBuf>,
}

impl Search {
    fn enter(&mut self, root: &Path, below: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(root.join(below)) else { return };
        for entry in entries.flatten() {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let name = entry.file_name();
            let relative = below.join(&name);
            // The type is that of a link itself, so that no link leads the search round in circles.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth > 1 && !self.is_skipped(&name.to_string_lossy()) {
                    self.enter(root, &relative, depth - 1);
                }
            } else if self.glob.is_match(&relative) && root.join(&relative).is_file() {
                self.files.push(root.join(relative));
            }
        }
    }

    /// Large directories where nobody keeps instructions, unless the pattern names them.
    fn is_skipped(&self, name: &str) -> bool {
        matches!(name, ".git" | "node_modules") && !self.pattern.contains(name)
    }
}
