//! Where a reading stopped, so that only the new part of a file that has grown is read.

use serde::{Deserialize, Serialize};

use super::FileSummary;
use super::span::Span;
use super::usage::Spending;

/// Most lines that are read again before resuming. A file that needs more is read from its beginning.
pub(super) const MAX_CONTEXT: usize = 256;

/// Where a reading stopped, and what it needs to resume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// How many bytes have been read. The last of them ends a line.
    pub offset: u64,
    /// Lines before the offset that the rest may need: the session's header, and calls without an end.
    pub context: Vec<Span>,
    /// Ids of the calls without an end, sorted.
    pub open: Vec<String>,
    /// What is known about the model requests in those bytes.
    #[serde(default)]
    pub(super) spending: Spending,
    /// The numbers of those bytes. Calls without an end are not counted yet. Path and format are not stored.
    #[serde(with = "super::summary::stored")]
    pub summary: FileSummary,
}
