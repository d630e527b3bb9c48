//! Agents, the workbench and the engine: one opened project, and the sessions in it.
//!
//! A [`Workbench`] is a project with its configuration, its permissions and its tools. An [`Engine`] runs sessions on
//! it: a prompt becomes a user message, a model is asked, its calls run, and so on until it has nothing more to say.

mod agents;
mod changes;
pub mod command;
mod decisions;
mod doom;
mod engine;
mod environment;
mod failures;
pub mod fork;
mod history;
mod hooks;
#[cfg(test)]
mod lab;
mod lanes;
mod model;
mod outcome;
mod processor;
pub mod prompt;
pub mod prompts;
mod queue;
mod record;
pub mod reminders;
mod run;
mod runner;
mod snapshots;
mod structured;
pub mod system;
mod title;
mod todos;
pub mod usershell;
mod workbench;

pub use agents::{Agent, AgentError, Agents};
pub use decisions::DecisionFile;
pub use engine::{CommandPrompt, Engine, EngineParts, NewSession, ShellPrompt, answer_text};
pub use hooks::{Asking, Compacting, Params, SessionHooks, TextPlace};
pub use model::{ModelError, Models, SCRIPTED};
pub use outcome::{Ended, EngineError, Limit, Limits, Outcome};
pub use snapshots::{NoSnapshots, Snapshots};
pub use workbench::{CallSetting, OpenError, Opening, Workbench};
