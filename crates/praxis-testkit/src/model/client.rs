//! A client that sees an answer as it comes: chunk by chunk, and how it ends.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that can be used for several requests.
pub struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

/// An answer, read to its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names as they came.
    pub headers: Vec<(String, String)>,
    /// The body in its chunks; one that has a length is one chunk.
    pub chunks: Vec<Vec<u8>>,
    /// Whether the body came to its end.
    pub is_whole: bool,
}

impl Reply {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.chunks.concat()).into_owned()
    }
}

impl Client {
    /// Connects.
    pub async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), unread: Vec::new() }
    }

    /// Sends JSON and reads the answer; none if there is none that is HTTP.
    pub async fn post(&mut self, path: &str, body: &Value) -> Option<Reply> {
        self.send(path, body).await;
        let (status, headers) = self.head().await?;
        let mut reply = Reply { status, headers, chunks: Vec::new(), is_whole: false };
        if let Some(length) = reply.header("content-length") {
            let length = length.parse().unwrap();
            reply.chunks.extend(self.take(length).await);
            reply.is_whole = !reply.chunks.is_empty();
            return Some(reply);
        }
        while let Some(chunk) = self.chunk().await {
            if chunk.is_empty() {
                reply.is_whole = true;
                break;
            }
            reply.chunks.push(chunk);
        }
        Some(reply)
    }

    /// Sends JSON, and leaves the answer to be read.
    pub async fn send(&mut self, path: &str, body: &Value) {
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", body.len());
        self.stream.write_all((head + &body).as_bytes()).await.unwrap();
    }

    /// The status and the headers of the next answer.
    pub async fn head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let mut lines = Vec::new();
        loop {
            match self.line().await? {
                line if line.is_empty() => break,
                line => lines.push(line),
            }
        }
        let status = lines.first()?.split(' ').nth(1)?.parse().ok()?;
        let header =
            |line: &String| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
        Some((status, lines[1..].iter().filter_map(header).collect()))
    }

    /// The next chunk of a body; an empty one is its end, and none is a connection that was cut.
    pub async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(&self.line().await?, 16).ok()?;
        let chunk = self.take(size).await?;
        self.line().await?;
        Some(chunk)
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\r\n") {
                let line: Vec<u8> = self.unread.drain(..end + 2).take(end).collect();
                return String::from_utf8(line).ok();
            }
            self.fill().await?;
        }
    }

    async fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        while self.unread.len() < length {
            self.fill().await?;
        }
        Some(self.unread.drain(..length).collect())
    }

    async fn fill(&mut self) -> Option<()> {
        let read = self.stream.read_buf(&mut self.unread).await.ok()?;
        (read > 0).then_some(())
    }
}
