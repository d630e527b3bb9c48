//! Requests taken and answered, one connection at a time.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use praxis_llm::script::Seen;
use serde_json::Value;
use tokio::net::TcpStream;

use super::connection::Connection;
use super::format::Format;
use super::http::{self, Head};
use super::plan::{End, Piece, Plan, other, plan};
use super::{Received, Sent, State};

/// Whether the connection can be used again.
#[derive(PartialEq)]
enum After {
    Keep,
    Close,
}

/// Answers requests until the client goes or the script closes the connection.
pub(super) async fn serve(stream: TcpStream, state: Arc<State>) {
    let mut connection = Connection::new(stream);
    while let Ok(Some((head, body))) = connection.request().await {
        let request = received(head, if state.attentive { &body } else { b"null" });
        drop(body);
        let number = state.take(&request);
        state.board.mark(|marks| marks.requests += 1);
        match answer(&mut connection, number, &request, &state).await {
            Ok(After::Keep) => {}
            Ok(After::Close) => return,
            Err(_) => return state.board.mark(|marks| marks.gone += 1),
        }
    }
}

fn received(head: Head, body: &[u8]) -> Received {
    let body = serde_json::from_slice(body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
    let Head { method, path, headers } = head;
    let format = Format::at(&path).filter(|_| method == "POST");
    let seen = format.map_or_else(Seen::default, |format| format.seen(&path, &body));
    Received { method, path, headers, body, format, seen }
}

async fn answer(
    connection: &mut Connection,
    number: usize,
    request: &Received,
    state: &State,
) -> io::Result<After> {
    connection.waiting(state.board.open()).await?;
    let Some(format) = request.format else {
        return send(connection, number, state, other(&request.method, &request.path)).await;
    };
    let played = state.player.turn(&request.seen);
    connection.waiting(tokio::time::sleep(played.delay)).await?;
    send(connection, number, state, plan(format, &played, request)).await
}

async fn send(connection: &mut Connection, number: usize, state: &State, plan: Plan) -> io::Result<After> {
    match plan {
        Plan::Raw(bytes) => {
            connection.write(bytes).await?;
            Ok(After::Close)
        }
        Plan::Whole { status, mut headers, body } => {
            headers.push(("content-length".to_owned(), body.len().to_string()));
            let mut bytes = http::head(status, &headers);
            bytes.extend_from_slice(body.as_bytes());
            connection.write(&bytes).await?;
            Ok(After::Keep)
        }
        Plan::Stream { content_type, pieces, end } => {
            let headers = [
                ("content-type".to_owned(), content_type),
                ("cache-control".to_owned(), "no-cache".to_owned()),
                ("transfer-encoding".to_owned(), "chunked".to_owned()),
            ];
            connection.write(&http::head(200, &headers)).await?;
            stream(connection, number, state, pieces, end).await
        }
    }
}

async fn stream(
    connection: &mut Connection,
    request: usize,
    state: &State,
    pieces: Vec<Piece>,
    end: End,
) -> io::Result<After> {
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => {
                connection.write_chunk(&bytes).await?;
                if state.attentive {
                    state.sent.lock().unwrap().push(Sent { request, at: Instant::now(), bytes });
                }
            }
            Piece::Wait(time) => connection.waiting(tokio::time::sleep(time)).await?,
            Piece::Hold(name) => connection.waiting(state.board.stop_at(&name)).await?,
        }
    }
    match end {
        End::Proper => {
            connection.write_chunk(b"").await?;
            Ok(After::Keep)
        }
        End::Cut => Ok(After::Close),
        End::Stall => Err(connection.gone().await),
    }
}
