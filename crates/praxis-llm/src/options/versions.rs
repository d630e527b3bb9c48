//! Versions inside model ids.

/// A version: its number and the one behind the point.
pub(super) type Version = (u32, u32);

/// The version of a GPT model: `gpt-5.2-codex` is 5.2.
pub(super) fn gpt(id: &str) -> Option<Version> {
    let id = id.to_ascii_lowercase();
    let (_, rest) = id.split_once("gpt-")?;
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let (major, minor) = number.split_once('.').unwrap_or((&number, "0"));
    Some((major.parse().ok()?, minor.parse().unwrap_or(0)))
}

/// The version of a Claude model: `claude-opus-4-5-20251101` is 4.5, `claude-3.7-sonnet` is 3.7.
pub(super) fn claude(id: &str) -> Option<Version> {
    let id = id.to_ascii_lowercase();
    let (_, rest) = id.split_once("claude")?;
    // A number of more digits is a date.
    let small = |word: &str| word.parse::<u32>().ok().filter(|_| word.len() <= 2);
    let mut words = rest.split(|c: char| !c.is_ascii_alphanumeric());
    let major = words.by_ref().find_map(small)?;
    Some((major, words.next().and_then(small).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_every_spelling() {
        for (id, expected) in [
            ("gpt-5", Some((5, 0))),
            ("openai/GPT-5.2-codex", Some((5, 2))),
            ("gpt-4o-mini", Some((4, 0))),
            ("gpt-5.10-chat-latest", Some((5, 10))),
            ("gpt-oss-120b", None),
            ("o3", None),
        ] {
            assert_eq!(gpt(id), expected, "{id}");
        }
        for (id, expected) in [
            ("claude-opus-4-5-20251101", Some((4, 5))),
            ("claude-opus-4-20250514", Some((4, 0))),
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("anthropic/claude-3.7-sonnet", Some((3, 7))),
            ("anthropic.claude-opus-4-7-v1:0", Some((4, 7))),
            ("claude-sonnet-5", Some((5, 0))),
            ("claude-instant", None),
            ("gpt-5", None),
        ] {
            assert_eq!(claude(id), expected, "{id}");
        }
    }
}
