//! The wildcard language of rules: `*` is any run of characters, `?` is exactly one, the rest is literal.
//!
//! `*` crosses `/` and newlines. A backslash counts as a slash, so it never escapes. A pattern that ends in a space
//! and a star also matches without that tail: `ls *` matches `ls` and `ls -la`, not `lsof`.

/// File systems on Windows and, as they come, on macOS do not tell `A` from `a`, so rules there must not either.
const FOLD_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// Whether `pattern` matches the whole of `input`.
pub fn matches(input: &str, pattern: &str) -> bool {
    let (input, pattern) = (input.as_bytes(), pattern.as_bytes());
    if pattern == b"*" {
        return true;
    }
    // Most rules differ from most inputs within their literal beginning: that decides without the machinery below.
    let literal = pattern.iter().position(|byte| matches!(byte, b'*' | b'?')).unwrap_or(pattern.len());
    let optional = optional_tail(pattern);
    let prefix = if optional.is_some() { literal.min(pattern.len() - 2) } else { literal };
    if input.len() < prefix || !same(&input[..prefix], &pattern[..prefix]) {
        return false;
    }
    if literal == pattern.len() {
        return input.len() == literal;
    }
    run(input, pattern, text_unit) || optional.is_some_and(|head| run(input, head, text_unit))
}

/// Whether `wider` matches everything that `narrower` matches. Sound: `true` is always right.
pub fn covers(wider: &str, narrower: &str) -> bool {
    let (wider, narrower) = (wider.as_bytes(), narrower.as_bytes());
    let covered = |narrow: &[u8]| {
        run(narrow, wider, pattern_unit)
            || optional_tail(wider).is_some_and(|head| run(narrow, head, pattern_unit))
    };
    covered(narrower) && optional_tail(narrower).is_none_or(covered)
}

fn optional_tail(pattern: &[u8]) -> Option<&[u8]> {
    pattern.strip_suffix(b" *")
}

/// One unit of what is being matched: a character, or a wildcard when patterns are compared with each other.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Char,
    One,
    Run,
}

fn text_unit(_: u8) -> Unit {
    Unit::Char
}

fn pattern_unit(lead: u8) -> Unit {
    match lead {
        b'*' => Unit::Run,
        b'?' => Unit::One,
        _ => Unit::Char,
    }
}

/// Greedy two-pointer match: on a mismatch only the last star can take one unit more, so the cost is at most
/// `input × pattern` and in practice linear.
fn run(input: &[u8], pattern: &[u8], unit: impl Fn(u8) -> Unit) -> bool {
    let (mut at, mut by) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < input.len() {
        let step = width(input[at]).min(input.len() - at);
        let kind = unit(input[at]);
        match pattern.get(by) {
            Some(b'*') => {
                star = Some((by + 1, at));
                by += 1;
                continue;
            }
            Some(b'?') if kind != Unit::Run => {
                at += step;
                by += 1;
                continue;
            }
            Some(_)
                if kind == Unit::Char
                    && pattern.len() - by >= step
                    && same(&input[at..at + step], &pattern[by..by + step]) =>
            {
                at += step;
                by += step;
                continue;
            }
            _ => {}
        }
        let Some((after_star, taken)) = star else { return false };
        let taken = taken + width(input[taken]).min(input.len() - taken);
        star = Some((after_star, taken));
        (at, by) = (taken, after_star);
    }
    pattern[by..].iter().all(|&byte| byte == b'*')
}

/// Equal length is the caller's business. Looks from the end, because paths share their beginnings.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    let alike = |(&a, &b): (&u8, &u8)| {
        a == b || (slash(a) == b'/' && slash(b) == b'/') || (FOLD_CASE && a.eq_ignore_ascii_case(&b))
    };
    a.iter().zip(b).rev().all(alike)
}

fn slash(byte: u8) -> u8 {
    if byte == b'\\' { b'/' } else { byte }
}

