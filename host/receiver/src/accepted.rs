//! What happened to the records of a request.

use std::collections::BTreeMap;

use gephost_core::observe::{FileSummary, SkipReason};

/// What happened to the records of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Events that were stored.
    pub events: u64,
    /// Records that could not be read.
    pub rejected: u64,
    /// Records that were received before. They are not an error, because clients resend what was not acknowledged.
    pub duplicates: u64,
    /// Why records were rejected, with the number of each reason.
    pub reasons: BTreeMap<&'static str, u64>,
}

impl Accepted {
    /// The reasons on one line.
    pub(crate) fn reason(&self) -> String {
        let parts: Vec<String> = self.reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        parts.join(", ")
    }

    pub(crate) fn reject(&mut self, reason: &'static str, count: u64) {
        self.rejected += count;
        *self.reasons.entry(reason).or_default() += count;
    }

    pub(crate) fn count(&mut self, summary: &FileSummary) {
        for (reason, count) in &summary.skipped_by_reason {
            match reason {
                SkipReason::Duplicate => self.duplicates += count,
                SkipReason::Overlong => self.reject("too long", *count),
                _ => self.reject("unreadable", *count),
            }
        }
    }
}
