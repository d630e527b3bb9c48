//! Patches that arrive as a command instead of a tool call.

use super::PatchError;
use super::parse::BEGIN;

/// The patch in a command line; `None` if the command is something else.
///
/// Known are `apply_patch` and `applypatch` with the patch as their argument, and a shell that is given one of them
/// with a here-document and nothing else. A patch without a command in front of it is an error.
pub fn from_argv(argv: &[&str]) -> Option<Result<String, PatchError>> {
    match argv {
        [patch] if is_patch(patch) => Some(Err(PatchError::Implicit)),
        [command, patch] if is_command(command) => Some(Ok((*patch).to_owned())),
        [shell, "-c" | "-lc", script] if is_shell(shell) => from_script(script),
        _ => None,
    }
}

fn is_patch(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

fn is_command(word: &str) -> bool {
    matches!(word, "apply_patch" | "applypatch")
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh")
}

fn from_script(script: &str) -> Option<Result<String, PatchError>> {
    if is_patch(script) {
        return Some(Err(PatchError::Implicit));
    }
    let (first, body) = script.trim_start().split_once('\n')?;
    let (command, word) = first.split_once("<<")?;
    let word = unquoted(word.trim())?;
    if !is_command(command.trim()) {
        return None;
    }
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end_matches(['\r', '\n']) == word {
            let rest = &body[at + line.len()..];
            // More commands after the patch: that is a script, not a patch call.
            return rest.trim().is_empty().then(|| Ok(body[..at].to_owned()));
        }
        at += line.len();
    }
    Some(Err(PatchError::Heredoc { word: word.to_owned() }))
}

/// The word after `<<`, without its quotes.
fn unquoted(word: &str) -> Option<&str> {
    let inside = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let word = inside('\'').or_else(|| inside('"')).unwrap_or(word);
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";

    fn script(first: &str, last: &str) -> String {
        format!("{first}\n{PATCH}{last}")
    }

    #[test]
    fn pinned_direct_forms_are_recognised() {
        assert_eq!(from_argv(&["apply_patch", PATCH]), Some(Ok(PATCH.into())));
        assert_eq!(from_argv(&["applypatch", PATCH]), Some(Ok(PATCH.into())));
    }

    #[test]
    fn pinned_a_shell_with_a_here_document_is_recognised() {
        for first in ["apply_patch <<'X'", "applypatch << \"X\"", "  apply_patch <<X  "] {
            for shell in ["bash", "sh", "/bin/zsh"] {
                for flag in ["-lc", "-c"] {
                    let script = script(first, "X\n");
                    assert_eq!(from_argv(&[shell, flag, &script]), Some(Ok(PATCH.into())), "{first}");
                }
            }
        }
    }

    #[test]
    fn pinned_a_bare_patch_is_an_implicit_invocation() {
        assert_eq!(from_argv(&[PATCH]), Some(Err(PatchError::Implicit)));
        assert_eq!(from_argv(&["bash", "-lc", PATCH]), Some(Err(PatchError::Implicit)));
        assert!(PatchError::Implicit.to_string().contains("implicit invocation"));
    }

    #[test]
    fn a_here_document_without_its_end_is_named() {
        let script = script("apply_patch <<'EOF'", "");
        assert_eq!(from_argv(&["sh", "-c", &script]), Some(Err(PatchError::Heredoc { word: "EOF".into() })));
    }

    #[test]
    fn other_commands_are_no_patch_call() {
        let more = script("apply_patch <<'X'", "X\nrm -rf build\n");
        let elsewhere = script("cd sub && apply_patch <<'X'", "X\n");
        let other = script("cat <<'X'", "X\n");
        for argv in [
            &["ls"][..],
            &[],
            &["apply_patch"],
            &["apply_patch", PATCH, "-v"],
            &["python", "-c", &more],
            &["bash", "-lc", &more],
            &["bash", "-lc", &elsewhere],
            &["bash", "-lc", &other],
            &["bash", "-lc", "apply_patch <<"],
            &["bash", "-lc", "apply_patch <<a b\nx"],
        ] {
            assert_eq!(from_argv(argv), None, "{argv:?}");
        }
    }
}