/// Bytes of the UTF-8 character that starts with `lead`.
fn width(lead: u8) -> usize {
    match lead {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pinned_cases() {
        for (input, pattern, expected) in [
            ("file1.txt", "file?.txt", true),
            ("file12.txt", "file?.txt", false),
            ("foo+bar", "foo+bar", true),
            ("foooobar", "foo+bar", false),
            ("lstmeval", "ls*", true),
            ("lstmeval", "ls *", false),
            ("ls", "ls *", true),
            ("ls -la", "ls *", true),
            ("ls -la\nrm x", "ls *", true),
            ("src/a/b.ts", "src/*", true),
            (".env", "*.env", true),
            ("a/b/.env", "*.env", true),
            (".envrc", "*.env", false),
            (".env.local", "*.env.*", true),
            ("environment.ts", "*.env", false),
            ("mcp_search", "mcp_*", true),
            ("", "*", true),
            ("", "", true),
            ("", "?", false),
            ("a", "", false),
            ("a\\b", "a/b", true),
            ("a/b", "a\\b", true),
            ("é", "?", true),
            ("é", "??", false),
            ("aé", "*??", true),
            ("é", "*??", false),
            ("anything at all", "**", true),
            ("abcabd", "*abd", true),
            ("a.b", "a?b", true),
            ("[x]", "[x]", true),
            ("x", "[x]", false),
            ("git push origin", "git push *", true),
            ("git pushx", "git push *", false),
        ] {
            assert_eq!(matches(input, pattern), expected, "{input:?} against {pattern:?}");
        }
    }

    #[test]
    fn coverage() {
        for (wider, narrower, expected) in [
            ("*", "rm *", true),
            ("rm *", "rm -rf *", true),
            ("rm *", "rm", true),
            ("rm -rf *", "rm *", false),
            ("rm*", "rm *", true),
            ("src/*", "src/a?", true),
            ("src/?", "src/*", false),
            ("*.md", "docs/*.md", true),
            ("docs/*.md", "*.md", false),
            ("?", "?", true),
            ("a*c", "abc", true),
        ] {
            assert_eq!(covers(wider, narrower), expected, "{wider:?} over {narrower:?}");
        }
    }

    /// The definition, written without care for speed.
    fn by_definition(input: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => input.is_empty(),
            Some(('*', rest)) => (0..=input.len()).any(|n| by_definition(&input[n..], rest)),
            Some(('?', rest)) => !input.is_empty() && by_definition(&input[1..], rest),
            Some((c, rest)) => {
                let fold = |c: char| if c == '\\' { '/' } else { c };
                input.first().is_some_and(|i| fold(*i) == fold(*c)) && by_definition(&input[1..], rest)
            }
        }
    }

    fn reference(input: &str, pattern: &str) -> bool {
        let input: Vec<char> = input.chars().collect();
        let whole: Vec<char> = pattern.chars().collect();
        by_definition(&input, &whole)
            || pattern
                .strip_suffix(" *")
                .is_some_and(|head| by_definition(&input, &head.chars().collect::<Vec<_>>()))
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(input in "[ab/\\\\é *?]{0,8}", pattern in "[ab/\\\\é *?]{0,8}") {
            prop_assert_eq!(matches(&input, &pattern), reference(&input, &pattern));
        }

        #[test]
        fn a_literal_pattern_matches_only_itself(text in "[a-z/. ]{0,12}", other in "[a-z/. ]{0,12}") {
            prop_assert!(matches(&text, &text));
            prop_assert_eq!(matches(&other, &text), other == text);
        }

        #[test]
        fn coverage_is_sound(wider in "[ab ?*]{0,5}", narrower in "[ab ?*]{0,5}", input in "[ab ]{0,6}") {
            if covers(&wider, &narrower) && matches(&input, &narrower) {
                prop_assert!(matches(&input, &wider));
            }
        }

        #[test]
        fn never_panics(input in ".*", pattern in ".*") {
            matches(&input, &pattern);
            covers(&input, &pattern);
        }
    }
}
