//! A run for programs: one JSON object a line on stdout, and nothing else there.

use std::io::{self, Write};

use praxis_proto::{Failure, Part, PartBody, PermissionRequest, ReplyKind, Session, SessionId, Tokens};
use praxis_tools::{Clock, system_clock};
use serde::Serialize;
use serde_json::{Value, json};

use super::kept::Kept;
use super::view::{By, Ending, Sums, View};

/// One line. The first three fields, and `part` or `error` behind them, are as OpenCode's programs expect them.
#[derive(Serialize)]
struct Line<'a, T: Serialize> {
    r#type: &'a str,
    timestamp: u64,
    #[serde(rename = "sessionID")]
    session: &'a SessionId,
    #[serde(flatten)]
    payload: T,
}

#[derive(Serialize)]
struct PartPayload<'a> {
    part: &'a Part,
}

/// The run as JSON lines.
pub(super) struct Json {
    thinking: bool,
    session: SessionId,
    clock: Clock,
    kept: Kept,
    /// What went wrong last.
    trouble: Option<Failure>,
}

impl Json {
    pub(super) fn new(thinking: bool) -> Self {
        let session = SessionId::from_raw("");
        Self { thinking, session, clock: system_clock(), kept: Kept::default(), trouble: None }
    }

    fn line(&mut self, kind: &str, payload: impl Serialize) -> io::Result<()> {
        let line = Line { r#type: kind, timestamp: (self.clock)(), session: &self.session, payload };
        serde_json::to_writer(&mut self.kept, &line)?;
        self.kept.write_all(b"\n")?;
        self.kept.bound()
    }
}

impl View for Json {
    fn begin(&mut self, session: &Session) -> io::Result<()> {
        self.session = session.id.clone();
        self.line("session_start", json!({ "session": session }))?;
        self.flush()
    }

    fn settled(&mut self, part: &Part) -> io::Result<()> {
        let kind = match &part.body {
            PartBody::StepStart(_) => "step_start",
            PartBody::Text(_) => "text",
            PartBody::Reasoning(_) if self.thinking => "reasoning",
            PartBody::Tool(_) => "tool_use",
            PartBody::StepFinish(_) => "step_finish",
            PartBody::Patch(_) => "patch",
            _ => return Ok(()),
        };
        self.line(kind, PartPayload { part })
    }

    fn trouble(&mut self, failure: &Failure) -> io::Result<()> {
        self.trouble = Some(failure.clone());
        self.line("error", json!({ "error": failure }))
    }

    fn refused(&mut self, failure: &Failure, code: u8) -> io::Result<()> {
        if self.trouble.as_ref() != Some(failure) {
            self.trouble(failure)?;
        }
        let tokens = Tokens::default();
        self.line(
            "result",
            json!({ "text": "", "finish": null, "steps": 0, "cost": 0.0, "tokens": tokens, "exit": code }),
        )
    }

    fn answered(&mut self, request: &PermissionRequest, reply: ReplyKind, _: By) -> io::Result<()> {
        self.line("permission", json!({ "permission": request, "reply": reply }))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.kept.flush()
    }

    fn end(&mut self, ending: Ending<'_>, sums: &Sums) -> io::Result<()> {
        let Ending { came, code, .. } = ending;
        let message = came.message.as_ref();
        let mut result = json!({ "text": sums.text });
        if let Some(structured) = message.and_then(|message| message.structured.as_ref()) {
            result["structured"] = structured.clone();
        }
        result["finish"] =
            message.and_then(|message| message.finish.clone()).map_or(Value::Null, Value::from);
        result["steps"] = came.steps.into();
        result["cost"] = came.cost.into();
        result["tokens"] = json!(sums.tokens);
        result["exit"] = code.into();
        self.line("result", result)
    }
}
