//! The socket of one connection, which is given up when its peer does not read.
//!
//! What must stay true: no peer holds a connection by reading nothing or next to nothing.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::pace::{Pace, Since};

/// What a connection says before it closes because the head of a request took too long.
#[derive(Debug, Clone)]
pub(crate) struct Parting {
    answer: Arc<[u8]>,
    is_due: Arc<AtomicBool>,
}

impl Parting {
    pub(crate) fn new(answer: Arc<[u8]>) -> Self {
        Self { answer, is_due: Arc::default() }
    }

    /// The connection ends because of the time. Its socket says so when it is dropped.
    pub(crate) fn is_due(&self) {
        self.is_due.store(true, Ordering::Relaxed);
    }
}

/// A socket.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: TcpStream,
    pace: Pace,
    /// Since when a write waits, and until when it may.
    waits: Option<(Since, Pin<Box<Sleep>>)>,
    /// Whether bytes came since the last answer.
    asked: bool,
    parting: Parting,
}

impl Socket {
    /// `window` is how long the peer may keep an answer waiting.
    pub(crate) fn new(stream: TcpStream, window: Duration, parting: Parting) -> Self {
        Self { stream, pace: Pace::new(window), waits: None, asked: false, parting }
    }

    /// Writes with `write`, as long as the peer reads.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let Poll::Ready(written) = write(Pin::new(&mut self.stream), cx) else {
            return self.wait(cx).map(Err);
        };
        let bytes = written?;
        self.asked = false;
        let waited = self.waits.take().map_or(Duration::ZERO, |(since, _)| since.waited());
        if self.pace.goes_on(waited, bytes as u64) { Poll::Ready(Ok(bytes)) } else { Poll::Ready(Err(given_up())) }
    }

    /// Waits until the peer reads, and gives up in time.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            let patience = self.pace.patience();
            let (since, until) = self.waits.get_or_insert_with(|| (Since::now(), Box::pin(sleep(patience))));
            ready!(until.as_mut().poll(cx));
            // At least the whole patience, whatever the timer's resolution.
            let waited = since.waited().max(patience);
            self.waits = None;
            if !self.pace.goes_on(waited, 0) {
                return Poll::Ready(given_up());
            }
        }
    }
}

fn given_up() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = into.filled().len();
        let read = ready!(Pin::new(&mut this.stream).poll_read(cx, into));
        this.asked |= into.filled().len() > before;
        Poll::Ready(read)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll(cx, |stream, cx| stream.poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Who asked nothing expects no answer.
        if self.asked && self.parting.is_due.load(Ordering::Relaxed) {
            // There is nobody to tell if the peer is gone.
            let _ = self.stream.try_write(&self.parting.answer);
        }
    }
}
