//! HTTP with a deadline and a size on every exchange.

mod body;
mod fault;
mod stream;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder, Url};

pub use fault::{HttpFault, StreamError, Wait};
pub use stream::{HttpStream, HttpStreams, StreamRequest, StreamWaits};

/// A request.
#[derive(Clone)]
pub struct HttpRequest {
    /// Where to; its scheme must be `http` or `https`.
    pub url: String,
    /// Headers. They may hold keys, so they are never shown.
    pub headers: Vec<(&'static str, String)>,
    /// What to post.
    pub body: Vec<u8>,
    /// For the whole exchange, the body of the answer included.
    pub deadline: Duration,
    /// The most that is read of the answer.
    pub most_bytes: usize,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// The status code.
    pub status: u16,
    /// The content type, as it was sent.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no answer. Never holds a header, a body or a query string.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is none.
    #[error("{0} is not an http or https address")]
    Address(String),
    /// It took too long.
    #[error("{host} gave no complete answer within {after:?}")]
    TimedOut {
        /// The host.
        host: String,
        /// The deadline.
        after: Duration,
    },
    /// The answer is larger than was asked for.
    #[error("{host} answered with more than {most} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// The limit.
        most: usize,
    },
    /// The exchange failed.
    #[error("could not reach {host}: {problem}")]
    Failed {
        /// The host.
        host: String,
        /// What happened.
        problem: String,
    },
}

/// A client that is built at its first use. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Http {
    client: Arc<OnceLock<Result<Client, String>>>,
    direct: bool,
}

impl Http {
    /// A client that knows no proxy, for servers on this machine.
    pub fn direct() -> Self {
        Self { direct: true, ..Self::default() }
    }

    /// Posts and reads the answer.
    pub async fn post(&self, request: HttpRequest) -> Result<HttpReply, HttpError> {
        self.exchange(Method::POST, request).await
    }

    /// Gets an answer; the body of the request is not sent.
    pub async fn get(&self, request: HttpRequest) -> Result<HttpReply, HttpError> {
        self.exchange(Method::GET, HttpRequest { body: Vec::new(), ..request }).await
    }

    async fn exchange(&self, method: Method, request: HttpRequest) -> Result<HttpReply, HttpError> {
        let url = address(&request.url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let deadline = request.deadline;
        let builder = self.client(&host)?.request(method, url);
        let exchange = exchange(builder, request, &host);
        match tokio::time::timeout(deadline, exchange).await {
            Ok(outcome) => outcome,
            Err(_) => Err(HttpError::TimedOut { host, after: deadline }),
        }
    }

    fn client(&self, host: &str) -> Result<Client, HttpError> {
        let built = self.client.get_or_init(|| {
            // A second program part may have chosen already; either choice will do.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let builder = Client::builder();
            let builder = if self.direct { builder.no_proxy() } else { builder };
            builder.build().map_err(|e| causes(&e))
        });
        built.clone().map_err(|problem| HttpError::Failed { host: host.to_owned(), problem })
    }
}

fn address(text: &str) -> Result<Url, HttpError> {
    // What stands behind a question mark may be a key.
    let shown = || text.split('?').next().unwrap_or_default().to_owned();
    let url = Url::parse(text).map_err(|_| HttpError::Address(shown()))?;
    if matches!(url.scheme(), "http" | "https") { Ok(url) } else { Err(HttpError::Address(shown())) }
}

async fn exchange(builder: RequestBuilder, request: HttpRequest, host: &str) -> Result<HttpReply, HttpError> {
    let failed = |error: reqwest::Error| HttpError::Failed { host: host.to_owned(), problem: causes(&error) };
    let HttpRequest { headers, body, most_bytes, .. } = request;
    let request =
        headers.into_iter().fold(builder.body(body), |request, (name, value)| request.header(name, value));
    let mut reply = request.send().await.map_err(failed)?;
    let content_type =
        reply.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (status, content_type) = (reply.status().as_u16(), content_type.to_owned());
    let mut body = Vec::new();
    while let Some(chunk) = reply.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > most_bytes {
            return Err(HttpError::TooLarge { host: host.to_owned(), most: most_bytes });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(HttpReply { status, content_type, body })
}

/// The innermost cause says it best, and unlike the outer ones it never repeats the address.
fn causes(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    // An error without a cause might show the whole address.
    if std::ptr::addr_eq(cause, error) { "the exchange failed".to_owned() } else { cause.to_string() }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers one request with `reply`, then stays silent if `hold` is set.
    async fn serve(reply: &'static str, hold: bool) -> (SocketAddr, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut seen = vec![0; 4_096];
            let read = socket.read(&mut seen).await.unwrap();
            socket.write_all(reply.as_bytes()).await.unwrap();
            if hold {
                std::future::pending::<()>().await;
            }
            String::from_utf8_lossy(&seen[..read]).into_owned()
        });
        (address, task)
    }

    fn to(address: SocketAddr, most_bytes: usize) -> HttpRequest {
        HttpRequest {
            url: format!("http://{address}/mcp?key=s3cret"),
            headers: vec![("x-api-key", "s3cret".into())],
            body: b"{}".to_vec(),
            deadline: Duration::from_secs(5),
            most_bytes,
        }
    }

    #[tokio::test]
    async fn an_exchange_comes_back_whole() {
        let (address, task) =
            serve("HTTP/1.1 200 OK\r\ncontent-type: text/x\r\ncontent-length: 5\r\n\r\nhello", false).await;
        let reply = Http::default().post(to(address, 5)).await.unwrap();
        assert_eq!(reply, HttpReply { status: 200, content_type: "text/x".into(), body: b"hello".to_vec() });
        assert!(task.await.unwrap().contains("x-api-key: s3cret"));
    }

    #[tokio::test]
    async fn a_get_sends_headers_and_no_body() {
        let (address, task) = serve("HTTP/1.1 404 No\r\ncontent-length: 2\r\n\r\nno", false).await;
        let reply = Http::direct().get(to(address, 5)).await.unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (404, b"no".as_slice()));
        let seen = task.await.unwrap();
        assert!(seen.starts_with("GET /mcp?key=s3cret ") && seen.contains("x-api-key: s3cret"), "{seen}");
        assert!(seen.ends_with("\r\n\r\n"), "{seen}");
    }

    #[tokio::test]
    async fn limits_hold_and_secrets_stay_out_of_errors() {
        let reply = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhello!";
        let (address, _task) = serve(reply, false).await;
        let large = Http::default().post(to(address, 5)).await.unwrap_err();
        assert!(matches!(large, HttpError::TooLarge { most: 5, .. }));

        let (address, _task) = serve("HTTP/1.1 200 OK\r\n", true).await;
        let request = HttpRequest { deadline: Duration::from_millis(50), ..to(address, 5) };
        assert!(matches!(Http::default().post(request).await, Err(HttpError::TimedOut { .. })));

        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let refused = Http::default().post(to(gone, 5)).await.unwrap_err().to_string();
        assert!(refused.contains("Connection refused") && !refused.contains("s3cret"), "{refused}");

        for url in ["file:///etc/passwd?s3cret", "nonsense?s3cret"] {
            let request = HttpRequest { url: url.into(), ..to(gone, 5) };
            let told = Http::default().post(request).await.unwrap_err().to_string();
            assert!(told.contains("is not an http or https address") && !told.contains("s3cret"), "{told}");
        }
        let header = HttpRequest { headers: vec![("x-api-key", "a\nb".into())], ..to(gone, 5) };
        let told = Http::default().post(header).await.unwrap_err().to_string();
        assert!(!told.contains("a\nb"), "{told}");
    }
}
