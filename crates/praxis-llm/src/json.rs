//! JSON as models write it: mostly right, sometimes nearly.

mod arguments;
mod fuzz;
mod repair;
mod rewrite;

pub(crate) use arguments::{Arguments, Trust, arguments};
pub use fuzz::fuzz;
pub use repair::{Ending, partial, repair};
