//! The lists of pieces that scripts are made of; they are data.

use std::collections::HashMap;
use std::sync::LazyLock;

use fastrand::Rng;

const TEXT: &str = include_str!("pieces.txt");

static LISTS: LazyLock<HashMap<&'static str, Vec<String>>> = LazyLock::new(|| {
    let mut lists: HashMap<&str, Vec<String>> = HashMap::new();
    let mut now = "";
    for line in TEXT.lines().filter(|line| !line.starts_with("# ")) {
        // A name has three letters or more, so that no glob is one.
        let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match name.filter(|name| name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_lowercase())) {
            Some(name) => now = name,
            None => lists.entry(now).or_default().push(decode(line)),
        }
    }
    lists
});

/// Scripts that were read wrong once.
pub(crate) static FOUND: LazyLock<Vec<String>> = LazyLock::new(|| {
    include_str!("found.txt").lines().filter(|line| !line.starts_with("# ")).map(decode).collect()
});

/// One piece of a list.
pub(super) fn any(rng: &mut Rng, list: &str) -> &'static str {
    let pieces = LISTS.get(list).map_or(&[][..], Vec::as_slice);
    rng.choice(pieces).map_or("", String::as_str)
}

/// Pictures to the signs that they stand for.
fn decode(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '␤' => out.push('\n'),
            '␍' => out.push('\r'),
            '␉' => out.push('\t'),
            '␌' => out.push('\u{c}'),
            '␋' => out.push('\u{b}'),
            '⍽' => out.push('\u{a0}'),
            '∅' => {}
            '‹' => {
                let number: String = rest.by_ref().take_while(|c| *c != '›').collect();
                out.extend(u32::from_str_radix(&number, 16).ok().and_then(char::from_u32));
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_pieces_and_signs_are_what_they_picture() {
        assert!(LISTS.len() > 30);
        assert!(LISTS.values().all(|pieces| pieces.len() > 8));
        assert!(!LISTS.contains_key(""));
        assert_eq!(decode("a␤‹85›∅b"), "a\n\u{85}b");
    }
}
