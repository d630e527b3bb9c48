//! Whole answers and whole requests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod behaviour;
mod bodies;
mod conversations;
mod histories;
mod lab;
mod openai_answers;
mod openai_faults;
mod openai_requests;
mod openai_responses;
mod printed;
mod quoted;
mod refusals;
mod requests;
mod script;
mod served;
mod turns;
