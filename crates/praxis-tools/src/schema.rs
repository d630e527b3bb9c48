//! Argument schemas: what a model is sent, and how what it sends back is checked.

mod fault;
mod fit;
mod inline;
mod shape;
pub mod wire;

pub use fault::Fault;
pub(crate) use fault::{describe_faults, serde_detail};
pub use shape::Shape;
