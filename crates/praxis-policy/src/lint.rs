//! Rules that cannot do what their author meant: shadowed ones and over-broad ones.

use std::fmt;

use praxis_proto::{Action, Origin, Rule};

use crate::wildcard;

/// Programs that run whatever they are given; allowing all of their uses allows everything.
const RUNS_ANYTHING: &[&str] = &[
    "awk", "bash", "busybox", "bun", "command", "dash", "deno", "doas", "docker", "env", "eval", "exec",
    "find", "fish", "ksh", "lua", "nice", "node", "nohup", "npx", "parallel", "perl", "php", "python",
    "python3", "ruby", "sh", "ssh", "sudo", "tclsh", "timeout", "watch", "xargs", "zsh",
];

/// Something worth telling the author of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The rule never decides, because a later one matches everything it does.
    Shadowed {
        /// The rule without effect.
        rule: Rule,
        /// The one that decides instead.
        by: Rule,
    },
    /// The rule allows more than anybody can oversee.
    Broad {
        /// The rule.
        rule: Rule,
        /// What it lets through.
        allows: &'static str,
    },
}

impl Finding {
    /// The rule it is about.
    pub fn rule(&self) -> &Rule {
        match self {
            Self::Shadowed { rule, .. } | Self::Broad { rule, .. } => rule,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shadowed { rule, by } => {
                let Rule { permission, pattern, action, origin } = rule;
                let end = if by.action == *action {
                    ""
                } else {
                    "; move it below that line if it is meant to hold"
                };
                write!(
                    f,
                    "{origin}: the rule `{permission} {pattern}` = {action} is shadowed and never decides: \
                     `{} {}` = {} ({}) comes later and matches all it does{end}",
                    by.permission, by.pattern, by.action, by.origin
                )
            }
            Self::Broad { rule, allows } => {
                write!(
                    f,
                    "{}: the rule `{} {}` = allow is broad: it allows {allows}",
                    rule.origin, rule.permission, rule.pattern
                )
            }
        }
    }
}

/// Checks the rules people wrote, in order; Praxis' own are left alone.
pub fn lint(rules: &[Rule]) -> Vec<Finding> {
    let written: Vec<&Rule> =
        rules.iter().filter(|rule| !matches!(rule.origin, Origin::BuiltIn(_))).collect();
    let mut findings = Vec::new();
    for (index, rule) in written.iter().enumerate() {
        if let Some(by) = written[index + 1..].iter().find(|later| shadows(later, rule)) {
            findings.push(Finding::Shadowed { rule: (*rule).clone(), by: (*by).clone() });
        } else if let Some(allows) = breadth(rule) {
            findings.push(Finding::Broad { rule: (*rule).clone(), allows });
        }
    }
    findings
}

fn shadows(later: &Rule, rule: &Rule) -> bool {
    wildcard::covers(&later.permission, &rule.permission) && wildcard::covers(&later.pattern, &rule.pattern)
}

fn breadth(rule: &Rule) -> Option<&'static str> {
    if rule.action != Action::Allow {
        return None;
    }
    let everything = rule.pattern.bytes().all(|byte| byte == b'*');
    match rule.permission.as_str() {
        permission if permission.bytes().all(|byte| byte == b'*') && everything => {
            Some("every tool to do everything, also outside the project and on secret files")
        }
        "external_directory" if everything || rule.pattern == "/*" => Some("files anywhere on this machine"),
        "bash" if everything => Some("every shell command"),
        "bash" => shell_breadth(&rule.pattern),
        _ => None,
    }
}

fn shell_breadth(pattern: &str) -> Option<&'static str> {
    let (program, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
    if rest.is_empty() && program.ends_with('*') {
        return Some("every program whose name begins so; put a space before the star");
    }
    (RUNS_ANYTHING.contains(&program) && rest == "*").then_some("that program to run any other")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use praxis_proto::Place;

    use super::*;

    fn written(lines: &[(&str, &str, Action)]) -> Vec<Rule> {
        let file = Arc::new("praxis.json".into());
        lines
            .iter()
            .zip(1..)
            .map(|((permission, pattern, action), line)| Rule {
                permission: (*permission).into(),
                pattern: (*pattern).into(),
                action: *action,
                origin: Origin::File(Place { file: Arc::clone(&file), line, column: 1 }),
            })
            .collect()
    }

    fn told(lines: &[(&str, &str, Action)]) -> Vec<String> {
        lint(&written(lines)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_trailing_star_shadows_the_deny_above_it() {
        assert_eq!(
            told(&[("bash", "rm *", Action::Deny), ("bash", "*", Action::Ask)]),
            ["praxis.json:1: the rule `bash rm *` = deny is shadowed and never decides: `bash *` = ask \
              (praxis.json:2) comes later and matches all it does; move it below that line if it is meant to hold"]
        );
    }

    #[test]
    fn the_order_people_mean_is_quiet() {
        assert!(
            told(&[
                ("bash", "*", Action::Ask),
                ("bash", "git *", Action::Allow),
                ("edit", "*", Action::Allow)
            ])
            .is_empty()
        );
    }

    #[test]
    fn broad_rules_are_told() {
        for (permission, pattern) in [
            ("*", "*"),
            ("external_directory", "*"),
            ("bash", "*"),
            ("bash", "python *"),
            ("bash", "sudo *"),
            ("bash", "git*"),
        ] {
            let told = told(&[(permission, pattern, Action::Allow)]);
            assert!(told.len() == 1 && told[0].contains("is broad"), "{permission} {pattern}: {told:?}");
        }
        assert!(told(&[("bash", "git status *", Action::Allow), ("bash", "*", Action::Deny)]).len() == 1);
    }

    #[test]
    fn our_own_rules_are_left_alone() {
        let own = [Rule::built_in("defaults", "*", "*", Action::Allow)];
        assert!(lint(&own).is_empty());
    }
}
