//! How much of what is read is kept.

use jiff::Timestamp;

/// How many events are kept. Summaries count all of them.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most events. The newest are kept.
    pub max_events: usize,
    /// Most bytes of their texts.
    pub max_text_bytes: usize,
    /// Events before this time are left out. Events without a time are kept.
    pub since: Option<Timestamp>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_events: 200_000, max_text_bytes: 64 * 1024 * 1024, since: None }
    }
}
