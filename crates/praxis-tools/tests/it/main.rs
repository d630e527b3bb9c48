//! The tool system as its users meet it: through a registry, with real files and a real desk.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod builtins;
mod calls;
mod example;
mod lab;
mod permissions;
mod registry;
