//! One file of a call. It has the bytes of the base until the first write, and its own bytes from then on.
//!
//! Streams keep a file without the rest of the overlay, so a file is shared and has its own lock. The lock is held only
//! while bytes are copied, and never together with another lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;

use crate::sandbox::files::FileId;

/// Largest file that a gene may write, in bytes. It is what the gate reads.
pub(crate) const MAX_WRITTEN_BYTES: u64 = 16 << 20;

/// A file that was opened, created or moved.
#[derive(Debug)]
pub(crate) struct File {
    /// Its number, which reveals nothing about hidden files.
    pub(crate) number: u64,
    /// The file of the base that it started as.
    pub(crate) origin: Option<FileId>,
    state: Mutex<State>,
    /// Bytes that writes added beyond those they were given: the gap before an offset past the end. All files of a call
    /// share this number. It is charged after each write.
    unpaid: Arc<AtomicU64>,
}

#[derive(Debug)]
struct State {
    content: Content,
    times: Times,
}

#[derive(Debug)]
enum Content {
    /// Not read yet. Its size in bytes.
    ReadFailure(u64),
    Base(Arc<[u8]>),
    Own(Vec<u8>),
}

/// The times of the last read and write, as the gene set them or by its virtual clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) accessed: Datetime,
    pub(crate) modified: Datetime,
}

/// A write that exceeds [`MAX_WRITTEN_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl File {
    /// A file of the base.
    pub(crate) fn of_base(number: u64, origin: FileId, size: u64, times: Times, unpaid: &Arc<AtomicU64>) -> Self {
        let state = Mutex::new(State { content: Content::ReadFailure(size), times });
        Self { number, origin: Some(origin), state, unpaid: Arc::clone(unpaid) }
    }

    /// A new, empty file.
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
            Content::ReadFailure(size) => *size,
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

    /// The file of the base whose bytes must be [loaded](Self::put) before this file is read or written.
    pub(crate) fn unread_id(&self) -> Option<FileId> {
        match self.state().content {
            Content::ReadFailure(_) => self.origin,
            Content::Base(_) | Content::Own(_) => None,
        }
    }

    /// Sets the bytes of a file that was not read yet.
    pub(crate) fn put(&self, bytes: Arc<[u8]>) {
        let mut state = self.state();
        if matches!(state.content, Content::ReadFailure(_)) {
            state.content = Content::Base(bytes);
        }
    }

    /// Whether it was written to. Then it has its own bytes.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.state().content, Content::Own(_))
    }

    /// Bytes that the first write will copy.
    pub(crate) fn copied_by_writing(&self) -> u64 {
        match &self.state().content {
            Content::Base(bytes) => bytes.len() as u64,
            Content::ReadFailure(_) | Content::Own(_) => 0,
        }
    }

    /// At most `length` bytes from `offset`, and whether the file ends there.
    pub(crate) fn read<T>(&self, offset: u64, length: usize, take: impl FnOnce(&[u8]) -> T) -> (T, bool) {
        let state = self.state();
        let bytes: &[u8] = match &state.content {
            Content::ReadFailure(_) => &[],
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

    /// Writes at an offset. A gap before it is filled with zeroes. Returns the offset after the written bytes.
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
        // A call has only one thread, so the size cannot change in between.
        self.write(self.size(), bytes).map(drop)
    }

    /// Truncates the file, or extends it with zeroes. The caller has charged the growth.
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
    /// Its own bytes. The bytes of the base are copied first.
    fn own(&mut self) -> &mut Vec<u8> {
        if let Self::Base(bytes) = self {
            *self = Self::Own(bytes.to_vec());
        } else if let Self::ReadFailure(_) = self {
            *self = Self::Own(Vec::new());
        }
        match self {
            Self::Own(bytes) => bytes,
            Self::Base(_) | Self::ReadFailure(_) => unreachable!("it was made its own above"),
        }
    }
}
