//! Text as models and people read it; pure functions only.
//!
//! ```
//! use praxis_text::{Bound, Keep, Limits, bound};
//!
//! let long: String = (1..=100).map(|n| format!("line {n}\n")).collect();
//! let Bound::Cut(cut) = bound(&long, Limits { lines: 10, bytes: 1_000 }, Keep::Both) else { panic!() };
//! assert!(cut.head.starts_with("line 1\n") && cut.tail.ends_with("line 100\n"));
//! ```

mod bounds;
pub mod diff;
pub mod encoding;
mod endings;
mod hunk;
pub mod patch;
pub mod replace;

pub use bounds::{Bound, Cut, Keep, Limits, Unit, bound, floor_char};
pub use endings::{Ending, Unified, unify};
pub use hunk::{Hunk, apply};
