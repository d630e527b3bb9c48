//! What decides one act: rules, the ceilings above them, and stored grants.

use std::sync::Arc;

use praxis_proto::{Action, Rule};
use serde::Serialize;

use crate::{Care, StoredGrant, wildcard};

/// The last rule that matches, or `None`, which means `ask`.
pub fn evaluate<'a>(permission: &str, pattern: &str, rules: &'a [Rule]) -> Option<&'a Rule> {
    rules.iter().rev().find(|rule| {
        wildcard::matches(permission, &rule.permission) && wildcard::matches(pattern, &rule.pattern)
    })
}

/// A limit that no rule can loosen: managed policy, a read-only agent's nature, the parent of a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ceiling {
    name: Arc<str>,
    rules: Arc<[Rule]>,
    otherwise: Action,
}

impl Ceiling {
    /// A ceiling that limits what its rules match and nothing else.
    pub fn new(name: impl Into<Arc<str>>, rules: Vec<Rule>) -> Self {
        Self { name: name.into(), rules: rules.into(), otherwise: Action::Allow }
    }

    /// A ceiling made of somebody's whole ruleset: what it does not match is a question, as it is for them.
    pub(crate) fn of_ruleset(name: impl Into<Arc<str>>, rules: Arc<[Rule]>) -> Self {
        Self { name: name.into(), rules, otherwise: Action::Ask }
    }

    /// What the ceiling is called in explanations.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The limit where no rule matches.
    pub(crate) fn otherwise(&self) -> Action {
        self.otherwise
    }

    /// The limit for one act, with the rule that sets it.
    pub fn limit(&self, permission: &str, pattern: &str) -> (Action, Option<&Rule>) {
        match evaluate(permission, pattern, &self.rules) {
            Some(rule) => (rule.action, Some(rule)),
            None => (self.otherwise, None),
        }
    }
}

/// The ceiling that decided, and its rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CeilingHit {
    /// The ceiling.
    pub name: String,
    /// Its rule, unless the whole ceiling is "ask about what is not named".
    pub rule: Option<Rule>,
}

/// The verdict on one permission and one pattern, with everything that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// The rule that matched last, if any did.
    pub rule: Option<Rule>,
    /// The ceiling, when no rule could have led to anything more lenient.
    pub ceiling: Option<CeilingHit>,
    /// The stored grant, when it turned a question into a yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<StoredGrant>,
    /// What made a question of it although a rule or a grant allows it.
    #[serde(flatten, skip_serializing_if = "Care::is_usual")]
    pub care: Care,
    /// Whether the question was answered by the kernel, which contains the act.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contained: bool,
}

impl Decision {
    /// Names what decided, for people and models: a rule with its file and line, or a ceiling.
    pub fn reason(&self) -> String {
        if self.contained {
            return "the sandbox contains it (`sandbox.auto_allow`)".to_owned();
        }
        match &self.care {
            Care::Usual => {}
            Care::Leaves { what, .. } => return format!("only a rule that names it allows this: {what}"),
            Care::Doubt { reason, .. } => return format!("a broad allow does not cover this: {reason}"),
            Care::Confirm(act) => return format!("a person must confirm this: {act}"),
        }
        match (&self.ceiling, &self.rule) {
            (Some(CeilingHit { name, rule: Some(rule) }), _) => format!("the ceiling `{name}`, {rule}"),
            (Some(CeilingHit { name, rule: None }), _) => format!("the ceiling `{name}`"),
            (None, Some(rule)) => rule.to_string(),
            (None, None) => "no rule matches, so it is a question".to_owned(),
        }
    }
}

/// Everything an agent in a session may do. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    rules: Arc<[Rule]>,
    ceilings: Arc<[Ceiling]>,
}

impl Authority {
    /// An authority with rules and no ceiling.
    pub fn new(rules: Vec<Rule>) -> Self {
        Self { rules: rules.into(), ceilings: Arc::new([]) }
    }

    /// The authority of nobody: an agent that does not exist may do nothing.
    pub fn nobody() -> Self {
        Self::new(vec![Rule::built_in("unknown agent", "*", "*", Action::Deny)])
    }

    /// The same authority under one more ceiling.
    #[must_use]
    pub fn under(self, ceiling: Ceiling) -> Self {
        Self { rules: self.rules, ceilings: self.ceilings.iter().cloned().chain([ceiling]).collect() }
    }

