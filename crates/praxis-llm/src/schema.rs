//! Schemas of tools in the dialects that providers take.

pub mod gemini;
