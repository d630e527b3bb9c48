//! How commands are run.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

/// How the shell tool runs commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ShellTool {
    /// How long a command may take unless the model says otherwise, in milliseconds (default 120000).
    #[schemars(range(min = 1, max = 3_600_000))]
    pub timeout_ms: Option<u64>,
    /// What happens to a command that takes longer: it is stopped (default), or goes on in the background as a job.
    pub on_timeout: Option<OnTimeout>,
    /// What commands see of the environment.
    pub environment: ShellEnvironment,
}

/// What happens to a command that passes its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// It is stopped.
    Stop,
    /// It goes on as a job.
    Background,
}

/// What commands see of the environment. Keys of model providers are left out unless `keep` names them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ShellEnvironment {
    /// Variables that stay although they hold a key.
    pub keep: Vec<String>,
    /// Variables that commands do not see.
    pub drop: Vec<String>,
    /// Variables that are set.
    pub set: IndexMap<String, String>,
}
