//! The program as its users type it.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod agents;
mod arrows;
mod auth;
mod bash;
mod commands;
mod config;
mod crash;
mod debug;
mod demo;
mod faults;
mod models;
mod permission;
mod places;
mod program;
mod run;
mod sandbox;
mod session;
mod shell;
mod tool;
mod trust;
mod views;

use praxis_testkit::Project;

/// An empty project with the program ready to run in it.
fn project() -> Project {
    Project::new(env!("CARGO_BIN_EXE_praxis"))
}
