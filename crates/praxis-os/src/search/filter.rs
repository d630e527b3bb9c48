//! A glob, and what it says about where to look.

use std::path::{Component, Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};

use super::SearchError;

/// A glob relative to a root.
pub(super) struct Filter {
    matcher: Override,
    /// The folders it begins with, by name.
    folders: PathBuf,
    reach: Reach,
}

/// What a glob may find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// What ignore rules leave.
    Left,
    /// Also what is hidden or ignored, because the glob names it.
    Named,
}

impl Filter {
    pub(super) fn new(root: &Path, glob: &str) -> Result<Self, SearchError> {
        let failed = |e: ignore::Error| SearchError::Glob { glob: glob.to_owned(), problem: e.to_string() };
        let relative = relative(root, glob);
        // In an ignore file this would be a comment.
        let line = if relative.starts_with('#') { format!("\\{relative}") } else { relative.to_owned() };
        let matcher = OverrideBuilder::new(root).add(&line).and_then(|b| b.build()).map_err(failed)?;
        let negative = relative.starts_with('!');
        let named = !negative && (relative.split('/').any(names_hidden) || !relative.contains(is_special));
        Ok(Self {
            matcher,
            folders: if negative { PathBuf::new() } else { folders(relative) },
            reach: if named { Reach::Named } else { Reach::Left },
        })
    }

    pub(super) fn matches(&self, path: &Path) -> bool {
        !self.matcher.matched(path, false).is_ignore()
    }

    /// Whether nothing below this folder can match: `!vendor`.
    pub(super) fn excludes_folder(&self, folder: &Path) -> bool {
        self.matcher.matched(folder, true).is_ignore()
    }

    pub(super) fn folders(&self) -> &Path {
        &self.folders
    }

    pub(super) fn reach(&self) -> Reach {
        self.reach
    }

    pub(super) fn into_override(self) -> Override {
        self.matcher
    }
}

/// Models write `./src/*.ts` and absolute globs; ignore files know neither.
fn relative<'g>(root: &Path, glob: &'g str) -> &'g str {
    let inside = root.to_str().and_then(|root| glob.strip_prefix(root)).filter(|rest| rest.starts_with('/'));
    let glob = inside.unwrap_or(glob);
    glob.strip_prefix("./").unwrap_or(glob)
}

fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!')
}

/// Whether one component is the name of something hidden, or alternatives with such a name.
fn names_hidden(component: &str) -> bool {
    let dotted = |name: &str| name.starts_with('.') && name.len() > 1 && name != "..";
    match component.strip_prefix('{') {
        Some(alternatives) => alternatives.split(',').any(dotted),
        None => dotted(component),
    }
}

/// The components before the first wildcard, without the last one, which is a file.
fn folders(glob: &str) -> PathBuf {
    let glob = glob.trim_start_matches('/');
    let Some((parents, _)) = glob.rsplit_once('/') else { return PathBuf::new() };
    let literal: PathBuf =
        parents.split('/').take_while(|component| !component.contains(is_special)).collect();
    let plain = literal.components().all(|c| matches!(c, Component::Normal(name) if name != ".git"));
    if plain { literal } else { PathBuf::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_say_where_to_look() {
        let seen = |glob: &str| {
            let filter = Filter::new(Path::new("/r"), glob).unwrap();
            (filter.folders.to_str().unwrap().to_owned(), filter.reach)
        };
        let left = |folders: &str| (folders.to_owned(), Reach::Left);
        let named = |folders: &str| (folders.to_owned(), Reach::Named);
        assert_eq!(seen("*.ts"), left(""));
        assert_eq!(seen("**/*"), left(""));
        assert_eq!(seen("*.{ts,tsx}"), left(""));
        assert_eq!(seen("*{.ts,.tsx}"), left(""));
        assert_eq!(seen("src/a/**/*.ts"), left("src/a"));
        assert_eq!(seen("/src/a*/b/*.ts"), left("src"));
        assert_eq!(seen("./src/*.ts"), left("src"));
        assert_eq!(seen("/r/src/*.ts"), left("src"));
        assert_eq!(seen("../x/*"), left(""));
        assert_eq!(seen("!src/*.ts"), left(""));
        assert_eq!(seen(".git/*"), named(""));
        assert_eq!(seen(".github/**/*.yml"), named(".github"));
        assert_eq!(seen("**/.github/*.yml"), named(""));
        assert_eq!(seen(".env*"), named(""));
        assert_eq!(seen("{.env,Makefile*}"), named(""));
        assert_eq!(seen("dist/out.txt"), named("dist"));
    }

    #[test]
    fn globs_match_as_those_of_ripgrep() {
        let matches =
            |glob: &str, path: &str| Filter::new(Path::new("/r"), glob).unwrap().matches(Path::new(path));
        assert!(matches("*.ts", "/r/a/b.ts") && !matches("*.ts", "/r/a/b.txt"));
        assert!(matches("a/*.ts", "/r/a/b.ts") && !matches("a/*.ts", "/r/a/c/b.ts"));
        assert!(!matches("a/*.ts", "/r/x/a/b.ts"), "a slash anchors");
        assert!(matches("./a/*.ts", "/r/a/b.ts") && matches("/r/a/*.ts", "/r/a/b.ts"));
        assert!(matches("!*.ts", "/r/b.txt") && !matches("!*.ts", "/r/b.ts"));
        assert!(matches("#*", "/r/#b") && !matches("#*", "/r/b"));
        assert!(Filter::new(Path::new("/r"), "a[").is_err());
    }
}
