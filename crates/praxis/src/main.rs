//! The `praxis` program: reads the command line, opens the project, does one thing, says how it went.

mod cli;
mod commands;
mod opened;
mod prompt;
mod screen;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::screen::Failure;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    screen::start_log(std::env::var("PRAXIS_LOG").ok().as_deref());
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => screen::fail(&failure),
    }
}

/// How a command ends when nothing went wrong with the command itself.
type Outcome = Result<ExitCode, Failure>;
