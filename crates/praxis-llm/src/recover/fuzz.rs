//! What must hold for any text.

use std::sync::Arc;

use serde_json::json;

use super::{Mode, Recover};
use crate::{Event, FinishReason, Metadata, ToolSpec, Usage};

/// Watches any text. Panics if it comes out other than it went in, unless calls were found in it, or if it matters how it
/// is cut.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for mode in [Mode::Marked, Mode::Any] {
        let (whole, called) = watched(&text, usize::MAX, mode);
        assert!(called || whole == text, "text was changed");
        assert!(text.starts_with(&whole), "text came from nowhere");
        assert_eq!((whole, called), watched(&text, 1, mode), "the cut matters");
    }
}

fn watched(text: &str, size: usize, mode: Mode) -> (String, bool) {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: Arc::from(""),
        parameters: Arc::new(json!({"properties": {"path": {"type": "string"}, "n": {"type": "integer"}}})),
    };
    let mut recover = Recover::new(&[tool("read"), tool("bash")], mode, "call");
    let (mut out, id) = (Vec::new(), || "0".to_owned());
    recover.event(Event::TextStart { id: id(), metadata: Metadata::default() }, &mut out);
    let mut rest = text;
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        recover.event(Event::TextDelta { id: id(), delta: delta.to_owned() }, &mut out);
        rest = after;
    }
    recover.event(Event::TextEnd { id: id(), metadata: Metadata::default() }, &mut out);
    let (finish_reason, usage) = (FinishReason::Stop, Usage::default());
    recover.event(Event::FinishStep { finish_reason, usage }, &mut out);
    recover.end(&mut out);

    let mut said = String::new();
    let mut called = false;
    for event in out {
        match event {
            Event::TextDelta { delta, .. } => said.push_str(&delta),
            Event::ToolCall { .. } => called = true,
            _ => {}
        }
    }
    (said, called)
}
