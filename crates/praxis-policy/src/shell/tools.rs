//! Tools of developers that another program fetches and runs: `npx tsc`, `pnpm exec eslint`.

use super::table::Table;
use super::word::Resolved;

/// Words that make a tool run a command, whatever its name is.
const RUNS: &[&str] = &["exec", "x", "dlx", "run-commands", "-c", "--call", "--exec", "-x"];

/// The tool and its arguments, if a runner is given a well-known one by its name and nothing but that.
pub(super) fn run_by<'w>(name: &str, words: &'w [Resolved]) -> Option<&'w [Resolved]> {
    let mut rest = words.get(1..)?;
    // `npm exec` takes every option for its own that does not stand behind `--`.
    let mut needs_end = false;
    match name {
        "npx" | "bunx" => {}
        "npm" | "pnpm" | "yarn" => {
            let (sub, behind) = rest.split_first().filter(|(sub, _)| sub.is_static)?;
            let runs = match name {
                "npm" => matches!(sub.text.as_str(), "exec" | "x"),
                _ => matches!(sub.text.as_str(), "exec" | "dlx"),
            };
            rest = behind;
            needs_end = name == "npm";
            if !runs {
                return None;
            }
        }
        _ => return None,
    }
    while let Some((word, behind)) = rest.split_first() {
        match word.text.as_str() {
            "--" if needs_end => needs_end = false,
            "-y" | "--yes" | "--no-install" | "--no" | "-q" | "--quiet" => {}
            _ => break,
        }
        rest = behind;
    }
    let is_free = |word: &Resolved| word.is_static && !word.text.starts_with('-');
    if needs_end && !rest.iter().all(is_free) {
        return None;
    }
    known(rest).then_some(rest)
}

/// Can a tool, whether it is started by its name or not, be handed any argument without running a command?
pub(super) fn takes_anything(name: &str, words: &[Resolved]) -> bool {
    match run_by(name, words) {
        Some([tool, ..]) => Table::get().is_checker(package(&tool.text)),
        _ => Table::get().is_checker(name),
    }
}

fn known(words: &[Resolved]) -> bool {
    let Some((tool, rest)) = words.split_first() else { return false };
    let name = package(&tool.text);
    let version = tool.text[name.len()..].strip_prefix('@');
    let is_exact = version.is_none_or(is_plain_version) && (version.is_some() || name == tool.text);
    let runs = |word: &Resolved| RUNS.contains(&word.text.as_str());
    tool.is_static
        && tool.glob.is_none()
        && is_exact
        && Table::get().is_tool(name)
        && (Table::get().is_checker(name) || !rest.iter().any(runs))
}

/// The name of a package without its version.
pub(super) fn package(text: &str) -> &str {
    let end = text.char_indices().skip(1).find(|(_, sign)| *sign == '@');
    end.map_or(text, |(at, _)| &text[..at])
}

/// `5`, `5.x`, `^5.1.0`, `latest`: no address, and no other package.
fn is_plain_version(version: &str) -> bool {
    let bare = version.strip_prefix(['^', '~']).unwrap_or(version);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    version == "latest" || (bare.starts_with(|first: char| first.is_ascii_digit()) && bare.bytes().all(plain))
}
