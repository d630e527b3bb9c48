//! Why a model gave no answer, sorted by what can be done about it.

mod codes;
mod headers;
mod object;
mod page;
mod phrases;
mod reading;
mod redact;
mod wait;

use std::time::Duration;

use praxis_os::{HttpFault, StreamError, Wait};

use crate::Event;
pub use headers::told_headers;
pub use phrases::{is_overflow, is_transient};
pub use redact::Redactor;
pub use wait::RetryAfter;

/// The most of a server's words that a message repeats, in characters.
const MESSAGE_CAP: usize = 2_000;
/// The most of a header or a code that is kept, in characters.
const HEADER_CAP: usize = 200;
/// The most of a body that is kept, in characters.
const BODY_CAP: usize = 16_384;

/// A failed request. Nothing in it is secret: it was made behind a [`Redactor`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What can be done about it.
    pub class: Class,
    /// What happened and what to do, for people.
    pub message: String,
    /// The provider that was asked.
    pub provider: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// When the provider wants to be asked again.
    pub retry_after: Option<RetryAfter>,
    /// The provider's own code, or ours for failures of the network.
    pub code: Option<String>,
    /// More about a failure of the network: what was done, what the machine said, how long was waited.
    pub details: Vec<(&'static str, String)>,
    /// The headers that say something about the failure.
    pub headers: Vec<(String, String)>,
    /// What the provider sent.
    pub body: Option<String>,
}

/// What can be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The key is missing, wrong, or may not do this: log in again.
    Auth,
    /// The money or the plan is used up: pay, or use another model.
    Quota,
    /// Too much in a short time: wait.
    Rate,
    /// The provider has trouble: wait.
    Overload,
    /// The conversation is too long: compact it.
    Overflow,
    /// The provider does not want to answer this.
    ContentFilter,
    /// The request is wrong: change it.
    BadRequest,
    /// No connection, or not to the end.
    Network,
    /// It took too long.
    Timeout,
    /// We gave up ourselves.
    Cancelled,
    /// What came was no answer of the kind that was asked for.
    Protocol,
    /// None of the above.
    Unknown,
}

impl Class {
    /// Whether another model may do better at once.
    pub fn allows_another_model(self) -> bool {
        match self {
            Self::Quota | Self::Rate | Self::Overload | Self::Network | Self::Timeout | Self::Protocol => {
                true
            }
            // The user must act, or no model would do better.
            Self::Auth
            | Self::Overflow
            | Self::ContentFilter
            | Self::BadRequest
            | Self::Cancelled
            | Self::Unknown => false,
        }
    }

    /// Whether waiting helps by itself.
    fn is_transient(self) -> bool {
        matches!(self, Self::Rate | Self::Overload | Self::Network | Self::Timeout)
    }
}

/// What a server said instead of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// The provider that was asked.
    pub provider: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// The headers of the answer.
    pub headers: &'a [(String, String)],
    /// The body, or its beginning.
    pub body: &'a [u8],
}

impl Failure {
    /// A failure of this class.
    pub fn new(class: Class, provider: &str, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            provider: provider.to_owned(),
            status: None,
            retryable: class.is_transient(),
            retry_after: None,
            code: None,
            details: Vec::new(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// The user, or the program, gave up waiting.
    pub fn cancelled(provider: &str) -> Self {
        Self::new(Class::Cancelled, provider, "the request was cancelled")
    }

    /// An HTTP answer that is an error.
    pub fn refused(refusal: &Refusal<'_>, redactor: &Redactor) -> Self {
        reading::refused(refusal, redactor)
    }

    /// An error in the middle of a stream; `None` for any other event.
    pub fn of_event(event: &Event, provider: &str, redactor: &Redactor) -> Option<Self> {
        let Event::Error { message, code } = event else { return None };
        Some(reading::in_stream(provider, message, code.as_deref(), redactor))
    }

    /// No answer, or not all of it.
    pub fn of_exchange(error: &StreamError, provider: &str, redactor: &Redactor) -> Self {
        let (class, retryable, code) = match error.fault {
            HttpFault::Address | HttpFault::Header => (Class::BadRequest, false, "EINVAL"),
            HttpFault::Client => (Class::Unknown, false, "ECLIENT"),
            HttpFault::Name => (Class::Network, true, "ENOTFOUND"),
            HttpFault::Connect => (Class::Network, true, "ECONNREFUSED"),
            // Waiting does not mend a certificate.
            HttpFault::Tls => (Class::Network, false, "ETLS"),
            HttpFault::Closed => (Class::Network, true, "ECONNRESET"),
            HttpFault::Unreadable => (Class::Protocol, true, "EPROTO"),
            HttpFault::Late(Wait::Connect) => (Class::Timeout, true, "ETIMEDOUT"),
            HttpFault::Late(Wait::FirstByte(_)) => (Class::Timeout, true, "header_timeout"),
            HttpFault::Late(Wait::Idle(_)) => (Class::Timeout, true, "chunk_timeout"),
            HttpFault::Late(Wait::Whole(_)) => (Class::Timeout, true, "timeout"),
        };
        let (details, advice) = details(error);
        let message = redactor.clean(&format!("{error}{advice}"));
        let details = details.into_iter().map(|(name, text)| (name, redactor.clean(&text))).collect();
        Self { retryable, code: Some(code.to_owned()), details, ..Self::new(class, provider, message) }
    }
}

/// More about a failed exchange, and what to do where the failure does not say it.
fn details(error: &StreamError) -> (Vec<(&'static str, String)>, &'static str) {
    let late = |after: Duration, advice| (vec![("timeout", after.as_millis().to_string())], advice);
    let call = match error.fault {
        HttpFault::Late(Wait::FirstByte(after)) => {
            return late(after, "; try again, or raise the provider's `headerTimeout`");
        }
        HttpFault::Late(Wait::Idle(after)) => {
            return late(after, "; try again, or raise the provider's `chunkTimeout`");
        }
        HttpFault::Late(Wait::Whole(after)) => {
            return late(after, "; try again, or raise the provider's `timeout`");
        }
        HttpFault::Address | HttpFault::Header | HttpFault::Client => return (Vec::new(), ""),
        HttpFault::Name => "getaddrinfo",
        HttpFault::Connect | HttpFault::Tls | HttpFault::Late(Wait::Connect) => "connect",
        HttpFault::Closed | HttpFault::Unreadable => "read",
    };
    let advice = if error.fault == HttpFault::Closed { "; try again" } else { "" };
    (vec![("syscall", call.to_owned()), ("message", error.problem.clone())], advice)
}
