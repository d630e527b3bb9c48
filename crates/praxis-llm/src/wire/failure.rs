//! What OpenAI's servers and their many relatives say when something fails.

use serde::Deserialize;

use super::loose::{Object, Text};
use crate::Event;

/// How much of a server's own words is passed on.
const WORDS_CAP: usize = 2_000;

/// The fields in which failures are described.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure<'a> {
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    code: Text<'a>,
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    /// FastAPI's word for it.
    #[serde(borrow)]
    detail: Text<'a>,
    /// OpenRouter's place for what the server behind it said.
    #[serde(borrow)]
    metadata: Object<Upstream<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Upstream<'a> {
    #[serde(borrow)]
    raw: Text<'a>,
}

impl Failure<'_> {
    /// Whether it describes anything.
    pub(super) fn is_told(&self) -> bool {
        self.message.filled().is_some() || self.detail.filled().is_some()
    }

    /// The event for it.
    pub(super) fn event(&self) -> Event {
        let message = self.message.filled().or_else(|| self.detail.filled());
        let code = self.code.filled().or_else(|| self.kind.filled().filter(|kind| *kind != "error"));
        let mut text = match (message, code) {
            (Some(message), _) => message.to_owned(),
            (None, Some(code)) => format!("the provider reported `{code}` and no more; try again"),
            (None, None) => "the provider reported a failure and no more; try again".to_owned(),
        };
        if let Some(raw) = self.metadata.0.as_ref().and_then(|upstream| upstream.raw.filled())
            && !text.contains(raw)
        {
            text.push_str(": ");
            text.push_str(raw);
        }
        Event::Error { message: shortened(&text), code: code.map(str::to_owned) }
    }
}

/// The event for the value of an `error` field, whatever its shape; none for null.
pub(super) fn read(error: &str) -> Option<Event> {
    if error == "null" || error == "false" {
        return None;
    }
    if let Ok(Object(Some(failure))) = serde_json::from_str::<Object<Failure<'_>>>(error) {
        return Some(failure.event());
    }
    let text = serde_json::from_str::<String>(error).unwrap_or_else(|_| error.to_owned());
    Some(Event::Error { message: shortened(&text), code: None })
}

/// The event for data that is no JSON.
pub(super) fn unreadable(data: &str) -> Event {
    const SHOWN: usize = 200;
    let shown = cut(data, SHOWN);
    let message = format!("the provider sent something that is not JSON (`{shown}`); try again");
    Event::Error { message, code: None }
}

/// The event for an answer that stops before its end.
pub(super) fn unfinished() -> Event {
    let message = "the provider's answer stopped before its end; try again".to_owned();
    Event::Error { message, code: None }
}

/// The event for an answer that breaks a rule of ours.
pub(super) fn broken(why: &dyn std::error::Error) -> Event {
    Event::Error { message: why.to_string(), code: None }
}

fn shortened(text: &str) -> String {
    cut(text, WORDS_CAP).to_owned()
}

fn cut(text: &str, cap: usize) -> &str {
    &text[..text.floor_char_boundary(cap)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str, code: Option<&str>) -> Option<Event> {
        Some(Event::Error { message: message.to_owned(), code: code.map(str::to_owned) })
    }

    #[test]
    fn failures_come_in_many_shapes() {
        let cases = [
            ("null", None),
            (r#""boom""#, error("boom", None)),
            (
                r#"{"message":"slow down","type":"requests","code":"rate_limit"}"#,
                error("slow down", Some("rate_limit")),
            ),
            (
                r#"{"message":"too long","type":"invalid_request_error","code":null}"#,
                error("too long", Some("invalid_request_error")),
            ),
            (
                r#"{"message":"Provider returned error","code":502,"metadata":{"raw":"overloaded"}}"#,
                error("Provider returned error: overloaded", Some("502")),
            ),
            (
                r#"{"code":"server_error"}"#,
                error("the provider reported `server_error` and no more; try again", Some("server_error")),
            ),
            ("{}", error("the provider reported a failure and no more; try again", None)),
            ("[1]", error("[1]", None)),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn long_words_are_cut() {
        let at_cap = format!("\"{}\"", "é".repeat(WORDS_CAP / 2));
        let beyond = format!("\"{}\"", "é".repeat(WORDS_CAP));
        assert_eq!(read(&at_cap), read(&beyond));
    }
}
