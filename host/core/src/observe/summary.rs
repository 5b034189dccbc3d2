//! The numbers of one file: what was read and what was skipped.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run_event::{EventType, Outcome, RunEvent, Usage};

/// Why a line gave no event although it should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It is not JSON, or lacks fields that its type needs.
    BrokenJson,
    /// The last line of the file has no line end and is incomplete JSON: it is still being written, or was truncated.
    CutLastLine,
    /// The file ends within a document.
    CutDocument,
    /// It is not UTF-8.
    InvalidUtf8,
    /// It is longer than [`super::MAX_PIECE_BYTES`].
    Overlong,
    /// Its type is unknown.
    UnknownType,
    /// It was read before, in this file or in another file of the same session.
    Duplicate,
}

/// Events by type (seed 004 section 3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EventCounts {
    /// Messages to the agent.
    pub inbound_msg: u64,
    /// Messages from the agent.
    pub outbound_msg: u64,
    /// Starts of tool calls.
    pub tool_start: u64,
    /// Ends of tool calls.
    pub tool_end: u64,
    /// Failures outside a tool call.
    pub exception: u64,
}

/// Tool calls by outcome. A call without a result counts as unfinished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutcomeCounts {
    /// Calls that did what they were meant to do.
    pub success: u64,
    /// Calls that did not.
    pub failure: u64,
    /// Calls that the user rejected or stopped.
    pub rejected: u64,
    /// Calls that failed only because another call did.
    pub cascade: u64,
    /// Calls without a result.
    pub unfinished: u64,
}

/// The numbers of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileSummary {
    /// The path as the user wrote it.
    pub path: String,
    /// Name of the format; `unknown` if none was recognised.
    pub format: &'static str,
    /// Line ends in the file. A last line without an end is read but not counted.
    pub lines: u64,
    /// Lines that should have given an event but did not.
    pub skipped: u64,
    /// The skipped lines by reason.
    pub skipped_by_reason: BTreeMap<SkipReason, u64>,
    /// Events by type.
    pub events: EventCounts,
    /// Ends that the log itself marks as failed, and exceptions.
    pub flagged: u64,
    /// Tool calls by outcome.
    pub outcomes: OutcomeCounts,
    /// What the model requests used, as far as the log says.
    pub usage: Usage,
}

impl FileSummary {
    pub(super) fn skip(&mut self, reason: SkipReason) {
        self.skipped += 1;
        *self.skipped_by_reason.entry(reason).or_default() += 1;
    }

    /// Adds the numbers of another file.
    pub fn add(&mut self, other: &Self) {
        self.lines += other.lines;
        self.skipped += other.skipped;
        for (reason, count) in &other.skipped_by_reason {
            *self.skipped_by_reason.entry(*reason).or_default() += count;
        }
        let (events, more) = (&mut self.events, &other.events);
        events.inbound_msg += more.inbound_msg;
        events.outbound_msg += more.outbound_msg;
        events.tool_start += more.tool_start;
        events.tool_end += more.tool_end;
        events.exception += more.exception;
        self.flagged += other.flagged;
        let (outcomes, more) = (&mut self.outcomes, &other.outcomes);
        outcomes.success += more.success;
        outcomes.failure += more.failure;
        outcomes.rejected += more.rejected;
        outcomes.cascade += more.cascade;
        outcomes.unfinished += more.unfinished;
        self.usage.add(&other.usage);
    }

    /// Counts an event.
    pub fn count(&mut self, event: &RunEvent) {
        let events = &mut self.events;
        match event.event_type {
            EventType::InboundMsg => events.inbound_msg += 1,
            EventType::OutboundMsg => events.outbound_msg += 1,
            EventType::ToolStart => events.tool_start += 1,
            EventType::ToolEnd => events.tool_end += 1,
            EventType::Exception => events.exception += 1,
        }
        self.flagged += u64::from(event.flagged);
        if let Some(spent) = &event.spent {
            self.usage.add(&spent.usage);
        }
        if event.event_type == EventType::ToolEnd
            && let Some(outcome) = event.outcome
        {
            self.count_outcome(outcome);
        }
    }

    pub(super) fn count_outcome(&mut self, outcome: Outcome) {
        let outcomes = &mut self.outcomes;
        match outcome {
            Outcome::Success => outcomes.success += 1,
            Outcome::Failure => outcomes.failure += 1,
            Outcome::Rejected => outcomes.rejected += 1,
            Outcome::Cascade => outcomes.cascade += 1,
            Outcome::Unfinished => outcomes.unfinished += 1,
        }
    }
}

/// The form of a summary in the index of sources: numbers in a fixed order, because an index can hold hundreds of
/// thousands of them. Path and format are left out, because the index has them already.
pub mod stored {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{BTreeMap, EventCounts, FileSummary, OutcomeCounts, SkipReason, Usage};

    type Written = (u64, u64, [u64; 5], [u64; 5], BTreeMap<SkipReason, u64>, Usage);

    /// Serializes the numbers.
    pub fn serialize<S: Serializer>(summary: &FileSummary, serializer: S) -> Result<S::Ok, S::Error> {
        let (events, outcomes) = (&summary.events, &summary.outcomes);
        let written: Written = (
            summary.lines,
            summary.flagged,
            [events.inbound_msg, events.outbound_msg, events.tool_start, events.tool_end, events.exception],
            [outcomes.success, outcomes.failure, outcomes.rejected, outcomes.cascade, outcomes.unfinished],
            summary.skipped_by_reason.clone(),
            summary.usage,
        );
        written.serialize(serializer)
    }

    /// Deserializes the numbers.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FileSummary, D::Error> {
        let (lines, flagged, events, outcomes, skipped_by_reason, usage) = Written::deserialize(deserializer)?;
        let [inbound_msg, outbound_msg, tool_start, tool_end, exception] = events;
        let [success, failure, rejected, cascade, unfinished] = outcomes;
        Ok(FileSummary {
            lines,
            flagged,
            skipped: skipped_by_reason.values().copied().fold(0, u64::saturating_add),
            skipped_by_reason,
            events: EventCounts { inbound_msg, outbound_msg, tool_start, tool_end, exception },
            outcomes: OutcomeCounts { success, failure, rejected, cascade, unfinished },
            usage,
            ..FileSummary::default()
        })
    }
}
