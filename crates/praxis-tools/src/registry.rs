//! Which tools there are, which of them a model is offered at this moment, and how one is called.

mod call;
mod offer;
mod repair;
mod scene;
mod source;

use std::sync::Arc;

pub use call::Done;
pub use offer::{Definition, Offer, Offered, Problem};
pub use scene::{Client, ModelRef, Reach, Scene, Switches, Withheld};
pub use source::{Fixed, Loaded, Source, SourceFailure, SourceKind};

use crate::{Guard, Hooks, OutputStore};

/// All sources of tools of one project, with what surrounds every call.
pub struct Registry {
    sources: Vec<Arc<dyn Source>>,
    hooks: Vec<Arc<Guard<dyn Hooks>>>,
    outputs: OutputStore,
}

impl Registry {
    /// A registry without tools.
    pub fn new(outputs: OutputStore) -> Self {
        Self { sources: Vec::new(), hooks: Vec::new(), outputs }
    }

    /// Adds a source. Nothing is started before tools are resolved.
    #[must_use]
    pub fn with(mut self, source: impl Source + 'static) -> Self {
        self.sources.push(Arc::new(source));
        // Among tools of one name the last wins: ours, then the user's, then plugins', then servers'.
        self.sources.sort_by_key(|source| source.kind());
        self
    }

    /// Adds an extension.
    #[must_use]
    pub fn hooked(mut self, hooks: Arc<Guard<dyn Hooks>>) -> Self {
        self.hooks.push(hooks);
        self
    }

    /// Where long outputs go.
    pub fn outputs(&self) -> &OutputStore {
        &self.outputs
    }

    /// The names of all tools of all sources, in order and with repetitions; a broken source has none.
    pub async fn ids(&self) -> Vec<String> {
        let (entries, _) = source::load_all(&self.sources).await;
        entries.iter().map(|entry| entry.tool.name().to_owned()).collect()
    }

    /// The tools for this model and agent, fixed for one turn.
    pub async fn resolve(&self, scene: &Scene) -> Offer {
        let (entries, problems) = source::load_all(&self.sources).await;
        Offer::compose(entries, problems, scene, &self.hooks, &self.outputs).await
    }
}
