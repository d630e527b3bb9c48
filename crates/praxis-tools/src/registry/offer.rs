//! The tools of one turn. What was offered is what is called, even if a source changes meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::repair::repair;
use super::source::Entry;
use super::{Scene, SourceKind, Withheld};
use crate::builtin::INVALID;
use crate::{AnyTool, Guard, Hooks, OutputStore};

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// The text.
    pub description: String,
    /// The schema of its arguments.
    pub parameters: Value,
}

/// A source that has no tools this time, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The source.
    pub source: String,
    /// Why.
    pub failure: String,
}

/// A tool as it is offered.
#[derive(Clone)]
pub struct Offered {
    pub(crate) tool: Arc<dyn AnyTool>,
    /// Where it comes from.
    pub kind: SourceKind,
    /// What the model is told.
    pub definition: Definition,
}

/// A snapshot of the tools for one model and agent. Cheap to clone.
#[derive(Clone)]
pub struct Offer {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    tools: BTreeMap<String, Offered>,
    withheld: BTreeMap<String, Withheld>,
    problems: Vec<Problem>,
    pub(super) hooks: Vec<Arc<Guard<dyn Hooks>>>,
    pub(super) outputs: OutputStore,
}

impl Offer {
    pub(super) async fn compose(
        entries: Vec<Entry>,
        mut problems: Vec<Problem>,
        scene: &Scene,
        hooks: &[Arc<Guard<dyn Hooks>>],
        outputs: &OutputStore,
    ) -> Self {
        let (mut tools, mut withheld) = (BTreeMap::new(), BTreeMap::new());
        for Entry { tool, kind } in entries {
            let name = tool.name().to_owned();
            // What is decided about a name replaces what was decided about an earlier tool of that name.
            tools.remove(&name);
            withheld.remove(&name);
            if !is_name(&name) {
                let failure =
                    "its name is not one: use a letter, then letters, digits, `_` or `-`, 64 at most"
                        .to_owned();
                problems.push(Problem { source: name, failure });
            } else if let Some(why) = scene.withholds(&name, kind) {
                withheld.insert(name, why);
            } else {
                let definition = define(&*tool, scene, hooks).await;
                tools.insert(name, Offered { tool, kind, definition });
            }
        }
        let (hooks, outputs) = (hooks.to_vec(), outputs.clone());
        Self { inner: Arc::new(Inner { tools, withheld, problems, hooks, outputs }) }
    }

    /// What the model is sent: every tool but `invalid`, sorted by name.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.inner
            .tools
            .values()
            .map(|offered| &offered.definition)
            .filter(|definition| definition.name != INVALID)
    }

    /// One tool by its exact name.
    pub fn get(&self, name: &str) -> Option<&Offered> {
        self.inner.tools.get(name)
    }

    /// The tool that a name means, also a slightly wrong one.
    pub fn understand(&self, name: &str) -> Option<&str> {
        repair(name, self.names())
    }

    /// The names a model may use, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.inner.tools.keys().map(String::as_str).filter(|name| *name != INVALID)
    }

    /// Why a tool that exists is not offered.
    pub fn withheld(&self, name: &str) -> Option<Withheld> {
        self.inner.withheld.get(name).copied()
    }

    /// Sources that are broken.
    pub fn problems(&self) -> &[Problem] {
        &self.inner.problems
    }
}

async fn define(tool: &dyn AnyTool, scene: &Scene, hooks: &[Arc<Guard<dyn Hooks>>]) -> Definition {
    let mut definition = Definition {
        name: tool.name().to_owned(),
        description: tool.description(scene),
        parameters: tool.schema().clone(),
    };
    for hook in hooks {
        let mut draft = definition.clone();
        if hook.attempt("tool.definition", None, |hook| hook.definition(&mut draft)).await.is_some() {
            // Whatever it is told to be, it is called by its own name.
            definition = Definition { name: definition.name, ..draft };
        }
    }
    definition
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= 64
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
