//! One permission of an authority, made ready for very many questions.

use praxis_proto::{Action, Rule};

use crate::{Authority, StoredGrant, wildcard};

/// A name that no rule has in mind: what is said of it is said of everything that is not named.
const UNNAMED: &str = "\u{1}";

/// What an authority says about one permission, without the reasons: for walks over whole projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    layers: Vec<Layer>,
    granted: Vec<String>,
}

/// The patterns of one set of rules, and what it says where none fits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    patterns: Vec<(String, Action)>,
    otherwise: Action,
}

impl Layer {
    fn of(permission: &str, rules: &[Rule], otherwise: Action) -> Self {
        let named = rules.iter().filter(|rule| wildcard::matches(permission, &rule.permission));
        Self { patterns: named.map(|rule| (rule.pattern.clone(), rule.action)).collect(), otherwise }
    }

    fn action(&self, name: &str) -> Action {
        let last = self.patterns.iter().rev().find(|(pattern, _)| wildcard::matches(name, pattern));
        last.map_or(self.otherwise, |(_, action)| *action)
    }
}

impl Authority {
    /// Takes out what is said about one permission; `grants` turn questions into a yes.
    pub fn lens(&self, permission: &str, grants: &[StoredGrant]) -> Lens {
        let own = Layer::of(permission, self.rules(), Action::Ask);
        let above = self.ceilings().iter().map(|ceiling| ceiling.layer(permission));
        let granted = grants.iter().filter(|grant| wildcard::matches(permission, &grant.permission));
        Lens {
            layers: [own].into_iter().chain(above).collect(),
            granted: granted.map(|grant| grant.pattern.clone()).collect(),
        }
    }
}

impl crate::Ceiling {
    fn layer(&self, permission: &str) -> Layer {
        Layer::of(permission, self.rules(), self.otherwise())
    }
}

impl Lens {
    /// What is said about a resource: the strictest of the rules and every ceiling.
    pub fn action(&self, name: &str) -> Action {
        let strictest = self.layers.iter().map(|layer| layer.action(name)).max().unwrap_or(Action::Ask);
        let granted = || self.granted.iter().any(|pattern| wildcard::matches(name, pattern));
        if strictest == Action::Ask && granted() { Action::Allow } else { strictest }
    }

    /// What is said about everything that no rule names.
    pub fn usual(&self) -> Action {
        self.action(UNNAMED)
    }

    /// Whether something may be said that is stricter than the usual.
    pub fn has_exceptions(&self) -> bool {
        let usual = self.usual();
        self.layers.iter().any(|layer| layer.patterns.iter().any(|(_, action)| *action > usual))
    }

    /// Whether what is said about everything below a folder is stricter than the usual.
    pub fn excepts_folder(&self, folder: &str) -> bool {
        self.action(&format!("{folder}/{UNNAMED}")) > self.usual()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Ceiling;

    fn rule(permission: &str, pattern: &str, action: Action) -> Rule {
        Rule::built_in("test", permission, pattern, action)
    }

    #[test]
    fn exceptions_are_what_is_stricter_than_the_usual() {
        let rules = vec![
            rule("*", "*", Action::Allow),
            rule("read", "*.env", Action::Ask),
            rule("read", "secret/*", Action::Deny),
            rule("edit", "*", Action::Deny),
        ];
        let read = Authority::new(rules.clone()).lens("read", &[]);
        assert_eq!((read.usual(), read.has_exceptions()), (Action::Allow, true));
        assert_eq!(
            [".env", "a", "secret/a"].map(|name| read.action(name)),
            [Action::Ask, Action::Allow, Action::Deny]
        );
        assert!(read.excepts_folder("secret") && !read.excepts_folder("src"));
        let granted = Authority::new(rules.clone()).lens("read", &[StoredGrant::new("read", ".env", 0)]);
        assert_eq!((granted.action(".env"), granted.action("a/.env")), (Action::Allow, Action::Ask));
        assert_eq!(Authority::new(rules).lens("edit", &[]).usual(), Action::Deny);
    }

    proptest! {
        /// A lens says what the authority says.
        #[test]
        fn a_lens_agrees_with_its_authority(
            rules in prop::collection::vec(("[ab*]{1,2}", "[ab*?]{0,3}", 0..3_usize), 0..6),
            ceiling in prop::collection::vec(("[ab*]{1,2}", "[ab*?]{0,3}", 0..3_usize), 0..4),
            permission in "[ab]{1,2}", name in "[ab]{0,3}",
        ) {
            let actions = [Action::Allow, Action::Ask, Action::Deny];
            let made = |rules: &[(String, String, usize)]| -> Vec<Rule> {
                rules.iter().map(|(p, t, a)| rule(p, t, actions[*a])).collect()
            };
            let authority = Authority::new(made(&rules)).under(Ceiling::new("c", made(&ceiling)));
            prop_assert_eq!(
                authority.lens(&permission, &[]).action(&name),
                authority.decide(&permission, &name, &[]).action
            );
        }
    }
}
