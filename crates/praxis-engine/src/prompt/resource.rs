//! Resources of MCP servers, as far as a prompt needs them.

use praxis_tools::Boxed;

/// Reads the resources of servers; whoever holds the connections implements it.
pub trait Resources: Send + Sync {
    /// What a resource holds, or why it cannot be had.
    fn read<'a>(&'a self, server: &'a str, uri: &'a str) -> Boxed<'a, Result<Vec<ResourceContent>, String>>;
}

/// One piece of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
    /// Text.
    Text(String),
    /// Bytes of a media type.
    Blob {
        /// The media type.
        mime: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// No server is connected.
pub struct NoResources;

impl Resources for NoResources {
    fn read<'a>(&'a self, server: &'a str, _: &'a str) -> Boxed<'a, Result<Vec<ResourceContent>, String>> {
        Box::pin(async move { Err(format!("no server `{server}` is connected")) })
    }
}
