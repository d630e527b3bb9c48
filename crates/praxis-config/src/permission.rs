//! From `permission` values to rules.

use std::path::Path;

use praxis_proto::{Action, Rule};

use crate::node::{Node, Value};
use crate::problem::{Problem, did_you_mean, printable};

/// Permissions that take one action and no patterns.
pub(crate) const PLAIN: [&str; 5] = ["todowrite", "question", "webfetch", "websearch", "doom_loop"];
/// The other permissions with a name of their own; any further name is allowed too.
pub(crate) const WITH_PATTERNS: [&str; 10] =
    ["read", "edit", "glob", "grep", "list", "bash", "task", "external_directory", "lsp", "skill"];

/// The rules a `permission` value stands for, in the order in which they are written.
///
/// What cannot be understood becomes a problem: a rule that is left out could be the one that denies.
pub(crate) fn rules(node: &Node, path: &str, home: &Path, problems: &mut Vec<Problem>) -> Vec<Rule> {
    let mut reader = Reader { home, problems, rules: Vec::new() };
    match &node.value {
        Value::Object(entries) => {
            for (permission, entry) in entries {
                reader.entry(permission, entry, &format!("{path}.{permission}"));
            }
        }
        _ => reader.action("*", "*", node, path),
    }
    reader.rules
}

struct Reader<'a> {
    home: &'a Path,
    problems: &'a mut Vec<Problem>,
    rules: Vec<Rule>,
}

impl Reader<'_> {
    fn entry(&mut self, permission: &str, entry: &Node, path: &str) {
        if permission.is_empty() {
            self.problems.push(Problem::value(
                key(entry),
                path,
                "a permission needs a name; use `*` for all",
            ));
            return;
        }
        let Value::Object(patterns) = &entry.value else {
            self.action(permission, "*", entry, path);
            return;
        };
        if PLAIN.contains(&permission) {
            let problem = "this permission takes one action (allow, ask or deny) and no patterns";
            self.problems.push(Problem::value(&entry.origin, path, problem));
            return;
        }
        for (pattern, action) in patterns {
            let path = format!("{path}.{pattern}");
            if pattern.is_empty() {
                self.problems.push(Problem::value(
                    key(action),
                    path,
                    "a pattern needs a text; use `*` for all",
                ));
                continue;
            }
            self.action(permission, pattern, action, &path);
        }
    }

    fn action(&mut self, permission: &str, pattern: &str, node: &Node, path: &str) {
        let problem = match node.as_str() {
            None => format!("expected allow, ask or deny, found {}", node.kind()),
            Some(word) => match Action::parse(word) {
                Some(action) => {
                    self.rules.push(Rule {
                        permission: permission.to_owned(),
                        pattern: expand(pattern, self.home),
                        action,
                        origin: node.origin.clone(),
                    });
                    return;
                }
                None if node.filled => {
                    "expected allow, ask or deny, found another word in a variable or file".to_owned()
                }
                None => format!(
                    "expected allow, ask or deny, found `{}`{}",
                    printable(word),
                    did_you_mean(word, ["allow", "ask", "deny"])
                ),
            },
        };
        self.problems.push(Problem::value(&node.origin, path, problem));
    }
}

fn key(node: &Node) -> &praxis_proto::Origin {
    node.key.as_ref().unwrap_or(&node.origin)
}

/// The home directory at the beginning of a pattern, in the spellings people use for it.
fn expand(pattern: &str, home: &Path) -> String {
    let rest = if let Some(rest) = pattern.strip_prefix("${HOME}").or_else(|| pattern.strip_prefix('~')) {
        // `~x` is another user, and `~` in a name is a name.
        Some(rest).filter(|rest| rest.is_empty() || rest.starts_with('/') || pattern.starts_with('$'))
    } else {
        // `$HOMER` is another variable.
        pattern
            .strip_prefix("$HOME")
            .filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    match rest {
        Some(rest) => format!("{}{rest}", home.display()),
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_expanded_at_the_beginning_only() {
        let home = Path::new("/home/ada");
        for (pattern, expanded) in [
            ("~", "/home/ada"),
            ("~/src/*", "/home/ada/src/*"),
            ("$HOME", "/home/ada"),
            ("$HOME/x", "/home/ada/x"),
            ("$HOME*", "/home/ada*"),
            ("${HOME}/x", "/home/ada/x"),
            ("$HOMER/x", "$HOMER/x"),
            ("~bob/x", "~bob/x"),
            ("cp ~/x", "cp ~/x"),
        ] {
            assert_eq!(expand(pattern, home), expanded, "{pattern}");
        }
    }
}
