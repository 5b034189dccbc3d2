//! Counts the progress of a reading, so that another thread can show it.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the bytes of logs as they are read. Other threads may look at it.
#[derive(Debug, Default)]
pub struct Meter {
    all: AtomicU64,
    read: AtomicU64,
}

impl Meter {
    /// Bytes that have been read or skipped as unchanged, and bytes of all logs; 0 until they have been counted.
    pub fn state(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed))
    }

    pub(crate) fn expect(&self, files: &[PathBuf]) {
        let sizes = files.iter().filter_map(|file| fs::metadata(file).ok()).map(|found| found.len());
        self.all.fetch_add(sizes.sum(), Ordering::Relaxed);
    }

    pub(crate) fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A reader whose bytes are counted.
pub(crate) struct Metered<'a, R>(pub R, pub Option<&'a Meter>);

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        if let Some(meter) = self.1 {
            meter.add(read as u64);
        }
        Ok(read)
    }
}
