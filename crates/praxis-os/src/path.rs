//! A path with every link, `.` and `..` resolved, once, before anything is decided about it.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// An absolute path without links, also for files that do not exist yet: then the nearest existing folder is real.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RealPath(PathBuf);

impl RealPath {
    /// Resolves `given` against `base`, which must be absolute.
    ///
    /// `..` is taken as the kernel takes it, after links are followed. What does not exist is kept as written.
    pub fn resolve(base: &Path, given: impl AsRef<Path>) -> io::Result<Self> {
        let whole = base.join(given);
        let mut missing: Vec<OsString> = Vec::new();
        let mut existing = whole.as_path();
        loop {
            match existing.canonicalize() {
                Ok(real) => return Ok(Self(append(real, missing))),
                Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    // A link that leads nowhere still decides where a write would go.
                    if let Ok(target) = existing.read_link() {
                        let parent = existing.parent().unwrap_or(Path::new("/"));
                        return hop(parent, &target, missing);
                    }
                    missing.extend(existing.components().next_back().map(|c| c.as_os_str().to_owned()));
                    existing = existing.parent().ok_or(e)?;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Takes a path that was resolved before and has been carried as plain data since.
    pub fn already_resolved(path: PathBuf) -> Self {
        Self(path)
    }

    /// The path itself.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// The folder it stands in; the root stands in itself.
    pub fn parent(&self) -> &Path {
        self.0.parent().unwrap_or(&self.0)
    }

    /// Whether it is `folder` or lies below it, by whole components.
    pub fn is_inside(&self, folder: &Path) -> bool {
        self.0.starts_with(folder)
    }
}

impl AsRef<Path> for RealPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// Links may point at links; the kernel gives up after forty, and so do we.
const MOST_HOPS: usize = 40;

fn hop(parent: &Path, target: &Path, missing: Vec<OsString>) -> io::Result<RealPath> {
    let mut at = parent.join(target);
    for _ in 0..MOST_HOPS {
        match at.read_link() {
            Ok(next) => at = at.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return RealPath::resolve(Path::new("/"), append(at, missing)),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Puts the missing components, last first, behind a real folder; `..` there can only be taken by name.
fn append(real: PathBuf, missing: Vec<OsString>) -> PathBuf {
    missing.into_iter().rev().fold(real, |mut path, name| {
        match Path::new(&name).components().next() {
            Some(Component::ParentDir) => {
                path.pop();
            }
            Some(Component::CurDir) | None => {}
            Some(_) => path.push(name),
        }
        path
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().canonicalize().unwrap();
        (temp, path)
    }

    fn real(base: &Path, given: &str) -> PathBuf {
        RealPath::resolve(base, given).unwrap().0
    }

    #[test]
    fn dots_go_and_missing_names_stay() {
        let (_temp, base) = folder();
        std::fs::create_dir(base.join("a")).unwrap();
        assert_eq!(real(&base, "a/./../a/new/file"), base.join("a/new/file"));
        assert_eq!(real(&base, "missing/../b"), base.join("b"));
        assert_eq!(real(&base, "../../../../../../../.."), Path::new("/"));
        assert_eq!(real(&base, ""), base);
    }

    #[test]
    fn links_are_followed_even_when_they_lead_nowhere() {
        let (_temp, base) = folder();
        let (_other, outside) = folder();
        symlink(&outside, base.join("out")).unwrap();
        symlink(outside.join("not-yet"), base.join("dangling")).unwrap();
        symlink(base.join("dangling"), base.join("second")).unwrap();
        assert_eq!(real(&base, "out/file"), outside.join("file"));
        assert_eq!(real(&base, "dangling"), outside.join("not-yet"));
        assert_eq!(real(&base, "second"), outside.join("not-yet"));
    }

    #[test]
    fn a_loop_is_an_error_and_not_a_hang() {
        let (_temp, base) = folder();
        symlink(base.join("b"), base.join("a")).unwrap();
        symlink(base.join("a"), base.join("b")).unwrap();
        assert!(RealPath::resolve(&base, "a").is_err());
    }

    #[test]
    fn inside_goes_by_whole_names() {
        let path = RealPath("/a/proj2/x".into());
        assert!(!path.is_inside(Path::new("/a/proj")));
        assert!(path.is_inside(Path::new("/a/proj2")));
    }
}
