//! The limits of one command.

use std::time::Duration;

use super::capture::CaptureLimit;

/// Threads that each allowed process may have on average.
pub(super) const THREADS: u64 = 4;

/// Limits of one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall clock time.
    pub time: Duration,
    /// How much of each output stream is kept.
    pub output: CaptureLimit,
    /// Size of any one file that it writes, in bytes.
    pub file_bytes: u64,
    /// Bytes that it may add to the folder that it can write to.
    pub disk_bytes: u64,
    /// Most simultaneous processes.
    pub processes: u64,
    /// Bytes of memory that its processes may use together.
    pub memory_bytes: u64,
}
