//! What `mktemp` makes: nobody else's, and so nobody's loss when it is removed again.

use std::rc::Rc;

use super::state::Value;
use super::walk::Walker;
use super::word::Resolved;

/// Programs that take away the very name they are given, and follow no link.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink"];
/// Signals at which a `trap` tidies up. Others, such as `DEBUG`, come between the commands of the script.
const ENDS: &[&str] = &["EXIT", "INT", "TERM", "HUP", "QUIT", "0"];
/// Programs of a `trap` that tidies up.
const TIDIERS: &[&str] = &["rm", "kill"];

impl Walker<'_> {
    /// Is a value, as it is assigned, a path that `mktemp` makes?
    pub(super) fn gives_fresh(&self, raw: &str) -> bool {
        let bare = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw);
        let inside = bare.strip_prefix("$(mktemp").and_then(|rest| rest.strip_suffix(')'));
        let is_usual = self.state.shadowed.is_none() && !self.state.functions.contains_key("mktemp");
        inside.is_some_and(|rest| (rest.is_empty() || rest.starts_with(' ')) && is_plain(rest)) && is_usual
    }

    /// The words of a command that removes, where what is fresh is no file that matters.
    pub(super) fn without_loss(&self, name: &str, words: &[Resolved]) -> Option<Vec<Resolved>> {
        // The last word of `mv` is what it writes.
        let end = match name {
            "mv" => words.len().saturating_sub(1),
            _ if REMOVERS.contains(&name) => words.len(),
            _ => return None,
        };
        let mut out = words.to_vec();
        for word in out.iter_mut().take(end).filter(|word| self.is_fresh(&word.text) && !word.is_static) {
            word.tame = true;
        }
        (out != words).then_some(out)
    }

    /// Is it nothing but a variable with a fresh path? Something behind it would count from `/` where `mktemp` failed.
    fn is_fresh(&self, raw: &str) -> bool {
        let is_held = |name: &str| matches!(self.state.variables.get(name), Some(Some(Value::Fresh)));
        variable(raw).is_some_and(is_held)
    }

    /// Does a `trap` only tidy up at the end? Then what it counts on is remembered.
    pub(super) fn tidies(&mut self, words: &[Resolved]) -> bool {
        let [_, script, signals @ ..] = words else { return false };
        let is_end = |word: &Resolved| word.is_static && ENDS.contains(&word.text.as_str());
        if signals.is_empty() || !signals.iter().all(is_end) || !script.is_static || script.glob.is_some() {
            return false;
        }
        let mut names: Vec<String> = TIDIERS.iter().map(|name| (*name).to_owned()).collect();
        for command in script.text.split(';') {
            let command = command.trim().trim_end_matches("2>/dev/null").trim_end();
            let mut parts = command.split(' ').filter(|part| !part.is_empty());
            let are_known = match parts.next() {
                Some("kill") => parts.all(|part| part == "$!" || variable(part).is_some()),
                Some("rm") => parts.all(|part| {
                    names.extend(variable(part).map(str::to_owned));
                    matches!(part, "-f" | "-r" | "-rf" | "-fr" | "--") || self.is_fresh(part)
                }),
                _ => false,
            };
            if !are_known {
                return false;
            }
        }
        let has_own = TIDIERS.iter().any(|name| self.state.functions.contains_key(*name));
        if has_own || self.state.shadowed.is_some() {
            return false;
        }
        Rc::make_mut(&mut self.state.trapped).extend(names);
        true
    }

    /// What a `trap` counts on must be there until the end.
    pub(super) fn check_trap(&mut self) {
        let state = &self.state;
        if !state.trapped.is_empty() && (state.is_trap_changed || state.shadowed.is_some()) {
            self.doubt("what `trap` runs at the end changes before that");
        }
    }
}

/// The name in `$x`, `"$x"`, `${x}` and `"${x}"`.
fn variable(raw: &str) -> Option<&str> {
    let bare =
        raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw).strip_prefix('$')?;
    let name = bare.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(bare);
    let is_letter = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let is_name = name.bytes().all(is_letter) && !name.starts_with(|sign: char| sign.is_ascii_digit());
    (is_name && !name.is_empty()).then_some(name)
}

/// Options of `mktemp` that let it make something, and at most one template that says little of where.
fn is_plain(rest: &str) -> bool {
    let mut templates = 0;
    rest.split(' ').filter(|part| !part.is_empty()).all(|part| {
        let is_flag =
            matches!(part, "-d" | "-q" | "-t" | "-dt" | "-td" | "-dq" | "-qd" | "--directory" | "--quiet");
        let name = part.strip_prefix("/tmp/").unwrap_or(part);
        let is_template = !name.starts_with(['-', '.'])
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        templates += usize::from(!is_flag);
        is_flag || (is_template && templates == 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_makes_something_is_fresh() {
        for plain in ["", " -d", " -d -t x.XXXX", " /tmp/x.XXXXXX", " -q x.XXX.json"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in [" --help", " -u", " -p /etc", " $x", " a b", " /etc/x.XXX", " ../x.XXX", " ;ls", " 'x'"]
        {
            assert!(!is_plain(other), "{other}");
        }
    }

    #[test]
    fn a_variable_stands_alone() {
        for (raw, name) in [("$x", "x"), ("\"$x\"", "x"), ("\"${x_1}\"", "x_1"), ("${x}", "x")] {
            assert_eq!(variable(raw), Some(name), "{raw}");
        }
        for raw in ["$x/y", "\"$x\"y", "x", "$", "${x:-/}", "$1", "$x$y", "'$x'"] {
            assert_eq!(variable(raw), None, "{raw}");
        }
    }
}
