//! Agents and the workbench: one opened project with its configuration, its permissions and its tools.

mod agents;
pub mod command;
mod decisions;
#[cfg(test)]
mod lab;
pub mod prompt;
pub mod prompts;
pub mod reminders;
pub mod system;
pub mod usershell;
mod workbench;

pub use agents::{Agent, AgentError, Agents};
pub use decisions::DecisionFile;
pub use workbench::{CallSetting, OpenError, Opening, Workbench};
