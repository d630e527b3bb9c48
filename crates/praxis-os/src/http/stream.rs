//! Answers that are read while they come.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use tokio::time::{Instant, timeout_at};

use super::body;
use super::fault::{HttpFault, StreamError, Wait, of_reading, of_sending};
use super::{address, causes};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);
/// How often a connection is asked whether it is still there.
const ALIVE: Duration = Duration::from_secs(30);

/// A request whose answer comes in pieces.
#[derive(Clone)]
pub struct StreamRequest {
    /// Where to; its scheme must be `http` or `https`.
    pub url: String,
    /// Headers. They may hold keys, so they are never shown.
    pub headers: Vec<(String, String)>,
    /// What to post, in pieces that are sent one behind the other.
    pub body: Vec<Bytes>,
    /// How long to wait.
    pub waits: StreamWaits,
}

/// How long to wait for an answer that comes in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamWaits {
    /// Until it begins, the connection included.
    pub first_byte: Duration,
    /// Between its pieces.
    pub idle: Duration,
    /// For all of it.
    pub whole: Option<Duration>,
}

/// Posts and hands out answers while they come. Its clients are built at their first use and keep connections alive for
/// the next request. Cheap to clone.
///
/// Redirects are not followed: the next server would be given the key. Servers on this machine are asked without a proxy.
#[derive(Debug, Clone, Default)]
pub struct HttpStreams {
    clients: Arc<[OnceLock<Result<Client, String>>; 3]>,
}

/// Which client a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Past proxies, to this machine.
    Direct,
    /// The same without TLS, whose roots take time to load.
    Plain,
    /// Through proxies where the environment names some.
    Proxied,
}

/// An answer that has begun. Dropping it closes the connection unless it was read to its end.
pub struct HttpStream {
    response: Response,
    host: String,
    idle: Duration,
    end: Option<(Instant, Duration)>,
}

impl HttpStreams {
    /// Posts, and returns when the answer begins.
    pub async fn post(&self, request: StreamRequest) -> Result<HttpStream, StreamError> {
        let url = address(&request.url).map_err(|error| StreamError {
            host: String::new(),
            fault: HttpFault::Address,
            problem: error.to_string(),
        })?;
        let host = authority(&url);
        let headers = headers(request.headers, &host)?;
        let client = self.client(Way::to(&url), &host)?;
        let waits = request.waits;
        let now = Instant::now();
        let end = waits.whole.map(|whole| (now + whole, whole));
        let (until, wait) = sooner((now + waits.first_byte, Wait::FirstByte(waits.first_byte)), end);
        let sending = client.post(url).headers(headers).body(body::of(request.body)).send();
        let response = match timeout_at(until, sending).await {
            Ok(sent) => sent.map_err(|error| of_sending(error, &host))?,
            Err(_) => return Err(StreamError::late(&host, wait)),
        };
        Ok(HttpStream { response, host, idle: waits.idle, end })
    }

    fn client(&self, way: Way, host: &str) -> Result<Client, StreamError> {
        let built = self.clients[way as usize].get_or_init(|| way.client());
        built.clone().map_err(|problem| StreamError {
            host: host.to_owned(),
            fault: HttpFault::Client,
            problem,
        })
    }
}

impl Way {
    fn to(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_here = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
        let local = host == "localhost" || host.parse().is_ok_and(is_here);
        match (local, url.scheme()) {
            (true, "http") => Self::Plain,
            (true, _) => Self::Direct,
            (false, _) => Self::Proxied,
        }
    }

    fn client(self) -> Result<Client, String> {
        // A second program part may have chosen already; either choice will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .connect_timeout(CONNECT)
            .tcp_keepalive(ALIVE)
            .http2_keep_alive_interval(ALIVE)
            .redirect(Policy::none());
        let builder = match self {
            Self::Direct => builder.no_proxy(),
            Self::Plain => builder.no_proxy().tls_certs_only([]),
            Self::Proxied => builder,
        };
        builder.build().map_err(|error| causes(&error))
    }
}

impl HttpStream {
    /// The status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The host that answers.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The headers of the answer that are text, names in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.response.headers().iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// The next piece; none at the end.
    pub async fn next(&mut self) -> Result<Option<impl AsRef<[u8]> + Send + Sync + use<>>, StreamError> {
        let (until, wait) = sooner((Instant::now() + self.idle, Wait::Idle(self.idle)), self.end);
        match timeout_at(until, self.response.chunk()).await {
            Ok(piece) => piece.map_err(|error| of_reading(&error, &self.host)),
            Err(_) => Err(StreamError::late(&self.host, wait)),
        }
    }
}

/// What comes first: this, or the end of the whole.
fn sooner(this: (Instant, Wait), end: Option<(Instant, Duration)>) -> (Instant, Wait) {
    match end {
        Some((end, whole)) if end < this.0 => (end, Wait::Whole(whole)),
        _ => this,
    }
}

/// The host, and the port where it is not the usual one.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Headers as they are sent. Their values are secret to whatever logs requests.
fn headers(all: Vec<(String, String)>, host: &str) -> Result<HeaderMap, StreamError> {
    let mut map = HeaderMap::with_capacity(all.len());
    for (name, value) in all {
        let unsendable = |problem: &str| StreamError {
            host: host.to_owned(),
            fault: HttpFault::Header,
            problem: format!("the header `{}` {problem}", name.escape_debug()),
        };
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| unsendable("has a name that cannot be sent"))?;
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| unsendable("has a value that cannot be sent, such as a line break"))?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}
