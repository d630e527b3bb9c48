//! Names as the most lenient file system compares them.

/// Letters that some file systems pass over, and people cannot see.
fn is_passed_over(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The short names that some file systems give to long ones.
const SHORT: [(&str, &str); 1] = [("git~1", ".git")];

/// A name in the form in which names are compared.
pub(super) fn folded(name: &str) -> String {
    let seen: String = name.chars().filter(|c| !is_passed_over(*c)).flat_map(char::to_lowercase).collect();
    // Dots and blanks at the end do not count for some, nor does what stands behind a colon.
    let plain = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let plain = if plain.is_empty() { seen.as_str() } else { plain };
    SHORT.iter().find(|(short, _)| *short == plain).map_or(plain, |(_, long)| long).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_disk_takes_for_the_same_are_the_same() {
        for name in
            [".git", ".GIT", ".Git", ".g\u{200c}it", ".git.", ".git ", "GIT~1", ".git::$INDEX_ALLOCATION"]
        {
            assert_eq!(folded(name), ".git", "{name:?}");
        }
        for name in [".gitignore", "git", ".github", "..", "a"] {
            assert_eq!(folded(name), name, "{name:?}");
        }
    }
}
