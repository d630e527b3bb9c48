//! What is wrong with arguments, and where, in words a model can act on.

use std::fmt::Write as _;

use serde_json::Value;

/// Faults told at once; more would bury the first.
const MOST_TOLD: usize = 8;
/// Characters of a wrong value that are shown. Arguments can be megabytes.
const EXCERPT: usize = 60;

/// One thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, for example `["questions"][0]["question"]`; empty for the whole.
    pub path: String,
    /// What, for example `Expected a string, got 5`.
    pub problem: String,
}

impl Fault {
    fn text(&self) -> String {
        if self.path.is_empty() { self.problem.clone() } else { format!("{} at {}", self.problem, self.path) }
    }
}

/// One step from a value to a part of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The way from the whole to a part, kept on the stack and written only when there is something to tell.
#[derive(Clone, Copy)]
pub(super) struct Trail<'a> {
    parent: Option<&'a Trail<'a>>,
    step: Option<Step<'a>>,
}

impl<'a> Trail<'a> {
    pub(super) const ROOT: Trail<'static> = Trail { parent: None, step: None };

    pub(super) fn then(&'a self, step: Step<'a>) -> Trail<'a> {
        Trail { parent: Some(self), step: Some(step) }
    }

    pub(super) fn write(&self) -> String {
        let mut text = self.parent.map(Trail::write).unwrap_or_default();
        match self.step {
            Some(Step::Key(key)) => text.push_str(&bracket(key)),
            Some(Step::Index(index)) => {
                let _ = write!(text, "[{index}]");
            }
            None => {}
        }
        text
    }
}

fn bracket(key: &str) -> String {
    format!("[{}]", Value::from(excerpt_text(key)))
}

/// All faults in one line.
pub(crate) fn describe_faults(faults: &[Fault]) -> String {
    let mut told: Vec<String> = faults.iter().take(MOST_TOLD).map(Fault::text).collect();
    if faults.len() > MOST_TOLD {
        told.push(format!("and {} more", faults.len() - MOST_TOLD));
    }
    told.join("; ")
}

/// What serde found that the schema had let pass.
pub(crate) fn serde_detail(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    use serde_path_to_error::Segment;
    let path: String = error
        .path()
        .iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("[{index}]"),
            Segment::Map { key } => bracket(key),
            Segment::Enum { variant } => bracket(variant),
            Segment::Unknown => String::new(),
        })
        .collect();
    Fault { path, problem: error.inner().to_string() }.text()
}

/// A value, short.
pub(super) fn excerpt(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => Value::from(excerpt_text(text)).to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn excerpt_text(text: &str) -> String {
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
