//! Where a reading left off, so that a file that has grown is read from there on.

use serde::{Deserialize, Serialize};

use super::FileSummary;
use super::span::Span;
use super::usage::Spending;

/// Most lines that must be read again before the rest is. A file with more is read from its beginning.
pub(super) const MAX_CONTEXT: usize = 256;

/// Where a reading left off, and what it must know again before it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Bytes of the file that are read, up to the end of a line.
    pub offset: u64,
    /// The lines before the offset that what follows may need: the session's header, and calls without an end.
    pub context: Vec<Span>,
    /// The ids of the calls without an end, sorted.
    pub open: Vec<String>,
    /// What is known of the requests to a model in those bytes.
    #[serde(default)]
    pub(super) spending: Spending,
    /// What those bytes came to. Calls without an end do not count yet. Path and format are not kept.
    #[serde(with = "super::summary::stored")]
    pub summary: FileSummary,
}
