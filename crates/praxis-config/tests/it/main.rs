//! Whole behaviour on real directories.

mod definitions;
mod instructions;
#[expect(clippy::unwrap_used, reason = "a lab that cannot be built is a failed test")]
mod lab;
mod layers;
mod legacy;
mod mistakes;
mod permissions;
mod sandbox;
mod substitution;
mod trust;
