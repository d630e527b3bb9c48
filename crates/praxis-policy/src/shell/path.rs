//! Paths as plain text: joining, tidying, and telling a path from other words.

/// Files that give and take nothing that matters.
const HARMLESS: &[&str] = &["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"];

/// `text` as an absolute path without `.` and `..`, seen from `base`.
pub(super) fn absolute(base: &str, text: &str) -> String {
    let joined = if text.starts_with('/') { text.to_owned() } else { format!("{base}/{text}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
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

/// The part of a glob that is certain: the folder before its first active sign. `None` if it may climb out again.
pub(super) fn before_glob(text: &str, glob: usize) -> Option<&str> {
    let start = text[..glob].rfind('/').map_or(0, |at| at + 1);
    // `.*` matches `..`, and so may everything that begins with a bare dot.
    if matches!(&text[start..glob], "." | "..") || text[glob..].split('/').skip(1).any(climbs) {
        return None;
    }
    Some(match &text[..start] {
        "" => ".",
        folder => folder,
    })
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

/// Is it an address of the network?
pub(super) fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme != "file"
            && !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

/// Does the text climb with `..`?
pub(super) fn has_parent(text: &str) -> bool {
    text.split('/').any(|part| part == "..")
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
        assert_eq!(before_glob("/etc/*", 5), Some("/etc/"));
        assert_eq!(before_glob("*.rs", 0), Some("."));
        assert_eq!(before_glob("./*/../../x", 2), None);
        assert_eq!(before_glob(".*", 1), None);
        assert_eq!(before_glob(".env*", 4), Some("."));
    }
}
