//! What reading passes on.

use std::path::Path;

use gephost_core::run_event::RunEvent;

/// What reading passes on, file by file.
pub enum LogItem<'a> {
    /// The next event of a file.
    Event {
        /// Path of the file.
        path: &'a Path,
        /// Index of the file, from 0.
        file: usize,
        /// Index of the event in its file, from 0.
        sequence: u64,
        /// The event.
        event: RunEvent,
    },
    /// A file has ended.
    Ended {
        /// Index of the file.
        file: usize,
        /// Indexes of its starts without an end, sorted. Their outcome is `Unfinished`.
        unfinished: &'a [u64],
    },
}
