//! Further directories that may be read.

use schemars::JsonSchema;
use serde::Deserialize;

/// A further directory that may be read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Reference {
    /// A path or a repository address.
    Short(String),
    /// A git repository.
    Git(GitReference),
    /// A local directory.
    Local(LocalReference),
}

/// A git repository to read in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GitReference {
    /// Its address.
    pub repository: String,
    /// The branch (default: the repository's).
    pub branch: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Leave it out of lists.
    pub hidden: Option<bool>,
}

/// A local directory to read in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LocalReference {
    /// The directory.
    pub path: String,
    /// What it is for.
    pub description: Option<String>,
    /// Leave it out of lists.
    pub hidden: Option<bool>,
}
