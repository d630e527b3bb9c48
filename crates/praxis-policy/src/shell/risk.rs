//! Flags and programs that do more than their name says, and so must not ride on a broad allow rule.

use super::table::Program;
use super::word::Resolved;
use super::{About, Doubt, language, tools};

/// Why the command is more than it seems, if it is. What may run something counts before what may touch a file.
pub(super) fn of(name: &str, program: Option<&Program>, words: &[Resolved]) -> Option<Doubt> {
    let program = program?;
    if shell_file(name, words).is_some()
        || tools::run_by(name, words).is_some()
        || runs_what_was_read(name, words)
        || writes_nowhere(name, words)
    {
        return None;
    }
    let told = |what: &str| if what == "*" { format!("`{name}`") } else { format!("`{name} {what}`") };
    let find = |patterns: &[&'static str]| {
        patterns.iter().find_map(|pattern| matched(pattern, program, words).map(told))
    };
    if let Some(text) = find(&program.risky) {
        return Some(Doubt { about: About::Program, text });
    }
    if let Some(found) = language::inside(name, words) {
        return Some(found);
    }
    let about = if destroys(name, Some(program), words) { About::Loss } else { About::Files };
    find(&program.touchy).map(|text| Doubt { about, text })
}

/// Does the command destroy what it is aimed at?
pub(super) fn destroys(name: &str, program: Option<&Program>, words: &[Resolved]) -> bool {
    let told =
        |program: &Program| program.destroys.iter().any(|pattern| matched(pattern, program, words).is_some());
    let rest = || words.iter().skip(2).map(|word| word.text.as_str());
    let of_git = || match words.get(1).map(|word| word.text.as_str()) {
        Some("checkout") => rest().any(|text| matches!(text, "--" | "." | "-f" | "--force")),
        Some("stash") => rest().any(|text| matches!(text, "drop" | "clear")),
        _ => false,
    };
    program.is_some_and(told) || (name == "git" && of_git())
}

/// Is it a shell whose script stands in its arguments? Then each command of that script is judged by itself.
fn runs_what_was_read(name: &str, words: &[Resolved]) -> bool {
    let plain =
        |flags: &str| flags.ends_with('c') && flags.chars().all(|flag| matches!(flag, 'c' | 'e' | 'u' | 'x'));
    let [_, flags, script, ..] = words else { return false };
    matches!(name, "bash" | "sh" | "dash" | "zsh" | "ksh")
        && flags.text.strip_prefix('-').is_some_and(plain)
        && script.is_static
        && words.iter().all(|word| word.is_static)
}

/// The file of the project that a shell runs, if it is told nothing else: no more than a program started by its path.
pub(super) fn shell_file<'w>(name: &str, words: &'w [Resolved]) -> Option<&'w Resolved> {
    if !matches!(name, "bash" | "sh" | "dash" | "zsh" | "ksh") {
        return None;
    }
    let is_plain = |flags: &str| {
        !flags.is_empty() && flags.chars().all(|flag| matches!(flag, 'n' | 'e' | 'u' | 'x' | 'v'))
    };
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next().filter(|word| word.is_static && word.glob.is_none()) {
        let text = word.text.as_str();
        match text.strip_prefix('-') {
            Some("o" | "eo" | "euo" | "euxo") if rest.next().is_some_and(|next| next.text == "pipefail") => {}
            Some(flags) if is_plain(flags) => {}
            Some(_) => return None,
            None => {
                let parts = || text.split('/').filter(|part| !part.is_empty() && *part != ".");
                // There a name stands for an open file.
                let is_device = text.starts_with('/') && matches!(parts().next(), Some("dev" | "proc"));
                let is_option = text.is_empty() || text.starts_with('+');
                return (!is_device && !is_option && parts().all(|part| part != "..")).then_some(word);
            }
        }
    }
    None
}

/// Is it a download whose only danger, the file, is none?
fn writes_nowhere(name: &str, words: &[Resolved]) -> bool {
    let quiet =
        |flags: &str| flags.chars().all(|flag| matches!(flag, 's' | 'S' | 'f' | 'L' | 'I' | 'v' | 'k'));
    let mut rest = words.iter().skip(1).map(|word| word.text.as_str());
    let mut found = false;
    while let Some(text) = rest.next() {
        match text {
            "-o" | "--output" if rest.next() == Some("/dev/null") => found = true,
            "-w" | "--write-out" | "-m" | "--max-time" => {
                rest.next();
            }
            _ if text.strip_prefix('-').is_none_or(quiet) => {}
            _ => return false,
        }
    }
    name == "curl" && found && words.iter().all(|word| word.is_static)
}

fn matched<'a>(pattern: &'a str, program: &Program, words: &'a [Resolved]) -> Option<&'a str> {
    if pattern == "*" {
        return Some(pattern);
    }
    let first = first_operand(program, words);
    if let Some(sub) = pattern.strip_prefix("sub:") {
        return words.get(first).filter(|word| word.text == sub).map(|word| word.text.as_str());
    }
    let (flag, range) = if let Some(flag) = pattern.strip_prefix("pre:") {
        (flag, &words[1..first.min(words.len())])
    } else if let Some((sub, flag)) = pattern.split_once('/') {
        if words.get(first).is_none_or(|word| word.text != sub) {
            return None;
        }
        (flag, &words[first..])
    } else {
        (pattern, &words[1..])
    };
    let options = range.iter().map(|word| word.text.as_str()).take_while(|text| *text != "--");
    let is_another = |text: &&str| {
        let name = text.split('=').next().unwrap_or(text);
        name != flag && program.has_flag(name)
    };
    let gives = |text: &&str| is_flag(if flag.len() == 2 { bundle(program, text) } else { text }, flag);
    options.into_iter().filter(|text| !is_another(text)).find(gives)
}

/// The part of a word that is short options: what stands behind one with a value of its own is that value.
pub(super) fn bundle<'t>(program: &Program, text: &'t str) -> &'t str {
    let takes = |letter: char| {
        program.attached.iter().any(|flag| flag.strip_prefix('-') == Some(letter.encode_utf8(&mut [0; 4])))
    };
    let end = text.char_indices().skip(1).find(|(_, letter)| takes(*letter));
    end.map_or(text, |(at, letter)| &text[..at + letter.len_utf8()])
}

/// Does the word give this flag, alone, with a value, shortened or among others?
pub(super) fn is_flag(text: &str, flag: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    if flag.starts_with("--") {
        // Programs take any beginning that is not another's too.
        return name.len() > 2 && name.starts_with("--") && flag.starts_with(name);
    }
    if flag.len() > 2 {
        // Programs with such options take a second dash too.
        return name == flag || name.strip_prefix('-') == Some(flag);
    }
    text.starts_with('-')
        && !text.starts_with("--")
        && flag.chars().nth(1).is_some_and(|letter| text.contains(letter))
}

fn first_operand(program: &Program, words: &[Resolved]) -> usize {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if !text.starts_with('-') {
            break;
        }
        let takes = |flags: &[&str]| flags.contains(&text);
        // `git -c key=value` too: its value is no operand.
        at += if takes(&program.valued) || takes(&program.reads) || takes(&program.writes) || text == "-c" {
            2
        } else {
            1
        };
    }
    at
}
