//! Ctrl-C and its kin, heard on a thread of their own: whatever holds up the runtime or the screen must not hold them up.

use std::future::poll_fn;
use std::task::Poll;

use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::screen::Failure;

/// Signals that are listened to.
pub(crate) struct Signals(Vec<Signal>);

impl Signals {
    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        poll_fn(|cx| match self.0.iter_mut().any(|signal| signal.poll_recv(cx).is_ready()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

/// Ctrl-C alone, or everything that asks a program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Ctrl-C.
    Interrupts,
    /// Ctrl-C, the word to end, and a terminal that closes.
    Endings,
}

/// Acts on signals until what is returned is dropped; from then on they are ignored.
pub(crate) fn heed<Acting: Future<Output = ()>>(
    which: Which,
    act: impl FnOnce(Signals) -> Acting + Send + 'static,
) -> Result<DropGuard, Failure> {
    let failed = |e| Failure::work(format!("could not listen for Ctrl-C: {e}"));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let inside = runtime.enter();
    let kinds: &[SignalKind] = match which {
        Which::Interrupts => &[SignalKind::interrupt()],
        Which::Endings => &[SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()],
    };
    let signals = kinds.iter().map(|kind| signal(*kind)).collect::<Result<_, _>>().map_err(failed)?;
    drop(inside);
    let over = CancellationToken::new();
    let guard = over.clone().drop_guard();
    let listen = move || {
        runtime.block_on(over.run_until_cancelled(act(Signals(signals))));
    };
    std::thread::Builder::new().name("praxis-signals".into()).spawn(listen).map_err(failed)?;
    Ok(guard)
}
