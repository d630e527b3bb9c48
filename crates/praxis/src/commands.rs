//! One module for each command.

mod agent;
mod auth;
mod command;
mod config;
mod debug;
mod demo;
mod doctor;
mod models;
mod permission;
mod run;
mod session;
mod shell;
mod stats;
mod tool;
mod trust;

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::Outcome;
use crate::cli::{Cli, Command};
use crate::screen::Failure;

pub(crate) fn run(cli: Cli) -> Outcome {
    match cli.command {
        Command::Run(arguments) => in_runtime(run::run(*arguments)),
        Command::Demo => in_runtime(demo::run()),
        Command::Tool(command) => in_runtime(tool::run(command)),
        Command::Permission(command) => permission::run(command),
        Command::Config(command) => config::run(command),
        Command::Trust(command) => trust::run(command),
        Command::Agent(command) => agent::run(command),
        Command::Slash(command) => command::run(command),
        Command::Shell(command) => shell::run(command),
        Command::Doctor { place, json } => in_runtime(async move { doctor::run(&place, json).await }),
        Command::Models(arguments) => in_runtime(models::run(arguments)),
        Command::Auth(command) => auth::run(command),
        Command::Session(command) => in_runtime(session::run(command)),
        Command::Stats(arguments) => in_runtime(stats::run(arguments)),
        Command::Debug(command) => debug::run(command),
        Command::Completion { shell } => completion(shell),
    }
}

/// One worker beside this thread: what streams in is handled where it is read, without waking another. Whatever takes
/// long is on threads of its own, and so is listening for Ctrl-C.
fn in_runtime(work: impl Future<Output = Outcome>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|e| Failure::work(format!("could not start the runtime: {e}")))?;
    let outcome = runtime.block_on(work);
    // A read from a terminal cannot be taken back; the process ends without waiting for it.
    runtime.shutdown_background();
    outcome
}

fn completion(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "praxis", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
