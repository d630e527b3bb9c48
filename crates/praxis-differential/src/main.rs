//! Holds the analysis of shell scripts against what shells do.
//!
//! `praxis-differential --scripts 1000000` makes that many scripts, reads each with [`praxis_policy::shell::analyse`], runs it
//! in a jail where programs are stubs, and fails if something happened that the analysis neither listed nor doubted.

mod check;
mod event;
mod filter;
mod generate;
mod jail;
mod keeper;
mod notice;
mod options;
mod run;
mod shrink;
mod stub;
mod worker;
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    run::main()
}
