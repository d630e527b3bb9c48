//! A model server on loopback that plays a script over the four wire formats.

mod answer;
mod board;
mod client;
mod connection;
mod format;
mod http;
mod plan;
mod seen;
mod wire;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use praxis_llm::script::{Player, Script, Seen};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use board::Board;
pub use client::{Client, Reply};
pub use format::Format;

/// A running server; it stops when it is dropped.
///
/// It speaks plain HTTP/1.1 at the real paths of the formats (see [`Format`]), behind any prefix. What it answers and
/// what goes wrong is in the script; when it answers can also be decided by the test, with [`ModelServer::hold`] and
/// with the script's own `hold` places.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    accepting: AbortHandle,
}

/// What the server and its connections share.
struct State {
    player: Player,
    board: Board,
    received: Mutex<Vec<Received>>,
    sent: Mutex<Vec<Sent>>,
    /// Whether requests are looked into and kept.
    attentive: bool,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// For example `POST`.
    pub method: String,
    /// With its query.
    pub path: String,
    /// In their order; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; text if it is no JSON.
    pub body: Value,
    /// The wire format, if the path is that of one.
    pub format: Option<Format>,
    /// What the script sees of it.
    pub seen: Seen,
}

/// A piece of an answer as it went out.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The request it answers, counted from 0.
    pub request: usize,
    /// When the system had taken it.
    pub at: Instant,
    /// What it was.
    pub bytes: Vec<u8>,
}

impl Received {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The text of the newest result of a tool.
    pub fn result_of(&self, tool: &str) -> &str {
        let result = self.seen.results.iter().rfind(|result| result.tool == tool);
        &result.unwrap_or_else(|| panic!("no new result of `{tool}` in {:#?}", self.seen)).text
    }
}

impl ModelServer {
    /// Plays a script given as YAML or JSON.
    pub async fn play(script: &str) -> Self {
        Self::start(Script::parse("script", script).unwrap_or_else(|error| panic!("{error}"))).await
    }

    /// Plays a script.
    pub async fn start(script: Script) -> Self {
        Self::open(script, true).await
    }

    /// Plays a script without a look into the requests and keeps none of them, so that a benchmark measures whoever asks.
    pub async fn start_blind(script: Script) -> Self {
        Self::open(script, false).await
    }

    async fn open(script: Script, attentive: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            player: Player::new(script),
            board: Board::default(),
            received: Mutex::default(),
            sent: Mutex::default(),
            attentive,
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state))).abort_handle();
        Self { address, state, accepting }
    }

    /// The server's URL, without a path and without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The server's address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Who answers.
    pub fn player(&self) -> &Player {
        &self.state.player
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    /// A request by its number, from 0.
    pub fn request(&self, number: usize) -> Received {
        let requests = self.requests();
        let count = requests.len();
        requests.into_iter().nth(number).unwrap_or_else(|| panic!("there were only {count} requests"))
    }

    /// All pieces of streamed answers so far.
    pub fn sent(&self) -> Vec<Sent> {
        self.state.sent.lock().unwrap().clone()
    }

    /// Waits until so many requests have come.
    pub async fn until_requests(&self, count: usize) {
        self.state.board.until(&format!("{count} requests"), |marks| marks.requests >= count).await;
    }

    /// Waits until so many clients have gone in the middle of an answer.
    pub async fn until_gone(&self, count: usize) {
        self.state.board.until(&format!("{count} clients gone"), |marks| marks.gone >= count).await;
    }

    /// Lets requests come, but answers none before [`ModelServer::release`].
    pub fn hold(&self) {
        self.state.board.mark(|marks| marks.closed = true);
    }

    /// Answers again.
    pub fn release(&self) {
        self.state.board.mark(|marks| marks.closed = false);
    }

    /// Waits until an answer has come to a place that the script calls `hold: name`.
    pub async fn until_held(&self, name: &str) {
        let is_held = |marks: &board::Marks| marks.reached(name) > marks.passed(name);
        self.state.board.until(&format!("an answer at `hold: {name}`"), is_held).await;
    }

    /// Lets one answer go on from a place that the script calls `hold: name`, now or when it comes there.
    pub fn pass(&self, name: &str) {
        self.state.board.mark(|marks| *marks.passed.entry(name.to_owned()).or_default() += 1);
    }

    /// Fails the test unless every turn was played and every request was what the script expected.
    pub fn finish(self) {
        if let Some(complaint) = self.state.player.complaint() {
            panic!("{complaint}");
        }
        let left = self.state.player.left();
        assert_eq!(left, 0, "so many turns of the script were not played");
    }
}

impl State {
    /// Keeps a request; gives its number. A blind server keeps none.
    fn take(&self, request: &Received) -> usize {
        if !self.attentive {
            return 0;
        }
        let mut received = self.received.lock().unwrap();
        received.push(request.clone());
        received.len() - 1
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    // Dropped with this task, and its connections with it.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(answer::serve(stream, Arc::clone(&state)));
    }
}
