//! The store as its users see it, on real files and over several processes.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod crash;
mod doctor;
mod faults;
mod lab;
mod order;
mod parts;
mod sessions;
mod transfer;
