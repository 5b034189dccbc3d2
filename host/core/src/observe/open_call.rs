//! Calls that wait for their end.

use std::sync::Arc;

use jiff::Timestamp;

use super::span::Span;
use crate::redact::Hidden;

/// Most calls of one file that wait for their end at the same time. Real sessions have a few; a file made of starts
/// only must not fill the memory.
pub(super) const MAX_OPEN_CALLS: usize = 4096;

#[derive(Debug)]
pub(super) struct OpenCall {
    pub tool: Arc<str>,
    /// For judging only: not redacted, never handed on.
    pub input: String,
    pub is_command: bool,
    pub time: Option<Timestamp>,
    pub shown_input: Hidden,
    /// Which of this reading's events the start is; `None` where an earlier reading handed it on.
    pub index: Option<u64>,
    pub span: Span,
}
