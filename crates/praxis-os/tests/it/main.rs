//! Behaviour against the real kernel.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(target_os = "linux")]

mod lab;
mod sandbox;
