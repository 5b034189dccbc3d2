//! What `gephost observe` prints.

use std::fmt::Write as _;

use gephost_core::observe::{EventCounts, FileSummary, OutcomeCounts, UNKNOWN_FORMAT};
use gephost_core::run_event::Usage;
use gephost_runner::observe::Unreadable;
use gephost_runner::run_store::Removed;
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::{self, Call};
use crate::page::Page;
use crate::render::cycle;
use crate::render::verdict::plural;

/// What is in logs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ObservePage {
    /// The logs that were read, in the order of their names.
    pub(super) files: Vec<FileSummary>,
    /// If the run store was filled, the logs beside those in `files`.
    #[serde(flatten)]
    pub(super) more: Option<MoreLogs>,
    /// Logs that could not be read.
    pub(super) unreadable: Vec<Unreadable>,
    /// If the run store was filled, what came into it.
    #[serde(flatten)]
    pub(super) stored: Option<StoredPart>,
    /// Every tool call, with `--calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) calls: Option<Vec<Call>>,
}

impl Page for ObservePage {
    const KIND: &'static str = "observe";

    fn text(&self) -> String {
        let mut text = page(&self.files);
        text.push_str(&self.calls.as_deref().map(calls::page).unwrap_or_default());
        text.push_str(&self.more.as_ref().map(MoreLogs::text).unwrap_or_default());
        text.push_str(&self.stored.as_ref().map(StoredPart::text).unwrap_or_default());
        text
    }
}

/// Logs that were read and are too many to list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MoreLogs {
    /// Logs that were read beside those in `files`.
    pub(super) more: u64,
    /// Their numbers.
    pub(super) more_total: LogTotal,
}

impl MoreLogs {
    pub(super) fn text(&self) -> String {
        if self.more == 0 {
            return String::new();
        }
        let calls = self.more_total.events.tool_start;
        let (logs, noun) = (plural(self.more, "log"), plural(calls, "call"));
        format!("{} more {logs} read, with {calls} tool {noun}\n", self.more)
    }
}

/// What came into the run store, and what left it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StoredPart {
    /// Logs that had not changed.
    pub(super) unchanged: u64,
    /// Their numbers.
    pub(super) unchanged_total: LogTotal,
    /// Events that are new in the run store.
    pub(super) stored: u64,
    /// Files of the run store that were removed because of their age.
    pub(super) removed: Vec<Removed>,
}

/// The numbers of many logs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LogTotal {
    /// Events by type.
    events: EventCounts,
    /// Ends that the logs themselves mark as failed, and exceptions.
    flagged: u64,
    /// Tool calls by outcome.
    outcomes: OutcomeCounts,
}

impl LogTotal {
    pub(super) fn of(summary: &FileSummary) -> Self {
        Self { events: summary.events, flagged: summary.flagged, outcomes: summary.outcomes }
    }
}

impl StoredPart {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.unchanged > 0 {
            let _ = writeln!(text, "{} {} unchanged", self.unchanged, plural(self.unchanged, "log"));
        }
        let _ = writeln!(text, "{} new {} stored", self.stored, plural(self.stored, "event"));
        text.push_str(&removed_page(&self.removed));
        text
    }
}

pub(super) fn removed_page(removed: &[Removed]) -> String {
    let mut text = String::new();
    for file in removed {
        let _ = writeln!(text, "removed {}/{}.jsonl, {} bytes", file.session, file.day, file.bytes);
    }
    text
}

fn page(files: &[FileSummary]) -> String {
    listed(files) + &cycle::observed(files)
}

fn listed(files: &[FileSummary]) -> String {
    let mut text = String::new();
    for file in files {
        let events = &file.events;
        let outcomes = &file.outcomes;
        let _ = writeln!(text, "{}", file.path);
        let _ = writeln!(
            text,
            "  {}, {} {}, {} skipped",
            file.format,
            file.lines,
            plural(file.lines, "line"),
            file.skipped
        );
        if file.format == UNKNOWN_FORMAT {
            continue;
        }
        let _ = writeln!(
            text,
            "  events: {} in, {} out, {} tool {}, {} tool {}, {} {}",
            events.inbound_msg,
            events.outbound_msg,
            events.tool_start,
            plural(events.tool_start, "start"),
            events.tool_end,
            plural(events.tool_end, "end"),
            events.exception,
            plural(events.exception, "exception")
        );
        let _ = writeln!(
            text,
            "  calls: {} success, {} failure, {} rejected, {} cascade, {} unfinished; the log itself flags {}",
            outcomes.success, outcomes.failure, outcomes.rejected, outcomes.cascade, outcomes.unfinished, file.flagged
        );
        text.push_str(&tokens(&file.usage));
    }
    text
}

/// One line that says what the requests to models used; nothing where the log does not tell.
fn tokens(usage: &Usage) -> String {
    let parts = [
        ("in", usage.input_tokens),
        ("out", usage.output_tokens),
        ("read from a cache", usage.cache_read_tokens),
        ("put into a cache", usage.cache_write_tokens),
    ];
    if usage.is_nothing() {
        return String::new();
    }
    let told: Vec<String> =
        parts.into_iter().filter_map(|(what, number)| Some(format!("{} {what}", number?))).collect();
    let cost = usage.cost_nano_usd.map(|nano| format!("; {}.{:04} USD", nano / 1_000_000_000, nano / 100_000 % 10_000));
    format!("  tokens: {}{}\n", told.join(", "), cost.unwrap_or_default())
}
