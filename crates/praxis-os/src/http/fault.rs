//! Why an exchange failed, told apart by what can be done about it.

use std::error::Error;
use std::io;
use std::time::Duration;

/// Why there is no answer, or not all of it. Never holds a header, a body or a query string.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.told())]
pub struct StreamError {
    /// The host, with its port where that is not the usual one.
    pub host: String,
    /// What kind of failure it is.
    pub fault: HttpFault,
    /// What happened, as the machine says it.
    pub problem: String,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpFault {
    /// The address is none.
    Address,
    /// A header cannot be sent.
    Header,
    /// This machine cannot make requests at all.
    Client,
    /// The name of the host is not known.
    Name,
    /// No connection could be made.
    Connect,
    /// The connection could not be made secret.
    Tls,
    /// It took too long.
    Late(Wait),
    /// The connection went away.
    Closed,
    /// What came is not HTTP, or was packed wrongly.
    Unreadable,
}

/// What was waited for, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A connection.
    Connect,
    /// The beginning of the answer.
    FirstByte(Duration),
    /// The next piece of it.
    Idle(Duration),
    /// All of it.
    Whole(Duration),
}

impl StreamError {
    pub(super) fn late(host: &str, wait: Wait) -> Self {
        Self { host: host.to_owned(), fault: HttpFault::Late(wait), problem: String::new() }
    }

    fn told(&self) -> String {
        let Self { host, problem, .. } = self;
        match self.fault {
            HttpFault::Address | HttpFault::Header => problem.clone(),
            HttpFault::Client => format!("no request can be made: {problem}"),
            HttpFault::Name => {
                format!("the name {host} could not be resolved ({problem}); check it and the network")
            }
            HttpFault::Connect => {
                format!(
                    "could not connect to {host} ({problem}); check the address, the network and the proxy"
                )
            }
            HttpFault::Tls => format!(
                "no secure connection to {host} ({problem}); check the address, the clock and any proxy that \
                 opens connections"
            ),
            HttpFault::Late(Wait::Connect) => {
                format!("{host} did not take the connection in time; check the network and the proxy")
            }
            HttpFault::Late(Wait::FirstByte(after)) => format!("{host} began no answer within {after:?}"),
            HttpFault::Late(Wait::Idle(after)) => format!("{host} sent nothing more for {after:?}"),
            HttpFault::Late(Wait::Whole(after)) => {
                format!("the answer of {host} was not complete within {after:?}")
            }
            HttpFault::Closed => format!("the connection to {host} was closed too early ({problem})"),
            HttpFault::Unreadable => format!(
                "what {host} sent cannot be read ({problem}); check that the address begins with the right one \
                 of http:// and https://"
            ),
        }
    }
}

/// A failure before the answer began.
pub(super) fn of_sending(error: reqwest::Error, host: &str) -> StreamError {
    let fault = if chain(&error).any(|cause| cause.is::<rustls::Error>()) {
        HttpFault::Tls
    } else if error.is_timeout() {
        HttpFault::Late(Wait::Connect)
    } else if chain(&error).any(|cause| cause.to_string().starts_with("dns error")) {
        HttpFault::Name
    } else if error.is_connect() {
        HttpFault::Connect
    } else {
        read_fault(&error)
    };
    StreamError { host: host.to_owned(), fault, problem: super::causes(&error) }
}

/// A failure in the middle of the answer.
pub(super) fn of_reading(error: &reqwest::Error, host: &str) -> StreamError {
    StreamError { host: host.to_owned(), fault: read_fault(error), problem: super::causes(error) }
}

fn read_fault(error: &reqwest::Error) -> HttpFault {
    // The HTTP library keeps its own kinds to itself, but not their words.
    let unreadable = ["invalid", "parse", "corrupt", "gzip", "deflate"];
    let is_io = chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|error| {
        !matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other
        )
    });
    let innermost = super::causes(error).to_ascii_lowercase();
    if !is_io && unreadable.iter().any(|word| innermost.contains(word)) {
        HttpFault::Unreadable
    } else {
        HttpFault::Closed
    }
}

/// An error and what caused it. What an I/O error is made of counts too, though it does not call it its source.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inside.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    })
}
