//! The tool system as its users meet it: through a registry, with real files and a real desk.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod builtins;
mod calls;
mod encodings;
mod example;
mod files;
mod hooks;
mod jobs;
mod lab;
mod patches;
mod permissions;
mod registry;
mod search;
