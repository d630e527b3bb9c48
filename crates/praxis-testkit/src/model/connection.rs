//! One connection of a client.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::http::{self, Head};

/// The longest head of a request.
const HEAD_CAP: usize = 64 << 10;
/// The longest body of a request.
const BODY_CAP: usize = 64 << 20;

/// A socket and what was read from it but not used yet.
pub(super) struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Pieces must go out when they are written. Where that cannot be had, they only go out later.
        let _ = stream.set_nodelay(true);
        Self { stream, unread: Vec::new() }
    }

    /// The next request, or none if the client has gone.
    pub(super) async fn request(&mut self) -> io::Result<Option<(Head, Vec<u8>)>> {
        let end = loop {
            if let Some(end) = http::head_end(&self.unread) {
                break end;
            }
            if self.unread.len() > HEAD_CAP {
                return Err(io::Error::other("the head of the request is too long"));
            }
            if self.stream.read_buf(&mut self.unread).await? == 0 {
                return Ok(None);
            }
        };
        let head: Vec<u8> = self.unread.drain(..end).collect();
        let head = Head::parse(&head).ok_or_else(|| io::Error::other("this is not an HTTP request"))?;
        if head.header("expect").is_some() {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let body = self.body(&head).await?;
        Ok(Some((head, body)))
    }

    async fn body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        if head.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            return self.chunks().await;
        }
        let length = head.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        self.take(length).await
    }

    async fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let size = self.line().await?;
            let size =
                std::str::from_utf8(&size).ok().and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
            let size = size.ok_or_else(|| io::Error::other("the body has a chunk without a size"))?;
            body.extend(self.take(size).await?);
            self.line().await?;
            if size == 0 || body.len() > BODY_CAP {
                return Ok(body);
            }
        }
    }

    async fn line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\r\n") {
                let line = self.unread.drain(..end + 2).take(end).collect();
                return Ok(line);
            }
            if self.unread.len() > HEAD_CAP || self.stream.read_buf(&mut self.unread).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    async fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > BODY_CAP {
            return Err(io::Error::other("the body of the request is too long"));
        }
        while self.unread.len() < length {
            if self.stream.read_buf(&mut self.unread).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let rest = self.unread.split_off(length);
        Ok(std::mem::replace(&mut self.unread, rest))
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Writes a piece of a body whose length is not told before.
    pub(super) async fn write_chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.write(&chunk).await
    }

    /// Waits for something, but not longer than the client does.
    pub(super) async fn waiting<T>(&mut self, work: impl Future<Output = T>) -> io::Result<T> {
        tokio::select! {
            done = work => Ok(done),
            gone = self.gone() => Err(gone),
        }
    }

    /// Returns when the client has gone.
    pub(super) async fn gone(&mut self) -> io::Error {
        loop {
            match self.stream.read_buf(&mut self.unread).await {
                Ok(1..) if self.unread.len() <= HEAD_CAP => {}
                Ok(_) => return io::ErrorKind::ConnectionAborted.into(),
                Err(error) => return error,
            }
        }
    }
}
