//! What is posted, in pieces.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Pieces that are sent one behind the other and never put together. Their length is known, so that no server has to take
/// them in chunks.
struct Pieces {
    left: vec::IntoIter<Bytes>,
    bytes: u64,
}

/// A body of pieces.
pub(super) fn of(pieces: Vec<Bytes>) -> reqwest::Body {
    let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
    reqwest::Body::wrap(Pieces { left: pieces.into_iter(), bytes })
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.left.next();
        self.bytes -= next.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(next.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes)
    }
}
