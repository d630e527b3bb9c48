//! `kill -9` of a whole run: at every kind of event, and at random moments.

pub(crate) mod kept;
mod lab;
mod moments;
mod random;
mod requests;
