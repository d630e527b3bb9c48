//! The model layer: one portable request, one list of events, over every major wire format.
//!
//! A wire format is a pure pair: [`wire::Wire::lower`] writes a [`Request`] as a body, [`wire::Raise`] reads the
//! answer's bytes as [`Event`]s. Neither does I/O, so both can be tested and fuzzed without a network.
//! A [`stream::Reader`] stands between the bytes of a body and the wire. A [`turn::Chain`] does the asking: over HTTP, again
//! where that helps, and never twice for one tool call.

pub mod auth;
mod calls;
pub mod catalogue;
pub mod cost;
mod event;
pub mod failure;
pub mod json;
mod message;
pub mod normalise;
pub mod options;
pub mod provider;
pub mod recover;
mod request;
pub mod retry;
pub mod schema;
pub mod script;
mod secret;
pub mod sse;
pub mod stream;
mod target;
pub mod think;
pub mod turn;
pub mod wire;

pub use event::{Event, FinishReason, Usage};
pub use message::{AssistantPart, Media, Message, Metadata, Output, ToolResult, UserPart};
pub use request::{CachePolicy, OutputSchema, Request, Sampling, SystemBlock, ToolChoice, ToolSpec};
pub use secret::{Headers, Secret, SecretError};
pub use target::{Modality, Target};
