//! Schemas of tools in the dialects that providers take.

pub mod gemini;
pub mod moonshot;
pub mod openai;
pub mod strict;

/// How deep a schema may nest for OpenAI and Moonshot; what lies deeper is sent as "anything".
const DEPTH_CAP: usize = 64;
