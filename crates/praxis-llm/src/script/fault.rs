//! What can go wrong with an answer.

use super::fields::{Fields, list, word};
use super::tree::{Node, ScriptError, Value};

/// The most bytes after which something goes wrong.
const MOST_BYTES: u64 = 1 << 30;
/// The longest time to wait before trying again, in the unit given.
const MOST_RETRY: u64 = 1 << 40;

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// An HTTP error.
    Status {
        /// The status.
        status: u16,
        /// What the provider says; put into the body as its format has it.
        message: String,
        /// The body as it is, instead.
        body: Option<String>,
        /// More headers.
        headers: Vec<(String, String)>,
        /// When to try again.
        retry_after: Option<RetryAfter>,
    },
    /// An error in mid-stream, behind what the turn says.
    Error {
        /// What happened.
        message: String,
        /// The provider's code.
        code: Option<String>,
    },
    /// The connection goes after so many bytes.
    Cut(usize),
    /// After so many bytes nothing more comes, and the connection stays.
    Stall(usize),
    /// After so many bytes come some that mean nothing.
    Garbage(usize),
    /// The answer has another content type.
    ContentType(String),
    /// A web page instead of an answer.
    Html,
    /// The connection closes without an answer.
    Close,
    /// A TLS alert on a plain port.
    Tls,
}

/// When to try again, in each form that a header can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// `retry-after`, in seconds.
    Seconds(u64),
    /// `retry-after` as a date, so many seconds from now.
    Date(u64),
    /// `retry-after-ms`.
    Milliseconds(u64),
}

impl Fault {
    /// An HTTP error.
    pub fn status(status: u16, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Status { status, message, body: None, headers: Vec::new(), retry_after: None }
    }

    /// An error in mid-stream.
    pub fn error(message: impl Into<String>, code: impl Into<String>) -> Self {
        Self::Error { message: message.into(), code: Some(code.into()) }
    }
}

const STATUS: &[&str] =
    &["status", "message", "headers", "body", "retry_after_seconds", "retry_after_date", "retry_after_ms"];
const OTHERS: &[&str] =
    &["error", "code", "cut_after_bytes", "stall_after_bytes", "garbage_after_bytes", "content_type"];
const WORDS: &[(&str, Word)] = &[
    ("cut", Word::Cut),
    ("stall", Word::Stall),
    ("garbage", Word::Garbage),
    ("html", Word::Html),
    ("close", Word::Close),
    ("tls", Word::Tls),
];

#[derive(Clone, Copy)]
enum Word {
    Cut,
    Stall,
    Garbage,
    Html,
    Close,
    Tls,
}

pub(super) fn read(node: &Node) -> Result<Fault, ScriptError> {
    if let Value::Text(_) = node.value {
        return Ok(match word(node, WORDS)? {
            Word::Cut => Fault::Cut(0),
            Word::Stall => Fault::Stall(0),
            Word::Garbage => Fault::Garbage(0),
            Word::Html => Fault::Html,
            Word::Close => Fault::Close,
            Word::Tls => Fault::Tls,
        });
    }
    let fields = Fields::of(node, "`fail`", &[STATUS, OTHERS].concat())?;
    let heads =
        ["status", "error", "cut_after_bytes", "stall_after_bytes", "garbage_after_bytes", "content_type"];
    let [head] = heads.into_iter().filter(|head| fields.get(head).is_some()).collect::<Vec<_>>()[..] else {
        return Err(node.place.error(format!("`fail` needs exactly one of {}", list(&heads))));
    };
    for (name, owner) in STATUS.iter().map(|name| (*name, "status")).chain([("code", "error")]) {
        if owner != head && fields.get(name).is_some() {
            return Err(node.place.error(format!("`{name}` goes with `{owner}` and not with `{head}`")));
        }
    }
    let bytes = |name: &str| Ok(fields.number(name, MOST_BYTES)?.unwrap_or_default() as usize);
    match head {
        "status" => status(&fields),
        "error" => {
            let message = fields.text("error")?.unwrap_or_default();
            Ok(Fault::Error { message, code: fields.text("code")? })
        }
        "cut_after_bytes" => bytes(head).map(Fault::Cut),
        "stall_after_bytes" => bytes(head).map(Fault::Stall),
        "garbage_after_bytes" => bytes(head).map(Fault::Garbage),
        _ => Ok(Fault::ContentType(fields.text(head)?.unwrap_or_default())),
    }
}

fn status(fields: &Fields<'_>) -> Result<Fault, ScriptError> {
    let node = fields.needed("status", "`fail`")?;
    let status = node.number(599)?;
    if status < 400 {
        return Err(node.place.error(format!("{status} is not a status of a failure; those are 400 to 599")));
    }
    let retry = |name: &str| fields.number(name, MOST_RETRY);
    let retry_after =
        match (retry("retry_after_seconds")?, retry("retry_after_date")?, retry("retry_after_ms")?) {
            (Some(seconds), None, None) => Some(RetryAfter::Seconds(seconds)),
            (None, Some(seconds), None) => Some(RetryAfter::Date(seconds)),
            (None, None, Some(milliseconds)) => Some(RetryAfter::Milliseconds(milliseconds)),
            (None, None, None) => None,
            _ => {
                let forms = ["retry_after_seconds", "retry_after_date", "retry_after_ms"];
                return Err(fields.place.error(format!("only one of {} can be sent", list(&forms))));
            }
        };
    Ok(Fault::Status {
        status: status as u16,
        message: fields
            .text("message")?
            .unwrap_or_else(|| format!("the script answers with status {status}")),
        body: fields.text("body")?,
        headers: fields.read("headers", headers)?.unwrap_or_default(),
        retry_after,
    })
}

fn headers(node: &Node) -> Result<Vec<(String, String)>, ScriptError> {
    let Value::Map(entries) = &node.value else { return Err(node.wrong("a map of headers")) };
    let header = |text: &str| text.chars().all(|c| !c.is_control());
    entries
        .iter()
        .map(|(key, value)| {
            let text = match &value.value {
                Value::Number(number) => number.to_string(),
                _ => value.text()?,
            };
            if !header(&key.name) || !header(&text) {
                return Err(key.place.error("a header cannot have control characters or line breaks"));
            }
            Ok((key.name.clone(), text))
        })
        .collect()
}
