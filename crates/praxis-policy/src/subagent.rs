//! What a subagent inherits. It can only narrow.

use praxis_proto::{Action, Origin, Rule};

use crate::{Authority, Ceiling};

/// The child's authority under everything that limits its parent: the parent's rules and the parent's ceilings.
///
/// OpenCode leaves the parent agent's rules behind, so that plan mode can edit through a helper; here it cannot.
pub fn narrowed(child: Authority, parent_name: &str, parent: &Authority) -> Authority {
    let own = Ceiling::of_ruleset(format!("parent agent {parent_name}"), parent.shared_rules());
    parent.ceilings().iter().cloned().chain([own]).fold(child, Authority::under)
}

/// The rules of a child session: the parent session's limits, then the denies every subagent starts with.
pub fn child_session_rules(
    parent_session: &[Rule],
    subagent: &[Rule],
    primary_tools: &[String],
) -> Vec<Rule> {
    let inherited = parent_session
        .iter()
        .filter(|rule| rule.permission == "external_directory" || rule.action == Action::Deny)
        .cloned();
    let kept_back = ["todowrite", "task"].into_iter().filter(|tool| !opens(subagent, tool));
    let denied = kept_back.chain(primary_tools.iter().map(String::as_str)).map(|permission| Rule {
        permission: permission.to_owned(),
        pattern: "*".to_owned(),
        action: Action::Deny,
        origin: Origin::Session,
    });

    let mut rules: Vec<Rule> = Vec::new();
    for rule in inherited.chain(denied) {
        if !rules.iter().any(|known| says_the_same(known, &rule)) {
            rules.push(rule);
        }
    }
    rules
}

/// Whether the subagent's own rules open this tool. Denying one use of it is no opening.
fn opens(subagent: &[Rule], tool: &str) -> bool {
    subagent.iter().any(|rule| rule.permission == tool && rule.action != Action::Deny)
}

fn says_the_same(a: &Rule, b: &Rule) -> bool {
    (&a.permission, &a.pattern, a.action) == (&b.permission, &b.pattern, b.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(permission: &str, pattern: &str, action: Action) -> Rule {
        Rule::built_in("test", permission, pattern, action)
    }

    fn said(rules: &[Rule]) -> Vec<String> {
        rules.iter().map(|r| format!("{} {} {}", r.permission, r.pattern, r.action)).collect()
    }

    #[test]
    fn pinned_reviewer() {
        let reviewer = [rule("task", "*", Action::Allow)];
        let rules = child_session_rules(&[], &reviewer, &["bash".into(), "read".into()]);
        assert_eq!(said(&rules), ["todowrite * deny", "bash * deny", "read * deny"]);
    }

    #[test]
    fn the_parents_limits_come_first_and_nothing_is_said_twice() {
        let parent = [
            rule("external_directory", "/tmp/*", Action::Allow),
            rule("bash", "*", Action::Allow),
            rule("task", "*", Action::Deny),
        ];
        let rules = child_session_rules(&parent, &[], &["task".into()]);
        assert_eq!(said(&rules), ["external_directory /tmp/* allow", "task * deny", "todowrite * deny"]);
    }

    #[test]
    fn denying_one_helper_does_not_open_all_others() {
        let rules = child_session_rules(&[], &[rule("task", "general", Action::Deny)], &[]);
        assert_eq!(said(&rules), ["todowrite * deny", "task * deny"]);
    }

    #[test]
    fn a_child_cannot_do_what_its_parent_may_not() {
        let plan = Authority::new(vec![rule("*", "*", Action::Allow)])
            .under(Ceiling::new("plan", vec![rule("edit", "*", Action::Deny)]));
        let careful = Authority::new(vec![rule("*", "*", Action::Allow), rule("bash", "*", Action::Ask)]);
        let child = || Authority::new(vec![rule("*", "*", Action::Allow)]);

        assert_eq!(narrowed(child(), "plan", &plan).decide("edit", "a", &[]).action, Action::Deny);
        assert_eq!(narrowed(child(), "careful", &careful).decide("bash", "ls", &[]).action, Action::Ask);
        assert_eq!(narrowed(child(), "plan", &plan).decide("read", "a", &[]).action, Action::Allow);
    }
}
