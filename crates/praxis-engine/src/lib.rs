//! Agents and the workbench: one opened project with its configuration, its permissions and its tools.

mod agents;
mod decisions;
mod workbench;

pub use agents::{Agent, AgentError, Agents};
pub use decisions::DecisionFile;
pub use workbench::{CallSetting, OpenError, Opening, Workbench};
