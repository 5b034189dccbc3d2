//! The position of a line in its file.

use serde::{Deserialize, Serialize};

/// The position of a line in its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Line number, from 1.
    pub line: u64,
    /// Offset of its first byte.
    pub start: u64,
    /// Number of bytes, including the line end.
    pub length: u64,
}
