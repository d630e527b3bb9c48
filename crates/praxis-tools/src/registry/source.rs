//! Where tools come from. A source is asked when tools are resolved, not before, and breaks alone.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::Problem;
use crate::{AnyTool, Boxed, Tool, Typed};

/// How long one source may take to say what it has.
const DEADLINE: Duration = Duration::from_secs(30);

/// What kind of source it is; later kinds win over earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// Praxis' own tools.
    BuiltIn,
    /// Files of the user or the project.
    Custom,
    /// Plugins.
    Plugin,
    /// MCP servers.
    Mcp,
}

/// Why a source has no tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceFailure(pub String);

/// The tools of a source, or why there are none.
pub type Loaded = Result<Vec<Arc<dyn AnyTool>>, SourceFailure>;

/// Something that has tools.
pub trait Source: Send + Sync {
    /// What people know it as.
    fn name(&self) -> &str;

    /// What kind it is.
    fn kind(&self) -> SourceKind;

    /// Its tools at this moment. Starts whatever it needs at the first call and keeps it.
    fn tools(&self) -> Boxed<'_, Loaded>;
}

/// A source with a list of tools that never changes.
pub struct Fixed {
    name: String,
    kind: SourceKind,
    tools: Vec<Arc<dyn AnyTool>>,
}

impl Fixed {
    /// An empty list.
    pub fn new(name: impl Into<String>, kind: SourceKind) -> Self {
        Self { name: name.into(), kind, tools: Vec::new() }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(self, tool: impl Tool) -> Self {
        self.any(Typed::new(tool))
    }

    /// Adds a tool whose schema is only known at run time.
    #[must_use]
    pub fn any(mut self, tool: impl AnyTool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }
}

impl Source for Fixed {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        self.kind
    }

    fn tools(&self) -> Boxed<'_, Loaded> {
        Box::pin(std::future::ready(Ok(self.tools.clone())))
    }
}

/// A tool and the kind of its source.
pub(super) struct Entry {
    pub(super) tool: Arc<dyn AnyTool>,
    pub(super) kind: SourceKind,
}

/// Asks all sources at once; one that fails, hangs or panics becomes a problem and the others are not touched.
pub(super) async fn load_all(sources: &[Arc<dyn Source>]) -> (Vec<Entry>, Vec<Problem>) {
    let mut loading = JoinSet::new();
    let mut loaded: Vec<Option<Loaded>> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        if source.kind() == SourceKind::BuiltIn {
            loaded.push(Some(source.tools().await));
            continue;
        }
        loaded.push(None);
        let source = Arc::clone(source);
        loading.spawn(async move {
            let tools = tokio::time::timeout(DEADLINE, source.tools()).await;
            (
                index,
                tools.unwrap_or_else(|_| Err(SourceFailure(format!("gave no answer within {DEADLINE:?}")))),
            )
        });
    }
    while let Some(finished) = loading.join_next().await {
        if let Ok((index, tools)) = finished {
            loaded[index] = Some(tools);
        }
    }

    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for (source, tools) in sources.iter().zip(loaded) {
        // A task that left no result panicked.
        match tools.unwrap_or_else(|| Err(SourceFailure("crashed while loading".to_owned()))) {
            Ok(tools) => entries.extend(tools.into_iter().map(|tool| Entry { tool, kind: source.kind() })),
            Err(failure) => {
                tracing::warn!(source = source.name(), %failure, "a source of tools is broken");
                problems.push(Problem { source: source.name().to_owned(), failure: failure.0 });
            }
        }
    }
    (entries, problems)
}
