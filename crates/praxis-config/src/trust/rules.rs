//! The rules of a project's configuration: what they allow, and what narrows that.

use std::collections::BTreeSet;

use praxis_proto::Action;

use super::{Want, WantKind, hash};
use crate::node::{Node, Value};

/// The rules of all project layers in their order.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<Line>);

#[derive(Debug)]
struct Line {
    /// The agent it is for; none is everybody.
    agent: Option<String>,
    /// A want, or what narrows wants before it.
    word: Word,
}

#[derive(Debug)]
enum Word {
    Allows(Want),
    Narrows(String),
    /// Narrows, wherever it stands.
    Always(String),
}

impl Lines {
    /// Takes the rules of a `permission` value. What is no rule is left to the checks.
    pub(super) fn rules(&mut self, agent: Option<&str>, node: &Node) {
        match &node.value {
            Value::Object(entries) => {
                for (permission, entry) in entries {
                    match &entry.value {
                        Value::Object(patterns) => patterns
                            .iter()
                            .for_each(|(pattern, action)| self.rule(agent, permission, pattern, action)),
                        _ => self.rule(agent, permission, "*", entry),
                    }
                }
            }
            _ => self.rule(agent, "*", "*", node),
        }
    }

    fn rule(&mut self, agent: Option<&str>, permission: &str, pattern: &str, node: &Node) {
        let Some(action) = node.as_str().and_then(Action::parse) else { return };
        let word = match action {
            Action::Allow => Word::Allows(allows(agent, permission, pattern, node)),
            Action::Ask | Action::Deny => Word::Narrows(line(agent, permission, pattern, action.as_str())),
        };
        self.push(agent, word);
    }

    /// Takes the older switches. They lie under the rules, so one that is off narrows only what no rule allows.
    pub(super) fn switches(&mut self, agent: Option<&str>, node: &Node) {
        for (tool, switch) in node.as_object().into_iter().flatten() {
            let word = match switch.value {
                Value::Bool(true) => Word::Allows(allows(agent, tool, "*", switch)),
                Value::Bool(false) => Word::Always(line(agent, tool, "*", "off")),
                _ => continue,
            };
            self.push(agent, word);
        }
    }

    /// Something else that narrows what rules allow.
    pub(super) fn narrowed_by(&mut self, what: String) {
        self.push(None, Word::Always(what));
    }

    fn push(&mut self, agent: Option<&str>, word: Word) {
        self.0.push(Line { agent: agent.map(str::to_owned), word });
    }

    /// The wants, each with what narrows it.
    pub(super) fn wants(self) -> Vec<Want> {
        let mut wants = Vec::new();
        let narrowing: Vec<(usize, Option<&str>, &str, bool)> = self
            .0
            .iter()
            .enumerate()
            .filter_map(|(at, line)| match &line.word {
                Word::Allows(_) => None,
                Word::Narrows(text) => Some((at, line.agent.as_deref(), text.as_str(), false)),
                Word::Always(text) => Some((at, line.agent.as_deref(), text.as_str(), true)),
            })
            .collect();
        for (at, line) in self.0.iter().enumerate() {
            let Word::Allows(want) = &line.word else { continue };
            let except: BTreeSet<String> = narrowing
                .iter()
                .filter(|(behind, agent, _, always)| match (line.agent.as_deref(), agent) {
                    (None, None) => *always || *behind > at,
                    // The rules of an agent come behind those for everybody, wherever they are written.
                    (None, Some(_)) => true,
                    (Some(own), Some(agent)) => own == *agent && (*always || *behind > at),
                    (Some(_), None) => *always,
                })
                .map(|(_, _, text, _)| (*text).to_owned())
                .collect();
            wants.push(Want { except, ..want.clone() });
        }
        wants
    }
}

fn allows(agent: Option<&str>, permission: &str, pattern: &str, node: &Node) -> Want {
    let who = agent.map(|agent| format!(", for the agent `{agent}`")).unwrap_or_default();
    Want {
        kind: WantKind::Allow,
        text: crate::problem::harmless(&format!("{permission} `{pattern}`{who}")),
        origin: node.origin.clone(),
        hash: hash(&["allow", agent.unwrap_or("*"), permission, pattern]),
        except: BTreeSet::new(),
    }
}

fn line(agent: Option<&str>, permission: &str, pattern: &str, action: &str) -> String {
    format!("{} {permission} {pattern} {action}", agent.unwrap_or("*"))
}
