//! Configuration files, layers, agents, commands and instructions.
//!
//! Everything the machine contributes comes in as a value, [`Surroundings`]; what goes out knows, for every
//! value and every rule, the file and line it was written on.
//!
//! ```
//! use praxis_config::{Request, Surroundings, Trust, load};
//!
//! let project = tempfile::tempdir()?;
//! std::fs::write(
//!     project.path().join("praxis.jsonc"),
//!     r#"{
//!         "permission": { "bash": { "*": "ask", "git *": "allow" } }, // the last match wins
//!     }"#,
//! )?;
//! let home = project.path().join("home").display().to_string();
//! let surroundings = Surroundings::from_env([("HOME".to_owned(), home)]);
//! let request = Request {
//!     directory: project.path().into(),
//!     worktree: project.path().into(),
//!     extra_file: None,
//!     trust: Trust::Everything,
//! };
//!
//! let loaded = load(&surroundings, &request)?;
//! assert_eq!(loaded.rules[1].pattern, "git *");
//! assert!(loaded.rules[1].to_string().ends_with("praxis.jsonc:2 `bash git *`"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod config;
mod definition;
mod frontmatter;
mod gather;
mod instructions;
mod jsonc;
mod load;
mod loaded;
mod merge;
mod node;
mod normalise;
mod owner;
mod permission;
mod problem;
mod read;
mod schema;
mod secret;
mod strictness;
mod substitute;
mod surroundings;
mod text;
mod trust;
mod worktree;

pub use config::*;
pub use instructions::{Instruction, Instructions, nearby};
pub use load::{Request, load};
pub use loaded::{Loaded, RuleSet, Source};
pub use node::{Node, Value};
pub use problem::{ConfigError, Problem, Warning};
pub use surroundings::{Dirs, Surroundings};
pub use trust::{Trust, Trusted, Want, WantKind};
pub use worktree::find_worktree;
