//! Paths as plain text: joining, tidying, and telling a path from other words.

/// Files that give and take nothing that matters.
const HARMLESS: &[&str] = &[
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// `text` as an absolute path without `.` and `..`, seen from `base`.
pub(super) fn absolute(base: &str, text: &str) -> String {
    let mut out = String::with_capacity(base.len() + text.len() + 1);
    for part in parts(base, text) {
        match part {
            "" | "." => {}
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            part => {
                out.push('/');
                out.push_str(part);
            }
        }
    }
    if out.is_empty() { "/".to_owned() } else { out }
}

/// `text` seen from `base`, with every `..` left for the links of the file system to decide.
pub(super) fn join(base: &str, text: &str) -> String {
    let mut out = String::with_capacity(base.len() + text.len() + 1);
    for part in parts(base, text).filter(|part| !part.is_empty() && *part != ".") {
        out.push('/');
        out.push_str(part);
    }
    let is_folder = text.is_empty() || text == "." || text.ends_with('/') || text.ends_with("/.");
    if out.is_empty() || is_folder {
        out.push('/');
    }
    out
}

/// The parts of `text`, behind those of `base` where it is relative.
fn parts<'t>(base: &'t str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let base = if text.starts_with('/') { "" } else { base };
    base.split('/').chain(text.split('/'))
}

/// Is this one of the files that nobody needs to be asked about?
pub(super) fn is_harmless(path: &str) -> bool {
    let descriptor = path.strip_prefix("/dev/fd/").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    descriptor || HARMLESS.contains(&path)
}

/// Is this one of the names that the shell turns into a connection?
pub(super) fn is_network(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Cuts a glob into the folder that is certain, before its first active sign, and the pattern. `None` if it may
/// climb out again.
pub(super) fn cut_glob(text: &str, glob: usize) -> Option<(&str, &str)> {
    let start = text[..glob].rfind('/').map_or(0, |at| at + 1);
    // `.*` matches `..`, and so may everything that begins with a bare dot.
    if matches!(&text[start..glob], "." | "..") || text[glob..].split('/').skip(1).any(climbs) {
        return None;
    }
    let (folder, pattern) = text.split_at(start);
    Some((if folder.is_empty() { "./" } else { folder }, pattern))
}

fn climbs(part: &str) -> bool {
    part == ".."
        || part.starts_with(".*")
        || part.starts_with(".?")
        || part.starts_with(".[")
        || part.starts_with("..")
}

/// Does a word of an unknown program read like a path?
pub(super) fn looks_like(text: &str) -> bool {
    if text.starts_with(['/', '~'])
        || text.starts_with("./")
        || text.starts_with("../")
        || text == ".."
        || text == "."
    {
        return true;
    }
    text.contains('/')
        && !text.contains(char::is_whitespace)
        && !text.contains(['^', '|', '\\', '(', '$', '<', '>'])
}

/// The file that an address without a network names.
pub(super) fn of_url(text: &str) -> Option<&str> {
    let is_file = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    let rest = text.get(5..).filter(|_| is_file)?;
    // A host may stand between the slashes.
    Some(match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => rest,
    })
}

/// Is it an address of the network?
pub(super) fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.eq_ignore_ascii_case("file")
            && !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

/// Is `path` this folder or something in it? Both are tidy.
pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folder of a tidy path; the root is its own.
pub(super) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => &path[..at],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied_by_their_text() {
        assert_eq!(absolute("/w", "a/./b/../c"), "/w/a/c");
        assert_eq!(absolute("/w", "../../.."), "/");
        assert_eq!(absolute("/w", "/etc//x/"), "/etc/x");
    }

    #[test]
    fn a_glob_is_judged_by_the_folder_before_it_unless_it_climbs() {
        assert_eq!(cut_glob("/etc/*", 5), Some(("/etc/", "*")));
        assert_eq!(cut_glob("*.rs", 0), Some(("./", "*.rs")));
        assert_eq!(cut_glob("./*/../../x", 2), None);
        assert_eq!(cut_glob(".*", 1), None);
        assert_eq!(cut_glob(".env*", 4), Some(("./", ".env*")));
    }

    #[test]
    fn a_joined_path_keeps_what_links_may_change() {
        assert_eq!(join("/w", "a/./link//../b"), "/w/a/link/../b");
        assert_eq!(join("/w", "./"), "/w/");
        assert_eq!(join("/w", "."), "/w/");
        assert_eq!(join("/", "/"), "/");
    }
}
