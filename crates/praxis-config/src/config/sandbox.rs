//! Containment of commands.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::surroundings::Surroundings;

/// Containment of commands: `"off"`, `"auto"` or `"required"`, or the same with settings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SandboxSetting {
    /// The mode alone.
    Mode(SandboxMode),
    /// The mode and what it means.
    Settings(Sandbox),
}

impl SandboxSetting {
    /// The settings, whichever form was written.
    pub fn settings(&self) -> Sandbox {
        match self {
            Self::Mode(mode) => Sandbox { mode: Some(*mode), ..Sandbox::default() },
            Self::Settings(settings) => settings.clone(),
        }
    }
}

/// What commands may write, read, reach and use up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Sandbox {
    /// Whether commands are contained (default `auto`).
    pub mode: Option<SandboxMode>,
    /// Files and folders commands may write, beside the project and the temporary folder; `~/` and paths from the
    /// project are fine. Every configuration file adds to it.
    pub writable: Vec<String>,
    /// Files and folders commands may read, beside the project, programs and toolchains. Every configuration file adds to it.
    pub readable: Vec<String>,
    /// Files and folders whose contents commands may not read. Every configuration file adds to it.
    pub unreadable: Vec<String>,
    /// How far the network of commands reaches (default `allow`; agents that may not edit
    /// have none).
    pub network: Option<SandboxNetwork>,
    /// Let commands talk to programs outside by Unix sockets, such as Docker, D-Bus or an SSH agent (default false).
    pub unix_sockets: Option<bool>,
    /// How much a command may use.
    pub limits: SandboxLimits,
    /// Answer questions about the commands themselves with yes, since they are contained; what rules deny stays denied,
    /// and places outside the project are still asked about (default false).
    pub auto_allow: Option<bool>,
}

impl Sandbox {
    /// The mode in force.
    pub fn mode(&self) -> SandboxMode {
        self.mode.unwrap_or(SandboxMode::Auto)
    }

    /// The network in force.
    pub fn network(&self) -> SandboxNetwork {
        self.network.unwrap_or(SandboxNetwork::Allow)
    }

    /// The further writable paths, absolute.
    pub fn writable_paths(&self, project: &Path, surroundings: &Surroundings) -> Vec<PathBuf> {
        absolute(&self.writable, project, surroundings)
    }

    /// The further readable paths, absolute.
    pub fn readable_paths(&self, project: &Path, surroundings: &Surroundings) -> Vec<PathBuf> {
        absolute(&self.readable, project, surroundings)
    }

    /// The unreadable paths, absolute.
    pub fn unreadable_paths(&self, project: &Path, surroundings: &Surroundings) -> Vec<PathBuf> {
        absolute(&self.unreadable, project, surroundings)
    }
}

fn absolute(paths: &[String], project: &Path, surroundings: &Surroundings) -> Vec<PathBuf> {
    paths.iter().map(|path| surroundings.resolve(path, project)).collect()
}

/// Whether commands are contained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxMode {
    /// They are not.
    Off,
    /// By what the system has; what it lacks is said.
    #[default]
    Auto,
    /// They are, or do not run.
    Required,
}

/// How far the network of commands reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxNetwork {
    /// As far as the user's.
    Allow,
    /// Nowhere.
    Deny,
    /// To servers that the same command starts.
    Loopback,
}

/// How much a command may use; what is absent is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SandboxLimits {
    /// Seconds of processor time, for each process.
    #[schemars(range(min = 1))]
    pub cpu_seconds: Option<u64>,
    /// Megabytes of memory, for each process.
    #[schemars(range(min = 1))]
    pub memory_mb: Option<u64>,
    /// Megabytes of the largest file.
    #[schemars(range(min = 1))]
    pub file_size_mb: Option<u64>,
    /// How many processes and threads the user may have while a command starts more.
    #[schemars(range(min = 1))]
    pub processes: Option<u64>,
}

/// Bytes of what the configuration counts in megabytes.
const MEGABYTE: u64 = 1024 * 1024;

impl SandboxLimits {
    /// The limit of memory, in bytes.
    pub fn memory_bytes(&self) -> Option<u64> {
        self.memory_mb.map(|count| count.saturating_mul(MEGABYTE))
    }

    /// The limit of a file's size, in bytes.
    pub fn file_bytes(&self) -> Option<u64> {
        self.file_size_mb.map(|count| count.saturating_mul(MEGABYTE))
    }
}
