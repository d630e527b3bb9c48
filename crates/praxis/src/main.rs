//! The `praxis` program: reads the command line, opens the project, does one thing, says how it went.

mod cli;
mod commands;
mod hidden;
mod opened;
mod paint;
mod prompt;
mod screen;
mod shelf;
mod signals;
mod trusting;

use std::process::ExitCode;

use clap::Parser;
use praxis_os::process::{GUARD_ARGUMENT, guard_main};

use crate::cli::Cli;
use crate::screen::Failure;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before everything else: a guard has one thread and starts in no time.
    if std::env::args_os().nth(1).is_some_and(|first| first == GUARD_ARGUMENT) {
        return guard_main();
    }
    let cli = Cli::parse();
    screen::start_log(std::env::var("PRAXIS_LOG").ok().as_deref());
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => screen::fail(&failure),
    }
}

/// How a command ends when nothing went wrong with the command itself.
type Outcome = Result<ExitCode, Failure>;
