//! One request over HTTP, and its answer piece by piece.

use std::time::Duration;

use bytes::Bytes;
use praxis_os::{HttpStream, HttpStreams, StreamRequest, StreamWaits};

use crate::failure::{Failure, Redactor, Refusal, told_headers};
use crate::provider::Timeouts;

/// The longest wait where the configuration sets no limit: nothing waits for ever.
const BACKSTOP: Duration = Duration::from_secs(3_600);
/// The most bytes that are read of an error.
const ERROR_CAP: usize = 64 << 10;
/// How long an error may take to be told.
const ERROR_WAIT: Duration = Duration::from_secs(10);
/// How long to wait for the end of a body behind the end of an answer, so that the connection can be used again. A server
/// that leaves it open costs no more than this.
const TAIL_WAIT: Duration = Duration::from_millis(2);

/// What makes a request and its failures.
pub(super) struct Sender<'a> {
    pub(super) http: &'a HttpStreams,
    pub(super) provider: &'a str,
    pub(super) redactor: &'a Redactor,
}

/// An answer that has begun.
pub(super) struct Exchange<'a> {
    stream: HttpStream,
    sender: Sender<'a>,
}

impl<'a> Sender<'a> {
    /// Posts, and returns when an answer that is no error begins.
    pub(super) async fn post(
        self,
        url: String,
        headers: Vec<(String, String)>,
        body: Vec<Bytes>,
        timeouts: Timeouts,
    ) -> Result<Exchange<'a>, Failure> {
        let waits = StreamWaits {
            first_byte: timeouts.header.unwrap_or(BACKSTOP),
            idle: timeouts.chunk.unwrap_or(BACKSTOP),
            whole: timeouts.request,
        };
        let request = StreamRequest { url, headers, body, waits };
        let stream = self.http.post(request).await;
        let stream = stream.map_err(|error| Failure::of_exchange(&error, self.provider, self.redactor))?;
        if (200..300).contains(&stream.status()) {
            return Ok(Exchange { stream, sender: self });
        }
        Err(self.refusal(stream).await)
    }

    async fn refusal(&self, mut stream: HttpStream) -> Failure {
        let mut body = Vec::new();
        let reading = async {
            // What was read before a failure is all there is to tell.
            while let Ok(Some(piece)) = stream.next().await {
                let piece = piece.as_ref();
                body.extend_from_slice(&piece[..piece.len().min(ERROR_CAP - body.len())]);
                if body.len() == ERROR_CAP {
                    break;
                }
            }
        };
        // Late words are not waited for; the status says enough.
        let _ = tokio::time::timeout(ERROR_WAIT, reading).await;
        let headers = told_headers(stream.headers());
        let refusal =
            Refusal { provider: self.provider, status: stream.status(), headers: &headers, body: &body };
        Failure::refused(&refusal, self.redactor)
    }
}

impl Exchange<'_> {
    /// The next piece; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<impl AsRef<[u8]> + Send + Sync + use<>>, Failure> {
        let Sender { provider, redactor, .. } = self.sender;
        self.stream.next().await.map_err(|error| Failure::of_exchange(&error, provider, redactor))
    }

    /// Reads what is left behind the end of the answer, if it comes at once.
    pub(super) async fn finish(mut self) {
        let _ =
            tokio::time::timeout(TAIL_WAIT, async { while let Ok(Some(_)) = self.stream.next().await {} })
                .await;
    }
}