    /// The same ceilings over more rules; later rules win.
    #[must_use]
    pub fn followed_by(&self, rules: &[Rule]) -> Self {
        Self {
            rules: self.rules.iter().chain(rules).cloned().collect(),
            ceilings: Arc::clone(&self.ceilings),
        }
    }

    /// The rules in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn shared_rules(&self) -> Arc<[Rule]> {
        Arc::clone(&self.rules)
    }

    /// The ceilings.
    pub fn ceilings(&self) -> &[Ceiling] {
        &self.ceilings
    }

    /// Decides one act on one resource.
    pub fn decide(&self, permission: &str, pattern: &str, grants: &[StoredGrant]) -> Decision {
        self.decide_with(permission, pattern, grants, &Care::Usual)
    }

    /// Decides one act on one resource, with the care that it needs.
    pub fn decide_with(
        &self,
        permission: &str,
        pattern: &str,
        grants: &[StoredGrant],
        care: &Care,
    ) -> Decision {
        let rule = evaluate(permission, pattern, &self.rules);
        let by_rule = rule.map_or(Action::Ask, |rule| rule.action);

        // A ceiling that is as strict as the rule is named as well: changing the rule would change nothing.
        let mut action = by_rule;
        let mut ceiling = None;
        for candidate in self.ceilings.iter() {
            let (limit, rule) = candidate.limit(permission, pattern);
            let decides = limit > action || (limit == action && ceiling.is_none());
            if decides && limit > Action::Allow {
                action = limit;
                ceiling = Some(CeilingHit { name: candidate.name.to_string(), rule: rule.cloned() });
            }
        }

        let met = rule.is_some_and(|rule| care.is_met(&rule.pattern, pattern));
        let mut held = Care::Usual;
        if action == Action::Allow && !met {
            action = Action::Ask;
            held = care.clone();
        }
        let grant = (action == Action::Ask)
            .then(|| {
                let covers = |g: &&StoredGrant| g.allows(permission, pattern) && care.is_met_by(g, pattern);
                grants.iter().find(covers)
            })
            .flatten()
            .cloned();
        if grant.is_some() {
            action = Action::Allow;
            held = Care::Usual;
        }
        if action == Action::Ask && care.confirms() {
            held = care.clone();
        }
        Decision { action, rule: rule.cloned(), ceiling, grant, care: held, contained: false }
    }

    /// Decides an act on several resources: one deny denies it, all must allow to allow it.
    /// No resources means nothing to refuse, unless it needs care.
    pub fn decide_all(
        &self,
        permission: &str,
        patterns: &[String],
        grants: &[StoredGrant],
        care: &Care,
    ) -> Option<Decision> {
        let mut worst = (!care.is_usual() && patterns.is_empty()).then(|| Decision {
            action: Action::Ask,
            rule: None,
            ceiling: None,
            grant: None,
            care: care.clone(),
            contained: false,
        });
        for pattern in patterns {
            let decision = self.decide_with(permission, pattern, grants, care);
            if worst.as_ref().is_none_or(|worst| decision.action > worst.action) {
                worst = Some(decision);
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(permission: &str, pattern: &str, action: Action) -> Rule {
        Rule::built_in("test", permission, pattern, action)
    }

    #[test]
    fn the_last_match_wins_and_order_is_everything() {
        let deny_then_allow = [rule("*", "*", Action::Deny), rule("bash", "*", Action::Allow)];
        assert_eq!(evaluate("bash", "ls", &deny_then_allow).unwrap().action, Action::Allow);
        let allow_then_deny = [rule("bash", "*", Action::Allow), rule("*", "*", Action::Deny)];
        assert_eq!(evaluate("bash", "ls", &allow_then_deny).unwrap().action, Action::Deny);
        assert_eq!(evaluate("bash", "ls", &[]), None);
    }

    #[test]
    fn no_rule_asks() {
        let decision = Authority::new(vec![]).decide("edit", "a", &[]);
        assert_eq!((decision.action, decision.rule, decision.ceiling), (Action::Ask, None, None));
    }

    #[test]
    fn a_grant_turns_ask_into_allow_and_never_beats_a_deny() {
        let grants = [StoredGrant::new("edit", "*", 0)];
        let asking = Authority::new(vec![rule("edit", "*", Action::Ask)]);
        assert_eq!(asking.decide("edit", "a", &grants).action, Action::Allow);
        assert_eq!(asking.decide("read", "a", &grants).action, Action::Ask);

        let denying =
            Authority::new(vec![rule("edit", "*", Action::Ask), rule("edit", "*.lock", Action::Deny)]);
        assert_eq!(denying.decide("edit", "Cargo.lock", &grants).action, Action::Deny);
        let limited = asking.under(Ceiling::new("plan", vec![rule("edit", "*", Action::Deny)]));
        assert_eq!(limited.decide("edit", "a", &grants).action, Action::Deny);
    }

    #[test]
    fn a_ceiling_is_named_only_when_it_decides() {
        let ceiling = Ceiling::new("plan", vec![rule("edit", "*", Action::Deny)]);
        let authority = Authority::new(vec![rule("*", "*", Action::Allow)]).under(ceiling);
        let decision = authority.decide("edit", "a", &[]);
        assert_eq!(decision.reason(), "the ceiling `plan`, built-in test `edit *`");
        assert_eq!(authority.decide("read", "a", &[]).ceiling, None);
    }

    #[test]
    fn one_deny_among_several_resources_denies() {
        let authority = Authority::new(vec![
            rule("edit", "*", Action::Allow),
            rule("edit", "b", Action::Ask),
            rule("edit", "c", Action::Deny),
        ]);
        let all = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(ToString::to_string).collect();
            authority.decide_all("edit", &names, &[], &Care::Usual).map(|decision| decision.action)
        };
        assert_eq!(all(&["a", "b", "c"]), Some(Action::Deny));
        assert_eq!(all(&["a", "b"]), Some(Action::Ask));
        assert_eq!(all(&["a", "a"]), Some(Action::Allow));
        assert_eq!(all(&[]), None);
    }

    fn any_action() -> impl Strategy<Value = Action> {
        prop_oneof![Just(Action::Allow), Just(Action::Ask), Just(Action::Deny)]
    }

    fn any_rules(most: usize) -> impl Strategy<Value = Vec<Rule>> {
        let one = ("[ab*]{1,2}", "[ab*?]{0,3}", any_action())
            .prop_map(|(permission, pattern, action)| rule(&permission, &pattern, action));
        prop::collection::vec(one, 0..most)
    }

    proptest! {
        #[test]
        fn evaluation_is_the_last_matching_rule(rules in any_rules(8), permission in "[ab]{1,2}", pattern in "[ab]{0,3}") {
            let expected = rules
                .iter()
                .rfind(|rule| wildcard::matches(&permission, &rule.permission) && wildcard::matches(&pattern, &rule.pattern));
            prop_assert_eq!(evaluate(&permission, &pattern, &rules), expected);
        }

        /// Merging is concatenation: what the second ruleset matches, it decides.
        #[test]
        fn a_later_ruleset_decides_what_it_matches(
            first in any_rules(6), second in any_rules(6), permission in "[ab]{1,2}", pattern in "[ab]{0,3}",
        ) {
            let merged = Authority::new(first.clone()).followed_by(&second);
            let expected = evaluate(&permission, &pattern, &second).or_else(|| evaluate(&permission, &pattern, &first));
            prop_assert_eq!(evaluate(&permission, &pattern, merged.rules()), expected);
        }

        /// The order of ceilings does not matter and none of them ever loosens.
        #[test]
        fn ceilings_only_tighten_in_any_order(
            rules in any_rules(6),
            ceilings in prop::collection::vec(any_rules(4), 0..4),
            permission in "[ab]{1,2}", pattern in "[ab]{0,3}",
        ) {
            let bare = Authority::new(rules.clone());
            let build = |ordered: Vec<&Vec<Rule>>| {
                ordered.into_iter().fold(Authority::new(rules.clone()), |authority, rules| {
                    authority.under(Ceiling::new("c", rules.clone()))
                })
            };
            let forwards = build(ceilings.iter().collect()).decide(&permission, &pattern, &[]);
            let backwards = build(ceilings.iter().rev().collect()).decide(&permission, &pattern, &[]);
            prop_assert_eq!(forwards.action, backwards.action);
            prop_assert!(forwards.action >= bare.decide(&permission, &pattern, &[]).action);
        }

        #[test]
        fn grants_change_only_questions(rules in any_rules(6), permission in "[ab]{1,2}", pattern in "[ab]{0,3}") {
            let authority = Authority::new(rules);
            let without = authority.decide(&permission, &pattern, &[]).action;
            let with = authority.decide(&permission, &pattern, &[StoredGrant::new("*", "*", 0)]).action;
            prop_assert_eq!(with, if without == Action::Ask { Action::Allow } else { without });
        }
    }
}
