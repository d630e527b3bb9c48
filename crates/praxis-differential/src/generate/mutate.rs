//! Small changes to a script: pieces moved, doubled, dropped, quoted otherwise, odd signs put in.

use fastrand::Rng;

use super::{corpus, pick, pieces};

/// Constructs that a whole script can stand in.
const FRAMES: &[(&str, &str)] = &[
    ("( ", " )"),
    ("{ ", "\n}"),
    ("if true; then ", "\nfi"),
    ("if false; then ", "\nfi"),
    ("while ls; do ", "\nbreak; done"),
    ("for i in 1 2; do ", "\ndone"),
    ("f() { ", "\n}; f"),
    ("f() { ", "\n}"),
    ("f() ( ", "\n)\nf"),
    ("case x in x) ", "\n;; esac"),
    ("! ", ""),
    ("time ", ""),
    ("echo \"$( ", "\n)\""),
    ("x=$( ", "\n)"),
    ("x=` ", "`"),
    ("cat <<E\n$( ", ")\nE\n"),
    ("cat <<'E'\n", "\nE\nls"),
    ("eval '", "'"),
    ("bash -c '", "'"),
    ("sh -c '", "'"),
    ("cd src && { ", "\n}"),
    ("cd nosuch || { ", "\n}"),
    ("(cd /o) ; ", ""),
    ("coproc ", ""),
    ("[[ -n x ]] && ", ""),
    ("ls <( ", ")"),
    ("ls || ", ""),
    ("ls && ", ""),
    ("ls | ", ""),
    ("", " | ls"),
    ("", " &"),
    ("set -e; ", ""),
    ("set -f\n", ""),
    ("select x in a; do ", "\ndone"),
    ("until ls; do ", "\ndone"),
    ("trap '", "' EXIT"),
];

/// The script, changed in one way.
pub(super) fn once(rng: &mut Rng, script: &str) -> String {
    let tokens = tokens(script);
    let at = rng.usize(..=tokens.len());
    let join = |tokens: &[String]| tokens.concat();
    let mut changed = tokens.clone();
    match rng.u32(0..12) {
        0 if at < changed.len() => {
            changed.remove(at);
        }
        1 if at < changed.len() => {
            let copy = changed[at].clone();
            changed.insert(rng.usize(..=tokens.len()), copy);
        }
        2 if changed.len() > 1 => {
            let other = rng.usize(..changed.len());
            changed.swap(at.min(tokens.len() - 1), other);
        }
        3 | 4 => changed.insert(at, pieces::any(rng, "odd").to_owned()),
        5 => {
            let (open, close) = *pick(rng, FRAMES);
            return format!("{open}{script}{close}");
        }
        6 => changed.truncate(at.max(1)),
        7 if at < changed.len() => changed[at] = requote(rng, &changed[at].clone()),
        8 => {
            // Somewhere inside a token.
            let marks: Vec<usize> = (0..=script.len()).filter(|at| script.is_char_boundary(*at)).collect();
            let at = *pick(rng, &marks);
            return format!("{}{}{}", &script[..at], pieces::any(rng, "odd"), &script[at..]);
        }
        9 => {
            let other = self::tokens(corpus::script(rng));
            let from = rng.usize(..=other.len());
            let to = rng.usize(from..=other.len());
            changed.splice(at..at, other[from..to].iter().cloned());
        }
        10 => {
            for token in &mut changed {
                if token == " " && rng.u32(0..6) == 0 {
                    *token = (*pick(rng, &["\t", "  ", " \\\n", "\\\n ", "\\\n", "\u{c}", "\r", "\u{a0}"]))
                        .to_owned();
                }
            }
        }
        _ => {
            for token in &mut changed {
                if token == "\n" && rng.u32(0..3) == 0 {
                    *token = (*pick(
                        rng,
                        &["\r\n", " # it's\n", ";", "\n\n", " \n", "\t#\"\n", "\\\n\n", "\n\\\n"],
                    ))
                    .to_owned();
                }
            }
        }
    }
    join(&changed)
}

/// The same letters, quoted otherwise.
pub(super) fn requote(rng: &mut Rng, word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        match rng.u32(0..12) {
            0 if c != '\'' => out.push_str(&format!("'{c}'")),
            1 if !"\"\\$`!".contains(c) => out.push_str(&format!("\"{c}\"")),
            2 if c.is_ascii_alphanumeric() || c == '/' || c == '.' => out.push_str(&format!("\\{c}")),
            3 if c.is_ascii() && !c.is_ascii_control() => out.push_str(&format!("$'\\x{:02x}'", c as u32)),
            4 => out.push_str(&format!("{c}''")),
            5 if rng.u32(0..8) == 0 => out.push_str(&format!("\\\n{c}")),
            _ => out.push(c),
        }
    }
    out
}

/// Words, blanks and signs, so that nothing is lost if they are joined again.
pub(crate) fn tokens(script: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let kind = |c: char| {
        if c.is_alphanumeric() || "_./-".contains(c) {
            0
        } else if c == ' ' {
            1
        } else {
            2
        }
    };
    let mut last = 2;
    for c in script.chars() {
        let now = kind(c);
        match out.last_mut() {
            Some(token) if now == last && now != 2 => token.push(c),
            _ => out.push(c.to_string()),
        }
        last = now;
    }
    out
}
