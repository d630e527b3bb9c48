//! One table of samples, and what must hold for each of them.

mod binary;
mod changes;
mod detection;
mod samples;
