//! Where a line stands in its file.

use serde::{Deserialize, Serialize};

/// A line's place in its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Its number, from 1.
    pub line: u64,
    /// The byte that it begins with, from 0.
    pub start: u64,
    /// Its bytes, with its end.
    pub length: u64,
}
