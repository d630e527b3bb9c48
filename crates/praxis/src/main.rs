//! The praxis program.
fn main() {}
