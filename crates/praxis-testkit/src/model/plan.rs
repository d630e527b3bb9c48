//! What is sent for one request, faults included.

use std::time::Duration;

use praxis_llm::script::{Fault, Played, RetryAfter};
use serde_json::{Value, json};

use super::Received;
use super::format::Format;
use super::wire::{self, Frame};

/// Bytes that are no text in any encoding that a client would try.
const GARBAGE: &[u8] = b"\x00\xff\xfe\x9f\x92\x96 data:\xc3\x28 {\"\x80\n\n\x1b[0m\xf0\x28\x8c\xbc";
/// A fatal alert of TLS 1.2: the handshake failed.
const TLS_ALERT: &[u8] = &[0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28];
const PAGE: &str = "<!doctype html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n";
const EVENTS: &str = "text/event-stream; charset=utf-8";

/// What is sent.
pub(super) enum Plan {
    /// These bytes, which are no HTTP, and then nothing more.
    Raw(&'static [u8]),
    /// A whole answer.
    Whole { status: u16, headers: Vec<(String, String)>, body: String },
    /// An answer that comes in pieces.
    Stream { content_type: String, pieces: Vec<Piece>, end: End },
}

#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Bytes(Vec<u8>),
    Wait(Duration),
    Hold(String),
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// As it should.
    Proper,
    /// The connection is closed.
    Cut,
    /// Not before the client goes.
    Stall,
}

/// The plan for a request that is answered with `played`.
pub(super) fn plan(format: Format, played: &Played, request: &Received) -> Plan {
    let html = || Plan::Whole {
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
        body: PAGE.to_owned(),
    };
    match &played.fault {
        Some(Fault::Close) => Plan::Raw(b""),
        Some(Fault::Tls) => Plan::Raw(TLS_ALERT),
        Some(Fault::Html) => html(),
        Some(Fault::Status { status, message, body, headers, retry_after }) => {
            let body = body.clone().unwrap_or_else(|| format.error_body(*status, message).to_string());
            Plan::Whole { status: *status, headers: error_headers(headers, *retry_after), body }
        }
        Some(Fault::ContentType(kind)) => stream(format, played, request, kind),
        Some(Fault::Error { .. } | Fault::Cut(_) | Fault::Stall(_) | Fault::Garbage(_)) | None => {
            stream(format, played, request, EVENTS)
        }
    }
}

/// The plan for a path at which nothing is spoken.
pub(super) fn other(method: &str, path: &str) -> Plan {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let (status, body) = if method == "GET" && path.ends_with("/models") {
        (200, json!({"object": "list", "data": []}))
    } else {
        let message = format!("the scripted server has nothing at {method} {path}");
        (404, json!({"error": {"message": message, "type": "not_found_error", "code": null}}))
    };
    Plan::Whole { status, headers, body: Value::to_string(&body) }
}

fn error_headers(headers: &[(String, String)], retry_after: Option<RetryAfter>) -> Vec<(String, String)> {
    let mut all = headers.to_vec();
    if !all.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        all.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    let header = match retry_after {
        None => return all,
        Some(RetryAfter::Seconds(seconds)) => ("retry-after", seconds.to_string()),
        Some(RetryAfter::Date(seconds)) => ("retry-after", http_date(seconds)),
        Some(RetryAfter::Milliseconds(milliseconds)) => ("retry-after-ms", milliseconds.to_string()),
    };
    all.push((header.0.to_owned(), header.1));
    all
}

/// A date so many seconds from now, as HTTP writes it.
fn http_date(seconds: u64) -> String {
    let then = jiff::Timestamp::now() + Duration::from_secs(seconds);
    then.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn stream(format: Format, played: &Played, request: &Received, content_type: &str) -> Plan {
    let mut pieces = Vec::new();
    for frame in wire::frames(format, played, request) {
        match frame {
            Frame::Text(text) if text.is_empty() => {}
            Frame::Text(text) => pieces.push(Piece::Bytes(text.into_bytes())),
            Frame::Gap if played.gap.is_zero() => {}
            Frame::Gap => pieces.push(Piece::Wait(played.gap)),
            Frame::Hold(name) => pieces.push(Piece::Hold(name)),
        }
    }
    let end = match played.fault {
        Some(Fault::Cut(after)) => {
            truncate(&mut pieces, after);
            End::Cut
        }
        Some(Fault::Stall(after)) => {
            truncate(&mut pieces, after);
            End::Stall
        }
        Some(Fault::Garbage(after)) => {
            truncate(&mut pieces, after);
            pieces.push(Piece::Bytes(GARBAGE.to_vec()));
            End::Proper
        }
        _ => End::Proper,
    };
    let pieces = match played.drip {
        Some(drip) => pieces.into_iter().flat_map(|piece| piece.drops(drip)).collect(),
        None => pieces,
    };
    Plan::Stream { content_type: content_type.to_owned(), pieces, end }
}

/// Leaves so many bytes, and what comes before the first that goes.
fn truncate(pieces: &mut Vec<Piece>, mut left: usize) {
    for index in 0..pieces.len() {
        let Piece::Bytes(bytes) = &mut pieces[index] else { continue };
        if bytes.len() > left {
            bytes.truncate(left);
            let keeps = usize::from(left > 0);
            return pieces.truncate(index + keeps);
        }
        left -= bytes.len();
    }
}

impl Piece {
    fn drops(self, size: usize) -> Vec<Self> {
        match self {
            Self::Bytes(bytes) => bytes.chunks(size).map(|drop| Self::Bytes(drop.to_vec())).collect(),
            Self::Wait(_) | Self::Hold(_) => vec![self],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Piece {
        Piece::Bytes(text.into())
    }

    #[test]
    fn a_stream_is_cut_at_the_byte() {
        let whole = || vec![bytes("abc"), Piece::Hold("x".into()), bytes("def")];
        for (after, expected) in [
            (0, vec![]),
            (2, vec![bytes("ab")]),
            (3, vec![bytes("abc"), Piece::Hold("x".into())]),
            (4, vec![bytes("abc"), Piece::Hold("x".into()), bytes("d")]),
            (6, whole()),
            (9, whole()),
        ] {
            let mut pieces = whole();
            truncate(&mut pieces, after);
            assert_eq!(pieces, expected, "after {after}");
        }
    }

    #[test]
    fn drops_split_characters() {
        assert_eq!(bytes("é").drops(1), [Piece::Bytes(vec![0xc3]), Piece::Bytes(vec![0xa9])]);
    }

    #[test]
    fn a_date_is_written_as_http_wants_it() {
        let date = http_date(60);
        let words: Vec<&str> = date.split(' ').collect();
        assert_eq!((words.len(), date.len(), words[5]), (6, 29, "GMT"), "{date}");
    }
}
