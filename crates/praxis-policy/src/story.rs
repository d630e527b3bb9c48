//! Why an act is allowed, asked about or denied, told step by step.

use praxis_proto::{Action, Rule};
use serde::Serialize;

use crate::{Authority, Decision, StoredGrant, wildcard};

/// What one ceiling said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CeilingStep {
    /// The ceiling.
    pub name: String,
    /// The strictest it leaves.
    pub limit: Action,
    /// The rule that says so, if one does.
    pub rule: Option<Rule>,
}

/// Everything that had a say in one decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Story {
    /// Which permission.
    pub permission: String,
    /// Which resource.
    pub pattern: String,
    /// Every rule that matches, in order: the last decides.
    pub matching: Vec<Rule>,
    /// Every ceiling, whether it decided or not.
    pub ceilings: Vec<CeilingStep>,
    /// Every stored grant that speaks of the act.
    pub grants: Vec<StoredGrant>,
    /// The verdict.
    pub decision: Decision,
}

impl Authority {
    /// Tells how a decision comes about.
    pub fn explain(&self, permission: &str, pattern: &str, grants: &[StoredGrant]) -> Story {
        let matching = self
            .rules()
            .iter()
            .filter(|rule| {
                wildcard::matches(permission, &rule.permission) && wildcard::matches(pattern, &rule.pattern)
            })
            .cloned()
            .collect();
        let ceilings = self
            .ceilings()
            .iter()
            .map(|ceiling| {
                let (limit, rule) = ceiling.limit(permission, pattern);
                CeilingStep { name: ceiling.name().to_owned(), limit, rule: rule.cloned() }
            })
            .collect();
        Story {
            permission: permission.to_owned(),
            pattern: pattern.to_owned(),
            matching,
            ceilings,
            grants: grants.iter().filter(|grant| grant.allows(permission, pattern)).cloned().collect(),
            decision: self.decide(permission, pattern, grants),
        }
    }
}
