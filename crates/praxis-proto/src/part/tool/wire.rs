//! Reading a call's state in one pass.
//!
//! A derived enum would first keep every value aside until it has seen the `status`; half of a long session is calls,
//! so that is where the time of opening one goes.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Completed, Failed, Pending, RanFor, Running, Started, ToolState};
use crate::Part;
use crate::number::{maybe_whole, whole};

/// All fields that any state has.
#[derive(Deserialize)]
pub(super) struct Fields {
    status: String,
    #[serde(default)]
    input: Map<String, Value>,
    raw: Option<String>,
    output: Option<String>,
    error: Option<String>,
    title: Option<String>,
    metadata: Option<Map<String, Value>>,
    time: Option<Times>,
    attachments: Option<Vec<Part>>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Deserialize, Clone, Copy, Default)]
struct Times {
    #[serde(default, deserialize_with = "whole")]
    start: u64,
    #[serde(default, deserialize_with = "maybe_whole")]
    end: Option<u64>,
    #[serde(default, deserialize_with = "maybe_whole")]
    compacted: Option<u64>,
}

impl Fields {
    /// Texts that this state has no field for; kept, since another program meant something by them.
    fn strays(&mut self) {
        let texts = [("raw", self.raw.take()), ("output", self.output.take()), ("error", self.error.take())];
        for (name, text) in texts.into_iter().chain([("title", self.title.take())]) {
            if let Some(text) = text {
                self.extra.insert(name.to_owned(), text.into());
            }
        }
    }
}

impl TryFrom<Fields> for ToolState {
    type Error = String;

    fn try_from(mut fields: Fields) -> Result<Self, String> {
        let missing = |field: &str| format!("missing field `{field}`");
        let time = fields.time.unwrap_or_default();
        let ran =
            RanFor { start: time.start, end: time.end.unwrap_or(time.start), compacted: time.compacted };
        match fields.status.as_str() {
            "pending" => {
                let raw = fields.raw.take().unwrap_or_default();
                fields.strays();
                Ok(Self::Pending(Pending { input: fields.input, raw, extra: fields.extra }))
            }
            "running" => {
                fields.time.ok_or_else(|| missing("time"))?;
                let (title, metadata, time) =
                    (fields.title.take(), fields.metadata.take(), Started { start: time.start });
                fields.strays();
                Ok(Self::Running(Running { input: fields.input, title, metadata, time, extra: fields.extra }))
            }
            "completed" => {
                let output = fields.output.take().ok_or_else(|| missing("output"))?;
                let (title, metadata) =
                    (fields.title.take().unwrap_or_default(), fields.metadata.take().unwrap_or_default());
                fields.strays();
                let Fields { input, attachments, extra, .. } = fields;
                Ok(Self::Completed(Completed {
                    input,
                    output,
                    title,
                    metadata,
                    time: ran,
                    attachments,
                    extra,
                }))
            }
            "error" => {
                let error = fields.error.take().ok_or_else(|| missing("error"))?;
                let metadata = fields.metadata.take();
                fields.strays();
                Ok(Self::Error(Failed {
                    input: fields.input,
                    error,
                    metadata,
                    time: ran,
                    extra: fields.extra,
                }))
            }
            other => Err(format!(
                "`{other}` is no state of a call; there are pending, running, completed and error"
            )),
        }
    }
}
