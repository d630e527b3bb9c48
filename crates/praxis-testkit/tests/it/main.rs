//! The model server, seen from the other end of the wire.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod gates;
mod wires;
