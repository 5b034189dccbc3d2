//! Reads one output stream of a command without ever blocking.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::capture::{Capture, CaptureLimit, Captured};

/// Bytes read at once.
const PIECE: usize = 64 << 10;
/// Pieces of a stream that are still read after the end: more than any pipe holds.
const LAST_PIECES: usize = 64;

/// An output stream of a command.
pub(super) struct Stream {
    /// `None` after its end.
    pipe: Option<File>,
    capture: Capture,
    buffer: Vec<u8>,
}

impl Stream {
    /// What to wait for; `None` after the end.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(File::as_fd)
    }

    pub(super) fn new(pipe: OwnedFd, limit: CaptureLimit) -> io::Result<Self> {
        let flags = fcntl_getfl(&pipe)?;
        fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
        Ok(Self { pipe: Some(File::from(pipe)), capture: Capture::new(limit), buffer: vec![0; PIECE] })
    }

    /// Reads what is available, up to one piece. Returns false if nothing is, or if the stream has ended.
    pub(super) fn read_piece(&mut self) -> bool {
        let Some(pipe) = &mut self.pipe else {
            return false;
        };
        match pipe.read(&mut self.buffer) {
            Ok(length) if length > 0 => {
                self.capture.push(self.buffer.get(..length).unwrap_or_default());
                true
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            Ok(_) | Err(_) => {
                self.pipe = None;
                false
            }
        }
    }

    /// What was left in the pipe counts. A process that escaped and keeps writing does not delay us.
    pub(super) fn finish(mut self) -> Captured {
        for _ in 0..LAST_PIECES {
            if !self.read_piece() {
                break;
            }
        }
        self.capture.finish()
    }
}
