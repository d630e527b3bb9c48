//! Holds the analysis of shell scripts against what shells do.
//!
//! `praxis-differential --scripts 1000000` makes that many scripts, reads each with [`praxis_policy::shell::analyse`], runs
//! it in a jail where programs are stubs, and fails if something happened that the analysis neither listed nor doubted.
//!
//! - `generate` makes a script of a number: from a grammar, from corpora, by mutation; its pieces are data.
//! - `world` is what a script finds: files with odd names, links, stubs for programs (`stub`), a few real ones.
//! - `jail` runs scripts in it: `keeper` starts them in namespaces of their own, `filter` and `notice` let us hear what they
//!   start and open, `event` says it in words.
//! - `check` compares, `shrink` makes a failing script short, `worker` and `run` do it many times.
//!
//! It needs Linux on x86-64, for system calls and the stub are written down in numbers.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

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

pub use run::main;
