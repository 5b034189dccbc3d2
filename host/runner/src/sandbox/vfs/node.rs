//! One file of a call: the bytes of the base until it is written to, its own bytes from then on.
//!
//! Streams hold on to a file without the rest of the overlay, so a file is shared and locks itself. A lock is held for
//! the length of a copy and never while another is taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;

use crate::sandbox::files::FileId;

/// The largest file that a gene may write, in bytes: what the gate reads.
pub(crate) const MAX_WRITTEN_BYTES: u64 = 16 << 20;

/// A file that somebody has opened, made or moved.
#[derive(Debug)]
pub(crate) struct File {
    /// A number of its own, that tells nothing of hidden files.
    pub(crate) number: u64,
    /// The file of the base that it began as.
    pub(crate) origin: Option<FileId>,
    state: Mutex<State>,
    /// Bytes that a write made beside those it was given: the gap before an offset past the end. Shared by all files of
    /// a call, and charged after each write.
    unpaid: Arc<AtomicU64>,
}

#[derive(Debug)]
struct State {
    content: Content,
    times: Times,
}

#[derive(Debug)]
enum Content {
    /// Not looked at yet; its size in bytes.
    Unread(u64),
    Base(Arc<[u8]>),
    Own(Vec<u8>),
}

/// When a file was last read and written, by the gene's own words or its virtual clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) accessed: Datetime,
    pub(crate) modified: Datetime,
}

/// A write past [`MAX_WRITTEN_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl File {
    /// A file of the base.
    pub(crate) fn of_base(number: u64, origin: FileId, size: u64, times: Times, unpaid: &Arc<AtomicU64>) -> Self {
        let state = Mutex::new(State { content: Content::Unread(size), times });
        Self { number, origin: Some(origin), state, unpaid: Arc::clone(unpaid) }
    }

    /// A new and empty file.
    pub(crate) fn empty(number: u64, times: Times, unpaid: &Arc<AtomicU64>) -> Self {
        let state = Mutex::new(State { content: Content::Own(Vec::new()), times });
        Self { number, origin: None, state, unpaid: Arc::clone(unpaid) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> u64 {
        match &self.state().content {
            Content::Unread(size) => *size,
            Content::Base(bytes) => bytes.len() as u64,
            Content::Own(bytes) => bytes.len() as u64,
        }
    }

    /// Its times.
    pub(crate) fn times(&self) -> Times {
        self.state().times
    }

    /// Sets its times.
    pub(crate) fn set_times(&self, times: Times) {
        self.state().times = times;
    }

    /// The file of the base whose bytes must be [put](Self::put) before it is read or written.
    pub(crate) fn unread(&self) -> Option<FileId> {
        match self.state().content {
            Content::Unread(_) => self.origin,
            Content::Base(_) | Content::Own(_) => None,
        }
    }

    /// Gives an unread file its bytes.
    pub(crate) fn put(&self, bytes: Arc<[u8]>) {
        let mut state = self.state();
        if matches!(state.content, Content::Unread(_)) {
            state.content = Content::Base(bytes);
        }
    }

    /// Whether it was written to; then its bytes are its own.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.state().content, Content::Own(_))
    }

    /// Bytes that the first write will copy.
    pub(crate) fn copied_by_writing(&self) -> u64 {
        match &self.state().content {
            Content::Base(bytes) => bytes.len() as u64,
            Content::Unread(_) | Content::Own(_) => 0,
        }
    }

    /// At most `length` bytes from `offset`, and whether the file ends with them.
    pub(crate) fn read<T>(&self, offset: u64, length: usize, take: impl FnOnce(&[u8]) -> T) -> (T, bool) {
        let state = self.state();
        let bytes: &[u8] = match &state.content {
            Content::Unread(_) => &[],
            Content::Base(bytes) => bytes,
            Content::Own(bytes) => bytes,
        };
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start.saturating_add(length).min(bytes.len());
        (take(&bytes[start..end]), end == bytes.len())
    }

    /// All of its bytes.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        self.read(0, usize::MAX, <[u8]>::to_vec).0
    }

    /// Writes at an offset; a gap before it is filled with zeroes. Gives the offset after it.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<u64, TooLarge> {
        let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= MAX_WRITTEN_BYTES).ok_or(TooLarge)?;
        let (start, stop) = (usize::try_from(offset).or(Err(TooLarge))?, usize::try_from(end).or(Err(TooLarge))?);
        let mut state = self.state();
        let own = state.content.own();
        if !bytes.is_empty() {
            let gap = start.saturating_sub(own.len());
            self.unpaid.fetch_add(gap as u64, Ordering::Relaxed);
            if own.len() < stop {
                own.resize(stop, 0);
            }
            own[start..stop].copy_from_slice(bytes);
        }
        Ok(end)
    }

    /// Writes at the end.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<(), TooLarge> {
        // One thread runs a call, so the size cannot change in between.
        self.write(self.size(), bytes).map(drop)
    }

    /// Cuts the file off, or fills it with zeroes. The caller has charged what it grows by.
    pub(crate) fn resize(&self, size: u64) -> Result<(), TooLarge> {
        let size = usize::try_from(size).ok().filter(|size| *size as u64 <= MAX_WRITTEN_BYTES).ok_or(TooLarge)?;
        let mut state = self.state();
        if size == 0 {
            state.content = Content::Own(Vec::new());
        } else {
            let own = state.content.own();
            own.resize(size, 0);
            own.shrink_to_fit();
        }
        Ok(())
    }
}

impl Content {
    /// Its own bytes; those of the base are copied first.
    fn own(&mut self) -> &mut Vec<u8> {
        if let Self::Base(bytes) = self {
            *self = Self::Own(bytes.to_vec());
        } else if let Self::Unread(_) = self {
            *self = Self::Own(Vec::new());
        }
        match self {
            Self::Own(bytes) => bytes,
            Self::Base(_) | Self::Unread(_) => unreachable!("it was made its own above"),
        }
    }
}
