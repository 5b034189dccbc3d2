//! Tool calls whose end has not been read yet.

use std::sync::Arc;

use jiff::Timestamp;

use super::span::Span;
use crate::redact::Unnumbered;

/// Most calls of one file that can be open at once. Real sessions have a few; the bound protects against a file that
/// only starts calls.
pub(super) const MAX_OPEN_CALLS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct OpenCall {
    pub tool: Arc<str>,
    /// Used only for judging. It is not redacted and must not be reported.
    pub input: String,
    pub is_command: bool,
    pub time: Option<Timestamp>,
    pub shown_input: Unnumbered,
    /// Index of the start among the events of this reading; `None` if an earlier reading reported it.
    pub index: Option<u64>,
    pub span: Span,
}
