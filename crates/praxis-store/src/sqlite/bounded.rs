//! Encoding that never makes a big row: what does not fit is taken apart first.

use std::io::{self, Write};

use praxis_proto::PartBody;
use serde::Serialize;

use super::blobs::{self, INLINE, Spilled};
use crate::StoreError;

/// Text of at most so many bytes; more is an error.
struct Small(Vec<u8>);

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > INLINE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The JSON for a row, and the big texts that do not go into it.
pub(crate) fn encode(value: &impl Serialize) -> serde_json::Result<(String, Vec<Spilled>)> {
    let mut small = Small(Vec::with_capacity(512));
    match serde_json::to_writer(&mut small, value) {
        Ok(()) => Ok((text(small), Vec::new())),
        Err(e) if e.is_io() => serde_json::to_value(value).map(apart),
        Err(e) => Err(e),
    }
}

/// The same for the fields of a part.
pub(crate) fn encode_body(body: &PartBody) -> serde_json::Result<(String, Vec<Spilled>)> {
    let mut small = Small(Vec::with_capacity(512));
    match body.encode(&mut small) {
        Ok(()) => Ok((text(small), Vec::new())),
        Err(e) if e.is_io() => body.fields().map(apart),
        Err(e) => Err(e),
    }
}

fn apart(mut value: serde_json::Value) -> (String, Vec<Spilled>) {
    let spilled = blobs::spill(&mut value);
    (value.to_string(), spilled)
}

/// JSON is UTF-8 as serde writes it.
fn text(small: Small) -> String {
    String::from_utf8(small.0).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

pub(crate) fn not_json(id: &str, error: &serde_json::Error) -> StoreError {
    StoreError::Invalid(format!("`{id}` cannot be written as JSON: {error}"))
}
